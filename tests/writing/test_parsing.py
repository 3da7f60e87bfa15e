"""What is wrong with a completion is named; what is right is read; no text is too bad to read."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leafward.types import Flaw
from leafward.writing import parse_completion
from leafward.writing.framing import prefill_of, stops_of, with_stop

RIGHT = '<think>words of the trial</think>\n<answer>{"query": "aspirin AND stroke"}</answer>'
PREFILL = '<answer>{"query": "'


def kinds(text: str, **given: str | bool) -> list[str]:
    asked: dict[str, str | bool] = {"syntax": "pubmed", **given}
    rewrite = parse_completion(text, **asked)  # type: ignore[arg-type]
    assert rewrite.well_formed == (not rewrite.problems)
    return [flaw.kind for flaw in rewrite.problems]


def test_a_right_completion_is_read_whole() -> None:
    rewrite = parse_completion(RIGHT, syntax="pubmed")
    assert rewrite.well_formed
    assert rewrite.problems == ()
    assert (rewrite.expression, rewrite.reasoning) == ("aspirin AND stroke", "words of the trial")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('<answer>{"query": "a"}</answer>', ["missing-tag", "missing-tag"]),
        ('<think>t<answer>{"query": "a"}</answer>', ["missing-tag"]),
        ('<think>t</think>{"query": "a"}', ["missing-tag", "missing-tag"]),
        ('<think>t</think><answer>{"query": "a"}', ["missing-tag"]),
        ("", ["missing-tag"] * 4),
        (RIGHT + RIGHT, ["repeated-tag"] * 4),
        (RIGHT + "<answer>", ["repeated-tag"]),
        ('<answer>{"query": "a"}</answer><think>t</think>', ["wrong-order"]),
        ('</think>t<think><answer>{"query": "a"}</answer>', ["wrong-order"]),
        ('<think>t<answer></think>{"query": "a"}</answer>', ["wrong-order"]),
        ("<think>t</think><answer>aspirin</answer>", ["bad-json"]),
        ('<think>t</think><answer>{"query": "a"} or so</answer>', ["bad-json"]),
        ('<think>t</think><answer>{"query": "a}</answer>', ["bad-json"]),
        ("<think>t</think><answer>{'query': 'a'}</answer>", ["bad-json"]),
        ('<think>t</think><answer>{"query": ""x" OR y"}</answer>', ["bad-json"]),
        ('<think>t</think><answer>["a"]</answer>', ["bad-json"]),
        ("<think>t</think><answer>" + "[" * 100_000 + "</answer>", ["bad-json"]),
        ('<think>t</think><answer>{"query": "a", "query": "b"}</answer>', ["bad-json"]),
        ('<think>t</think><answer>{"query": "\\ud800"}</answer>', ["bad-json"]),
        ('<think>t</think><answer>```json\n{"query": "a"}\n```</answer>', ["bad-json"]),
        ('<think>t</think><answer>{"q": "a"}</answer>', ["no-query"]),
        ('<think>t</think><answer>{"query": ["a"]}</answer>', ["no-query"]),
        ('<think>t</think><answer>{"query": null}</answer>', ["no-query"]),
        ('<think>t</think><answer>{"sql": "SELECT 1"}</answer>', ["no-query"]),
        ('<think>t</think><answer>{"query": " \\n "}</answer>', ["empty-query"]),
        ('<THINK>t</THINK><answer>{"query": "a"}</answer>', ["missing-tag", "missing-tag"]),
    ],
)
def test_each_fault_has_its_name(text: str, expected: list[str]) -> None:
    assert kinds(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        'Here it is: <think></think> so <answer>\n{"query": "a"}\n</answer> done.',
        '<think>t</think><answer>{"why": 1, "query": "a"}</answer>',
        '<think>a { b [</think><answer>{"query": "a"}</answer>',
    ],
)
def test_what_the_format_does_not_forbid_is_right(text: str) -> None:
    assert kinds(text) == []


def test_bad_json_tells_its_column_in_the_answer() -> None:
    text = '<think>t</think><answer> {"query" "a"}</answer>'
    (flaw,) = parse_completion(text, syntax="pubmed").problems
    assert (flaw.kind, flaw.column) == ("bad-json", 10)
    assert str(flaw).startswith("bad-json, column 10: ")


def test_without_reasoning_the_answer_is_enough_and_a_thought_is_let_pass() -> None:
    assert kinds('<answer>{"query": "a"}</answer>', reasoning=False) == []
    assert kinds(RIGHT, reasoning=False) == []
    assert kinds("a", reasoning=False) == ["missing-tag", "missing-tag"]


def test_sql_has_its_own_key() -> None:
    text = '<think>t</think><answer>{"sql": "SELECT \\"x\\""}</answer>'
    rewrite = parse_completion(text, syntax="sql")
    assert (rewrite.well_formed, rewrite.expression) == (True, 'SELECT "x"')
    assert kinds('<think>t</think><answer>{"query": "a"}</answer>', syntax="sql") == ["no-query"]


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ('aspirin AND stroke"', "aspirin AND stroke"),
        ('aspirin AND stroke"}', "aspirin AND stroke"),
        ('aspirin AND stroke"}</answer>', "aspirin AND stroke"),
        ('aspirin" }\n</ans', "aspirin"),
        (' aspirin"\n', "aspirin"),
        ('\\"heart attack\\"[ti]"}', '"heart attack"[ti]'),
        ('a\\\\"', "a\\"),
        ('a", "b": 1}</answer>', "a"),
        ('a", "b": ', "a"),
        ('a"</answer>', "a"),
        ('a"\n\nHere is why', "a"),
        ('a"}{"query": "b"}', "a"),
        ('a"}</answer> and a last word', "a"),
    ],
)
def test_a_prefilled_answer_ends_at_its_closing_quote(text: str, expression: str) -> None:
    rewrite = parse_completion(text, syntax="pubmed", reasoning=False, prefill=PREFILL)
    assert (rewrite.problems, rewrite.expression) == ((), expression)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("aspirin AND str", ["missing-tag"]),  # cut off at the length limit
        ('\\"heart attack\\"', ["missing-tag"]),  # the phrase is closed, the answer is not
        ('"heart attack" AND aspirin', ["missing-tag"]),
        ('"heart attack"}', ["bad-json"]),
        ('"', ["empty-query"]),
        (' "}', ["empty-query"]),
        ('heart "attack" now"}</answer>', ["bad-json"]),
        ('a" and then some', ["missing-tag"]),
        ('a\nb"}', ["bad-json"]),
        ('<answer>{"query": "a"}</answer>', ["repeated-tag"]),  # began anew in spite of the prefill
    ],
)
def test_a_prefill_forgives_nothing_else(text: str, expected: list[str]) -> None:
    assert kinds(text, reasoning=False, prefill=PREFILL) == expected


def test_a_prefilled_thought_counts_as_begun() -> None:
    prefill = prefill_of("pubmed", reasoning=True)
    rest = RIGHT.removeprefix("<think>")
    assert kinds(rest, prefill=prefill) == []
    assert kinds(RIGHT, prefill=prefill) == ["repeated-tag"]


@pytest.mark.parametrize("syntax", ["pubmed", "sql"])
@pytest.mark.parametrize("reasoning", [True, False])
def test_a_sampler_that_cuts_the_stop_string_off_loses_nothing(
    syntax: str, reasoning: bool
) -> None:
    prefill = prefill_of(syntax, reasoning=reasoning)
    key = "sql" if syntax == "sql" else "query"
    whole = f'<answer>{{"{key}": "SELECT 1"}}</answer>'
    if reasoning:
        whole = f"<think>t</think>{whole}"
    completion = whole.removeprefix(prefill)
    cuts = [completion.find(stop) for stop in stops_of(prefill) if stop in completion]
    cut = completion[: min(cuts)]
    parse = {"syntax": syntax, "reasoning": reasoning, "prefill": prefill}
    assert not parse_completion(cut, **parse).well_formed  # type: ignore[arg-type]
    assert parse_completion(with_stop(cut, prefill), **parse).well_formed  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ('{"query": "aspirin"}', "aspirin"),
        ("<answer>```json\n{'query': 'aspirin'}\n```</answer>", "aspirin"),
        ("I cannot say.", ""),
    ],
)
def test_a_malformed_completion_is_read_as_far_as_it_goes(text: str, seen: str) -> None:
    rewrite = parse_completion(text, syntax="pubmed")
    assert (rewrite.well_formed, rewrite.expression) == (False, seen)


@given(st.text(), st.booleans(), st.sampled_from(["pubmed", "text", "sql"]), st.booleans())
def test_no_text_is_too_bad_to_read(
    text: str, reasoning: bool, syntax: str, prefilled: bool
) -> None:
    prefill = prefill_of(syntax, reasoning=reasoning) if prefilled else ""
    rewrite = parse_completion(text, syntax=syntax, reasoning=reasoning, prefill=prefill)
    assert rewrite.well_formed == (not rewrite.problems)
    rewrite.expression.encode()


@given(st.text(st.characters(exclude_categories=["Cs"])), st.booleans())
def test_every_expression_comes_back_as_it_was_written(expression: str, prefilled: bool) -> None:
    prefill = PREFILL if prefilled else ""
    tags = ("<think>", "</think>", "<answer>", "</answer>")
    answer = "<answer>" + json.dumps({"query": expression}) + "</answer>"
    rewrite = parse_completion(
        answer.removeprefix(prefill), syntax="pubmed", reasoning=False, prefill=prefill
    )
    if any(tag in expression for tag in tags):
        assert not rewrite.well_formed
    elif not expression.strip():
        assert [flaw.kind for flaw in rewrite.problems] == ["empty-query"]
    else:
        assert (rewrite.well_formed, rewrite.expression) == (True, expression.strip())


def test_a_syntax_error_is_told_with_its_place() -> None:
    flaw = Flaw("syntax-error", "AND has nothing to its right", 9)
    assert str(flaw) == "syntax-error, column 9: AND has nothing to its right"
