"""Running an experiment: seeds, journals, budgets, and going on after any end."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.evaluate.experiments.samples import Opener, collection

from leafward.errors import BudgetExceeded, Interrupted
from leafward.evaluate.experiments.folder import Folder
from leafward.evaluate.experiments.results import Run
from leafward.evaluate.experiments.running import Experimenter, left
from leafward.evaluate.experiments.spec import ExperimentSpec, experiment_from
from leafward.protocols import Silent
from leafward.settings import BudgetSettings
from leafward.types import Query, Usage


def spec(folder: Path, **more: object) -> ExperimentSpec:
    methods = {"bm25": "bm25", "tree": {"method": "tree", "seeds": [3, 4]}}
    given = {"data": "things", "seeds": [3, 4], "k": 50, "methods": methods, "concurrency": 1}
    return experiment_from(given | more, folder / "x.toml")


async def run(folder: Path, opener: Opener, **more: object) -> tuple[Run, ...]:
    asked = spec(folder, **more)
    experimenter = Experimenter(
        asked, collection(), Folder(asked.folder), opener, progress=Silent()
    )
    return await experimenter.run()


async def test_every_seed_of_methods_that_have_any(tmp_path: Path) -> None:
    opener = Opener()
    runs = await run(tmp_path, opener)
    assert opener.opened == [("bm25", 3), ("tree", 3), ("tree", 4)]
    assert [(run.label, run.seed, len(run.outcomes)) for run in runs] == [
        ("bm25", 3, 6), ("tree", 3, 6), ("tree", 4, 6),
    ]  # fmt: skip
    assert all(o.ranking and o.ranking.trace for run in runs[1:] for o in run.outcomes)
    assert runs[0].view is None and runs[1].view is not None


async def test_nothing_is_asked_twice(tmp_path: Path) -> None:
    asked: list[str] = []
    first = await run(tmp_path, Opener(lambda query: asked.append(query.id)))
    assert len(asked) == 6
    again = await run(tmp_path, Opener(lambda query: asked.append(query.id)))
    assert len(asked) == 6
    assert [run.outcomes for run in again] == [run.outcomes for run in first]


async def test_progress_goes_by_the_names_of_the_methods(tmp_path: Path) -> None:
    told: list[tuple[str, int | None]] = []

    class Recorder(Silent):
        def start(self, stage: str, total: int | None = None) -> None:
            told.append((stage, total))

    asked = spec(tmp_path)
    folder = Folder(asked.folder)
    await Experimenter(asked, collection(), folder, Opener(), progress=Recorder()).run()
    assert told == [("bm25, seed 3", 6), ("tree, seed 3", 6), ("tree, seed 4", 6)]


async def test_an_interrupt_is_raised_and_the_next_run_goes_on(tmp_path: Path) -> None:
    asked: list[str] = []

    def stopping(query: Query) -> None:
        if len(asked) == 3:
            raise Interrupted("enough")
        asked.append(query.id)

    with pytest.raises(Interrupted):
        await run(tmp_path, Opener(stopping))
    runs = await run(tmp_path, Opener(lambda query: asked.append(query.id)))
    assert asked == [f"q{n}" for n in range(6)]
    assert len(runs[0].outcomes) == 6


async def test_a_spent_budget_ends_one_method_and_not_the_others(tmp_path: Path) -> None:
    def spent(query: Query) -> None:
        if query.id == "q2":
            raise BudgetExceeded("no calls left", limit="calls")

    runs = await run(tmp_path, Opener(spent))
    assert [o.query_id for o in runs[0].outcomes] == ["q0", "q1"]
    assert runs[0].stopped == "no calls left"
    assert [run.stopped for run in runs[1:]] == ["", ""]
    assert all(len(run.outcomes) == 6 for run in runs[1:])


async def test_a_journal_whose_first_line_broke_off_is_begun_anew(tmp_path: Path) -> None:
    journal = Folder(spec(tmp_path).folder).journal("bm25", 3)
    journal.parent.mkdir(parents=True)
    journal.write_bytes(b'{"method":"bm2')
    runs = await run(tmp_path, Opener())
    assert len(runs[0].outcomes) == 6


def test_what_is_left_of_a_budget() -> None:
    spent = Usage(calls=7, prompt_tokens=50, completion_tokens=10, money=0.5)
    assert left(BudgetSettings(calls=10, tokens=40, money=2), spent) == BudgetSettings(
        calls=3, tokens=0, money=1.5
    )
    assert left(BudgetSettings(), spent) == BudgetSettings()
    unknown = Usage(calls=1, money=None)
    assert left(BudgetSettings(money=2), unknown).money == 2
