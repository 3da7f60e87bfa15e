from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.library.samples import corpus, settings

import leafward
from leafward.errors import IndexNotFound


def test_a_lexical_index_of_another_corpus_is_found(tmp_path: Path) -> None:
    leafward.build(corpus(), tmp_path / "one", settings=settings()).close()
    leafward.build(corpus(3), tmp_path / "two", settings=settings()).close()
    assert leafward.verify(tmp_path / "one").ok
    lexical = tmp_path / "one" / "generations" / "1" / "lexical"
    shutil.rmtree(lexical)
    shutil.copytree(tmp_path / "two" / "generations" / "1" / "lexical", lexical)
    report = leafward.verify(tmp_path / "one")
    assert not report.ok
    assert all(problem.repair for problem in report.problems)


def test_no_index(tmp_path: Path) -> None:
    with pytest.raises(IndexNotFound):
        leafward.verify(tmp_path / "none")
