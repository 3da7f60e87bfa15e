from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from leafward.structured import parse


class Score(BaseModel):
    id: int
    score: float = Field(ge=0, le=100, allow_inf_nan=False)
    reason: str | None = None


class Scores(BaseModel):
    reasoning: str = ""
    scores: list[Score]


class Names(BaseModel):
    names: list[str] = Field(max_length=3)


class Group(BaseModel):
    name: str
    keywords: list[str] = Field(min_length=1)


class Groups(BaseModel):
    groups: list[Group]


GOOD = '{"reasoning": "because", "scores": [{"id": 1, "score": 80}, {"id": 2, "score": 5}]}'


def ids(text: str) -> list[int] | None:
    value, _ = parse(text, Scores)
    return None if value is None else [score.id for score in value.scores]


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        f"Sure! Here is the {{JSON}} you asked for:\n{GOOD}\nLet me know.",
        f'<think>perhaps {{"scores": [{{"id": 9, "score": 1}}]}}</think>{GOOD}',
        f'A draft: {{"scores": [{{"id": 9, "score": 1}}]}}. Better: {GOOD}',
        f"On the interval [0, 100) I say {GOOD}",
        GOOD + "\n" * 5000,
        GOOD.replace("because", "two\nlines"),
        GOOD.replace('"because"', r'"a \"quoted\" bracket } and \\"'),
    ],
)
def test_whole_answers_are_read_whatever_surrounds_them(text: str) -> None:
    assert ids(text) == [1, 2]
    assert parse(text, Scores)[1] is False


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (GOOD[:-1], [1, 2]),
        (GOOD[:-3], [1]),
        (GOOD[: GOOD.index("5}")], [1]),
        (GOOD[: GOOD.index("0}, ")], None),
        ('{"scores": [', None),
        ('{"scores": [{"id": 1, "score": 101}, {"id": 2, "score": 7}]}', [2]),
        ('{"scores": [{"id": 1, "score": -1}, {"id": 2, "score": "7"}]}', [2]),
        ('{"scores": [{"id": 1, "score": "high"}, {"id": 2, "score": 7}, {"score": 7}]}', [2]),
        ('{"scores": [{"id": 1, "score": NaN}, {"id": 2, "score": Infinity}]}', None),
        ('{"scores": [{"id": 1, "score": 3, "reason": ["x"]}]}', [1]),
        ('{"reasoning": 7, "scores": [{"id": 1, "score": 3}]}', [1]),
        ("{'scores': [{'id': 1, 'score': 3}, {'id': 2, 'score': 4,}]}", [1, 2]),
        ('{scores: [{"id": 1, "score": 3} {"id": 2, "score": 4}]}', [1, 2]),
        ('{"scores": [{"id": 1, "score": 3}], "reasoning": "cut he', [1]),
        ("", None),
        (" \n\t" * 1000, None),
        ("I cannot help with that.", None),
        ("null", None),
        ("[]", None),
    ],
)
def test_the_sound_part_of_a_bad_answer_is_kept(text: str, kept: list[int] | None) -> None:
    assert ids(text) == kept
    assert parse(text, Scores)[1] is True


def test_an_empty_list_that_was_meant_is_an_answer() -> None:
    value, salvaged = parse('{"scores": []}', Scores)
    assert value is not None
    assert (value.scores, salvaged) == ([], False)


def test_a_bare_list_fills_the_only_field_and_a_long_list_is_cut() -> None:
    assert parse('["a", "b"]', Names) == (Names(names=["a", "b"]), True)
    assert parse('{"names": ["a", "b", "c", "d"]}', Names) == (Names(names=["a", "b", "c"]), True)


def test_an_item_goes_with_what_it_cannot_do_without() -> None:
    text = json.dumps(
        {
            "groups": [
                {"name": "a", "keywords": ["x", 3, "y"]},
                {"name": "b", "keywords": [1, 2]},
                {"keywords": ["z", 4]},
                {"name": "d", "keywords": ["w"]},
            ]
        }
    )
    value, salvaged = parse(text, Groups)
    assert salvaged
    assert value == Groups(
        groups=[Group(name="a", keywords=["x", "y"]), Group(name="d", keywords=["w"])]
    )


@pytest.mark.parametrize("bomb", ["[", '{"scores":', '{"scores":[', "{", "{x:[", '[{"', "'{"])
def test_nesting_bombs_are_unusable_not_a_crash(bomb: str) -> None:
    assert parse(bomb * 20_000, Scores) == (None, True)
    assert parse(GOOD[:-1] + ', "x": ' + bomb * 5000, Scores)[0] is None


scores = st.builds(
    Score, id=st.integers(), score=st.floats(0, 100), reason=st.none() | st.text(max_size=20)
)


@settings(deadline=None)
@given(st.builds(Scores, reasoning=st.text(max_size=30), scores=st.lists(scores)), st.data())
def test_any_prefix_salvages_a_prefix_of_the_items(answer: Scores, data: Any) -> None:
    text = json.dumps(answer.model_dump(), ensure_ascii=data.draw(st.booleans()))
    cut = data.draw(st.integers(0, len(text) - 1))
    value, salvaged = parse(text[:cut], Scores)
    assert salvaged
    if value is not None:
        assert value.scores == answer.scores[: len(value.scores)]
        assert value.reasoning in ("", answer.reasoning)
    if cut == len(text) - 1 and answer.scores:  # only the last brace is missing
        assert value == answer
    assert parse(text, Scores) == (answer, False)


hostile = st.text(alphabet="{}[]\",:\\ \n'ab1.-tn/`“<>#", max_size=200)


@settings(deadline=None)
@given(st.text() | hostile | hostile.map(lambda text: GOOD[:60] + text))
def test_arbitrary_text_never_crashes(text: str) -> None:
    for shape in (Scores, Names, Groups):
        value, salvaged = parse(text, shape)
        assert value is None or isinstance(value, shape)
        assert value is not None or salvaged


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["id", "score", "x"]), inner),
    max_leaves=12,
)


@settings(deadline=None)
@given(st.lists(json_values), st.lists(scores))
def test_sound_items_survive_any_neighbours(bad: list[Any], good: list[Score]) -> None:
    rows: list[Any] = [*bad, *(score.model_dump() for score in good)]
    value, _ = parse(json.dumps({"scores": rows}), Scores)
    if good:
        assert value is not None
        assert value.scores[-len(good) :] == good
