from __future__ import annotations

from pathlib import Path

from tests.library.samples import settings

import leafward
from leafward.settings import Settings
from leafward.testing import ScriptedServer, rules


def test_a_bare_configuration_is_fine(tmp_path: Path) -> None:
    report = leafward.doctor(Settings(embedder="lexical", cache_dir=tmp_path))
    assert report.ok
    absent = next(check for check in report.checks if check.name == "weights minilm")
    assert absent.ok
    assert "models pull minilm" in absent.hint


def test_what_the_configuration_needs_must_be_there(tmp_path: Path) -> None:
    report = leafward.doctor(Settings(embedder="minilm", cache_dir=tmp_path, offline=True))
    assert not report.ok
    failed = {check.name for check in report.checks if not check.ok}
    assert failed == {"weights minilm", "embedder"}
    assert all(check.hint for check in report.checks if not check.ok)


def test_a_model_that_answers_and_one_that_does_not() -> None:
    with ScriptedServer(rules=[rules.canned({"": "ready"})]) as server:
        chosen = settings(server.base_url).model_copy(update={"model": "openai:scripted"})
        assert leafward.doctor(chosen).ok
    gone = leafward.doctor(chosen)
    (check,) = [check for check in gone.checks if check.name == "model"]
    assert not check.ok
    assert check.hint
