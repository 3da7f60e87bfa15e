"""Readers keep what they have open while others write; of two writers one is turned away."""

from __future__ import annotations

import asyncio
import multiprocessing
import threading
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.synchronize import Event
from pathlib import Path

import pytest
from tests.acceptance.samples import building_rules, sample
from tests.acceptance.serving import idle, settings, stored_usage, told

import leafward
from leafward.errors import IndexBusy, StoreError
from leafward.settings import Settings
from leafward.testing import Constant, ScriptedServer, rules

SAMPLE = sample(40, 3)
BUILD = {"branching": 6, "summary_batch": 8}
SEARCH = {"beam": 2, "iterations": 4, "candidate_tokens": 40}
QUERIES = [query.text for query in SAMPLE.queries]


def _settings(server: ScriptedServer) -> Settings:
    return settings(server.base_url, build=BUILD, search=SEARCH)


def _server() -> ScriptedServer:
    return ScriptedServer(rules=building_rules(rules.oracle_judge(SAMPLE.oracle())))


def test_readers_keep_their_snapshot_while_a_rebuild_publishes(tmp_path: Path) -> None:
    path = tmp_path / "i"
    old, new = SAMPLE.documents[:30], SAMPLE.documents[5:]
    with _server() as server:
        given = _settings(server)
        with leafward.build(old, path, settings=given) as index:
            expected = {text: told(index.search(text)) for text in QUERIES}
        published = threading.Event()

        def read() -> int:
            """Search until the new generation is out and twice more: always the old documents."""
            rounds = 0
            with leafward.open(path, settings=given) as index:
                while rounds < 2 or not published.is_set():
                    rounds = 0 if not published.is_set() else rounds + 1
                    for text in QUERIES:
                        assert told(index.search(text)) == expected[text]
                        assert index.search(text, judge="embedding").hits
                        assert index.search(text, method="bm25").hits
                    assert index.document(old[0].id) == old[0]
                return len(index.tree.leaves)

        with ThreadPoolExecutor(3) as pool:
            readers = [pool.submit(read) for _ in range(3)]
            try:
                leafward.build(new, path, settings=given).close()
            finally:
                published.set()
            assert [reader.result() for reader in readers] == [len(old)] * 3
        with leafward.open(path, settings=given) as index:
            assert sorted(index.tree.leaves) == sorted(document.id for document in new)
        assert leafward.verify(path).ok


def test_a_reader_two_generations_behind_is_told_to_open_again(tmp_path: Path) -> None:
    with _server() as server:
        given = _settings(server)
        leafward.build(SAMPLE.documents[:30], tmp_path / "i", settings=given).close()
        with leafward.open(tmp_path / "i", settings=given) as index:
            hits = told(index.search(QUERIES[0]))
            for last in (31, 32):
                leafward.build(SAMPLE.documents[:last], tmp_path / "i", settings=given).close()
            for method in ("tree", "bm25", "dense"):
                with pytest.raises(StoreError) as gone:
                    index.search(QUERIES[0], method=method)
                assert gone.value.hint == "open the index again"
        assert hits


def test_a_search_in_another_process_sees_a_whole_index(tmp_path: Path) -> None:
    """What one process publishes, others open whole, again and again."""
    with _server() as server:
        given = _settings(server)
        leafward.build(SAMPLE.documents[:30], tmp_path / "i", settings=given).close()
        context = multiprocessing.get_context("spawn")
        queue: multiprocessing.Queue[list[int]] = context.Queue()
        stop = context.Event()
        child = context.Process(target=_open_again_and_again, args=(tmp_path / "i", queue, stop))
        child.start()
        try:
            sizes = [30]
            assert queue.get(timeout=60) == []  # it has begun
            for size in (31, 32, 33):
                leafward.build(SAMPLE.documents[:size], tmp_path / "i", settings=given).close()
                sizes.append(size)
        finally:
            stop.set()
        seen = queue.get(timeout=60)
        child.join()
        assert child.exitcode == 0
        assert seen == sorted(seen)
        assert set(seen) <= set(sizes)
        assert seen[-1] == 33


def _open_again_and_again(path: Path, queue: multiprocessing.Queue[list[int]], stop: Event) -> None:
    sizes: list[int] = []
    queue.put(list(sizes))
    while True:
        last = stop.is_set()
        with leafward.open(path) as index:
            sizes.append(len(index.tree.leaves))
            assert index.search(QUERIES[0], method="bm25").hits
            assert index.search(QUERIES[0], judge="embedding").hits
        if last:
            break
    queue.put(sizes)


async def test_of_two_writers_one_is_turned_away(tmp_path: Path) -> None:
    async with _server() as server:
        server.change(latency=Constant(0.05))
        given = _settings(server)
        first = asyncio.ensure_future(
            leafward.abuild(SAMPLE.documents, tmp_path / "i", settings=given)
        )
        await asyncio.to_thread(server.wait, 2)
        with pytest.raises(IndexBusy) as busy:
            await leafward.abuild(SAMPLE.documents, tmp_path / "i", settings=given)
        assert busy.value.retryable
        assert busy.value.hint
        async with await first as index:
            assert len(index.tree.leaves) == len(SAMPLE.documents)
        stats = idle(server)
        assert stats.paid_twice == 0
        assert stored_usage(tmp_path / "i").calls == stats.answered
