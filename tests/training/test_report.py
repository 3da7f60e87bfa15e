"""What a report says of answers, and that foreign text is only text in it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from tests.training.parts import recipe

from leafward.errors import StoreError
from leafward.training.answers import Answer, AnswerFile, Method
from leafward.training.curves import Curve
from leafward.training.folder import RunFolder
from leafward.training.report import Compared, report
from leafward.training.sharing import shared, without_folders
from leafward.training.tiers import tier_shares
from leafward.training.traits import traits_of
from leafward.types import Need

IDS = [f"n{number}" for number in range(20)]
NEEDS = {each: Need(each, f"{each} | <b>aspirin</b> & *stroke*", {"I": "aspirin"}) for each in IDS}


def answer(need_id: str, reward: float | None, expression: str = "aspirin") -> Answer:
    failed = reward is None
    return Answer(
        need_id=need_id,
        expression=expression,
        well_formed=reward != -4.0,
        refused=reward == -3.0,
        flaws=(),
        reward=reward,
        measure=None if failed else float(reward == 6.0),
        hits=None if reward in (None, -4.0, -3.0) else 7,
        at_cap=None if reward in (None, -4.0, -3.0) else False,
        found=None,
        precision=0.5 if reward == 6.0 else None,
        failure="EngineUnavailable: 503" if failed else "",
        prompt_tokens=100,
        completion_tokens=5,
    )


def method(label: str, rewards: Sequence[float | None], expression: str = "aspirin") -> Method:
    pairs = zip(IDS, rewards, strict=True)
    return Method(label, f"about {label}", {k: answer(k, r, expression) for k, r in pairs})


def text(*methods: Method) -> str:
    compared = Compared("run", NEEDS, methods, "literature@200", {"seed": "1"}, {"a": 1})
    return "\n".join(report(compared))


def test_figures_by_hand() -> None:
    before = method("zero-shot", [6.0] * 5 + [-2.5] * 5 + [-4.0] * 8 + [-3.0] * 2)
    after = method("trained", [6.0] * 15 + [-2.5] * 5, 'aspirin AND "stroke"[tiab]')
    told = text(before, after)
    assert "| zero-shot | 20 | **0.250**<br>[" in told
    # (5 · 6 − 5 · 2.5 − 8 · 4 − 2 · 3) / 20 = −1.025
    assert "**-1.025**<br>[" in told
    assert "| 40.0% | 10.0% | 105 |" in told  # format wrong, refused, tokens a need
    versus = next(line for line in told.splitlines() if line.startswith("| zero-shot | +0.500"))
    assert "| 10/10/0 |" in versus
    assert "| trained | 2.0 | 100% | 50% | 0% | 100% | 0% | 0% | 0% | 100% | 100% | 0% |" in told


def test_no_difference_has_no_minus() -> None:
    told = text(method("zero-shot", [6.0] * 20), method("trained", [6.0] * 20))
    assert "+0.000<br>[0.000,\u00a00.000]" in told
    assert "-0.000" not in told


def test_our_failures_count_in_no_mean() -> None:
    told = text(method("need", [None] * 10 + [6.0] * 10))
    assert "| need | 10 | **1.000**" in told
    assert "10 answers have no reward by failures of ours" in told


def test_foreign_text_stays_text() -> None:
    evil = method("zero-shot", [6.0] * 20, "`a` | <script>")
    told = text(evil, method("trained", [6.0] * 20, "x"))
    assert "<script>" not in told.replace("`` `a` \\| <script> ``", "")
    assert "<b>" not in told


def test_traits_by_hand() -> None:
    need = Need("n", "aspirin daily versus placebo: stroke", {"I": "aspirin daily"})
    found = traits_of(
        [(need, '(aspirin OR "daily aspirin"[tiab]) NOT placebo'), (need, "thromb*"), (need, " ")]
    )
    assert (found.expressions, found.words) == (2, 2.5)  # aspirin, daily, aspirin, placebo; thromb
    assert (found.from_need, found.from_intervention) == (0.5, 0.375)
    assert found.repeated == 0.5
    assert dict(found.marks) == {
        **{"AND": 0.0, "OR": 0.5, "NOT": 0.5, "( )": 0.5},
        **{"“phrase”": 0.5, "[tag]": 0.5, "trunc*": 0.5},
    }
    assert traits_of([]).words == 0


def test_answers_are_kept_under_their_key(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    file = AnswerFile(path, {"model": "m"})
    file.add([answer("n1", 6.0), answer("n2", None)])
    assert AnswerFile(path, {"model": "m"}).missing(["n1", "n2", "n3"]) == ["n2", "n3"]
    path.write_text(path.read_text() + '{"need_id": "n3"')
    again = AnswerFile(path, {"model": "m"})
    assert list(again.answers) == ["n1", "n2"]
    again.add([answer("n2", 6.0)])
    assert AnswerFile(path, {"model": "m"}).missing(["n1", "n2"]) == []
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], "broken", *lines[1:]]) + "\n")
    with pytest.raises(StoreError, match="line 2 is damaged"):
        AnswerFile(path, {"model": "m"})
    assert AnswerFile(path, {"model": "other"}).answers == {}


def test_a_report_shows_no_folders(tmp_path: Path) -> None:
    assert without_folders("boolean:/home/me/idx") == "boolean:idx"
    assert without_folders("hub:Qwen/Qwen2.5") == "hub:Qwen/Qwen2.5"
    assert str(tmp_path) not in json.dumps(shared(recipe(tmp_path / "run")))


def test_a_curve_is_cut_where_a_run_goes_on(tmp_path: Path) -> None:
    curve = Curve(tmp_path / "c.jsonl")
    assert curve.last() is None
    for step in range(4):
        curve.append({"step": step})
    curve.cut(2)
    assert [row["step"] for row in curve] == [0, 1, 2]
    assert curve.last() == {"step": 2}


def test_a_measure_is_shown_in_bands_and_a_table_as_it_is() -> None:
    table = [{"5": 0.5, "-3.5": 0.25}, {"5": 1.0}]
    assert tier_shares(table) == {"5": [0.5, 1.0], "-3.5": [0.25, 0.0]}
    measure = {f"{n / 10:g}": 0.0625 for n in range(1, 11)} | {"0": 0.25, "0.75": 0.125}
    shares = tier_shares([measure])
    assert list(shares) == ["over 0.75", "over 0.5", "over 0.25", "over 0", "0"]
    assert [round(row[0] * 16) for row in shares.values()] == [3, 4, 3, 2, 4]
    assert tier_shares([]) == {}


@pytest.mark.skipif(find_spec("matplotlib") is None, reason="matplotlib is not installed")
def test_curves_are_drawn(tmp_path: Path) -> None:
    from leafward.training.board import Board
    from leafward.training.picture import smooth

    assert smooth([0.0, 3.0]) == [1.5, 1.5]
    assert smooth([0.0, 3.0, 90.0], median) == [3.0, 3.0, 3.0]
    folder = RunFolder(tmp_path)
    row: dict[str, Any] = {"reward": 1.0, "valid": 1.0, "found": 0.5, "at_cap": 0.0, "hits": 3}
    row |= {"levels": {"5": 0.5, "-3.5": 0.5}, "expression_length": 9.0, "thought_length": 0.0}
    board = Board(folder)
    Curve(folder.steps).append({"step": 1, **row, "kl": 0.1})
    Curve(folder.watch).append({"step": 0, **row, "hits": None})
    board.draw()
    assert folder.curves.with_suffix(".png").stat().st_size > 10_000
    assert folder.curves.with_suffix(".svg").is_file()


def test_tokens_are_the_methods_own_whoever_paid() -> None:
    assert replace(answer("n1", 6.0), saved_tokens=40).tokens == 145
    paid_before = {each: replace(answer(each, 6.0), prompt_tokens=0) for each in IDS}
    stored = {each: replace(paid_before[each], saved_tokens=95) for each in IDS}
    assert "| 100 |" in text(Method("1.5B", "from the store", stored))
