"""Settings against a scripted server, and what its counts say about an index."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from leafward.settings import Settings
from leafward.store import Store
from leafward.testing import ChatRequest, ScriptedServer, Stats
from leafward.types import NO_USAGE, SearchResult, Usage

MODEL = "openai:scripted"


def settings(base_url: str, **sections: dict[str, Any]) -> Settings:
    """Settings without downloads and without a wait worth mentioning; sections win."""
    models = {"base_url": base_url, "api_key": "k", "retry_wait": 0.005, "total_deadline": 20}
    build = {"strategy": "top-down", "branching": 6, "summary_batch": 6, "probe_documents": 0}
    given = {
        "models": models | sections.pop("models", {}),
        "build": build | sections.pop("build", {}),
        **sections,
    }
    return Settings.model_validate({"model": MODEL, "embedder": "lexical", **given})


def idle(server: ScriptedServer, seconds: float = 10.0) -> Stats:
    """The counts when nothing is in flight any more, also of clients that went away."""
    end = time.monotonic() + seconds
    while (stats := server.stats()).in_flight and time.monotonic() < end:
        time.sleep(0.002)
    assert stats.in_flight == 0
    assert stats.errors == []
    return stats


def stored_usage(index: Path) -> Usage:
    """What the chat answers in an index's cache cost when they were paid."""
    with Store.open(index) as store:
        found = [entry.usage for entry in store.calls.stats() if entry.kind == "chat"]
    return sum(found, NO_USAGE)


def stored_prompts(index: Path) -> list[str]:
    """The scripted server's keys of the prompts whose answers are in an index's cache."""
    connection = sqlite3.connect(f"file:{index / 'index.sqlite'}?mode=ro", uri=True)
    try:
        rows = connection.execute("SELECT request FROM calls WHERE kind = 'chat'").fetchall()
    finally:
        connection.close()
    requests = [json.loads(row[0]) for row in rows]
    return [
        ChatRequest(
            MODEL.partition(":")[2], tuple((role, text) for role, text in request["messages"]), {}
        ).key
        for request in requests
    ]


def told(result: SearchResult) -> list[tuple[Any, ...]]:
    """Everything that a user sees of the hits."""
    return [
        (hit.doc_id, hit.score, hit.latent, hit.raw, hit.path, hit.reasons) for hit in result.hits
    ]


def slates(result: SearchResult) -> list[tuple[Any, ...]]:
    """What was shown and how it was judged, in the order in which it was taken in."""
    assert result.trace is not None
    return [
        (step.slate, None if step.judgement is None else step.judgement.scores)
        for step in result.trace.steps
    ]


def until(condition: Callable[[], bool], seconds: float = 30.0) -> bool:
    """Wait for a condition; False where it does not come true in time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.0005)
    return True
