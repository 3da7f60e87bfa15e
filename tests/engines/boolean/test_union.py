"""The engine on 19,406 real records: pinned hit sets, and a share read one by one."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import pytest
from benchmarks.biomedical import SETS, read_union
from tests.conftest import data_set
from tests.engines.boolean.pins import PINNED
from tests.engines.boolean.plain import Plain

from leafward.engines.boolean import BooleanEngine, parse
from leafward.types import Document

pytestmark = [pytest.mark.real_data, pytest.mark.slow]

EVERY = 50
"""One record in so many is also read without the engine."""


@pytest.fixture(scope="module")
def records() -> Sequence[Document]:
    folders = [data_set(name) for name in SETS]
    return list(read_union(folders[0].parent))


@pytest.fixture(scope="module")
def engine(records: Sequence[Document], tmp_path_factory: pytest.TempPathFactory) -> BooleanEngine:
    folder: Path = tmp_path_factory.mktemp("union") / "boolean"
    BooleanEngine.build(folder, records)
    return BooleanEngine.open(folder)


@pytest.fixture(scope="module")
def sample(records: Sequence[Document]) -> Plain:
    return Plain(records[::EVERY])


def test_the_union_is_whole(engine: BooleanEngine) -> None:
    assert engine.count == 19_406
    assert len({expression for expression, _, _ in PINNED}) >= 60


@pytest.mark.parametrize(("expression", "count", "digest"), PINNED)
def test_pinned_expressions(
    engine: BooleanEngine, expression: str, count: int, digest: str
) -> None:
    ranking = engine.find(expression, k=engine.count)
    ids = sorted(hit.doc_id for hit in ranking.hits)
    assert ranking.total == len(ids) == count
    assert hashlib.sha256("\n".join(ids).encode()).hexdigest()[:12] == digest


def test_a_sample_read_without_the_engine_agrees(
    engine: BooleanEngine, sample: Plain, records: Sequence[Document]
) -> None:
    sampled = {document.id for document in records[::EVERY]}
    agreed = 0
    for expression, _, _ in PINNED:
        tree = parse(expression)
        # A tagged run of words is a phrase where any record of the whole corpus holds it.
        if '"' in expression or "[" not in expression or " " not in expression:
            found = {hit.doc_id for hit in engine.find(expression, k=engine.count).hits}
            assert found & sampled == sample.evaluate(tree), expression
            agreed += 1
    assert agreed >= 40


def test_topics_are_not_indexed(engine: BooleanEngine) -> None:
    assert engine.find("ProtonPumpInhibitors OR AtypicalAntipsychotics", k=1).total == 0


def test_order_is_by_date_and_total_counts_beyond_k(engine: BooleanEngine) -> None:
    ranking = engine.find("placebo", k=3000)
    scores = [hit.score for hit in ranking.hits]
    assert scores == sorted(scores, reverse=True) and len(scores) == 3000
    assert ranking.total is not None and ranking.total > 3000
    assert ranking.hits[:10] == engine.find("placebo", k=10).hits
