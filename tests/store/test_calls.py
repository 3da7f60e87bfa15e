"""The call cache: durable, shared by tasks, threads and processes, counted and cleared."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
from tests.store.making import documents, make, publish

from leafward import protocols
from leafward.errors import StoreError
from leafward.store import CallCache, CallStats, Store, verify
from leafward.types import Usage

USAGE = Usage(1, 100, 40, 10, 0.5)


def put(
    cache: protocols.CallCache,
    key: str,
    *,
    model: str = "m",
    usage: Usage = USAGE,
    answer: str = "{}",
) -> None:
    cache.put(key, kind="chat", model=model, request="{}", answer=answer, usage=usage)


def test_the_first_answer_stays(tmp_path: Path) -> None:
    with CallCache(tmp_path / "calls.sqlite") as cache:
        assert cache.get("k") is None
        put(cache, "k", answer='"first"')
        put(cache, "k", answer='"second"')
        assert cache.get("k") == '"first"'
    with CallCache(tmp_path / "calls.sqlite") as again:
        assert again.get("k") == '"first"'


def test_halves_of_surrogate_pairs_become_their_escapes(tmp_path: Path) -> None:
    with CallCache(tmp_path / "calls.sqlite") as cache:
        put(cache, "k", answer='"\ud83d"')
        assert cache.get("k") == '"\\ud83d"'


def test_stats_by_model_with_unknown_prices_unknown(tmp_path: Path) -> None:
    with CallCache(tmp_path / "calls.sqlite") as cache:
        put(cache, "a")
        put(cache, "b")
        put(cache, "c", model="n", usage=Usage(1, 5, 0, 5, None))
        put(cache, "d", model="n")
        assert cache.stats() == (
            CallStats("m", "chat", 2, Usage(2, 200, 80, 20, 1.0)),
            CallStats("n", "chat", 2, Usage(2, 105, 40, 15, None)),
        )


def test_clear_by_model_and_by_age(tmp_path: Path) -> None:
    with CallCache(tmp_path / "calls.sqlite") as cache:
        for key, model in (("a", "m"), ("b", "m"), ("c", "n")):
            put(cache, key, model=model)
        with sqlite3.connect(cache.path) as other:
            other.execute("UPDATE calls SET created = '2001-01-01' WHERE key = 'a'")
        other.close()
        assert cache.clear(model="m", older_than=timedelta(days=1)) == 1
        assert (cache.get("a"), cache.get("b")) == (None, "{}")
        assert cache.clear(older_than=timedelta(days=1)) == 0
        assert cache.clear(model="m") == 1
        assert cache.clear() == 1
        assert cache.stats() == ()


async def test_tasks_and_threads_share_one_cache(tmp_path: Path) -> None:
    with CallCache(tmp_path / "calls.sqlite") as cache:

        async def one(n: int) -> None:
            await asyncio.to_thread(put, cache, f"thread {n}")
            put(cache, f"task {n}")

        await asyncio.gather(*(one(n) for n in range(40)))
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(cache.get, [f"thread {n}" for n in range(40)]))
        assert found == ["{}"] * 40
        assert cache.stats()[0].answers == 80


def test_an_index_open_read_only_and_being_written_takes_answers(tmp_path: Path) -> None:
    make(tmp_path / "i")
    with (
        Store.open(tmp_path / "i") as reader,
        Store.open(tmp_path / "i", read_only=False) as writer,
        CallCache(tmp_path / "i") as alone,
    ):
        put(reader.calls, "a")
        publish(writer, documents(5))
        put(writer.calls, "b")
        put(alone, "c")
        assert [writer.calls.get(key) for key in "abc"] == ["{}"] * 3
    assert verify(tmp_path / "i").ok


_PUTTER = """
import sys
from pathlib import Path
from leafward.store import CallCache
from leafward.types import Usage
cache = CallCache(Path(sys.argv[1]))
for n in range(int(sys.argv[3])):
    key = f"{sys.argv[2]} {n}"
    cache.put(key, kind="chat", model="m", request="{}", answer="{}", usage=Usage(1))
    print(key, flush=True)
"""


def putter(path: Path, name: str, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", _PUTTER, str(path), name, str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_processes_share_a_cache_that_none_has_made_yet(tmp_path: Path) -> None:
    processes = [putter(tmp_path / "calls.sqlite", f"p{n}", 20) for n in range(4)]
    for process in processes:
        _, errors = process.communicate()
        assert (process.returncode, errors) == (0, "")
    with CallCache(tmp_path / "calls.sqlite") as cache:
        assert cache.stats()[0].answers == 80


def test_what_was_put_survives_kill_9(tmp_path: Path) -> None:
    process = putter(tmp_path / "calls.sqlite", "p", 100_000)
    assert process.stdout is not None and process.stderr is not None
    acknowledged = [process.stdout.readline().strip() for _ in range(25)]
    os.kill(process.pid, signal.SIGKILL)
    acknowledged += [line.strip() for line in process.stdout if line.endswith("\n")]
    process.communicate()
    with CallCache(tmp_path / "calls.sqlite") as cache:
        assert [key for key in acknowledged if cache.get(key) is None] == []


def test_where_nothing_may_be_written_it_answers_and_refuses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with CallCache(tmp_path / "calls.sqlite") as cache:
        put(cache, "k")
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with CallCache(tmp_path / "calls.sqlite") as cache:
        assert cache.get("k") == "{}"
        with pytest.raises(StoreError) as caught:
            put(cache, "l")
        assert "may write" in caught.value.hint
