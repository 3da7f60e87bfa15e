"""Who writes: a model in the completion format, or a rule that costs nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from tests.writing.fakes import answer

from leafward.errors import SettingsError
from leafward.protocols import DEFAULT_SAMPLING
from leafward.types import Completion, Flaw, JsonSchema, Message, Need, Rewrite, Sampling, Usage
from leafward.writing import Style
from leafward.writing.candidates import Bounds, Candidate, best
from leafward.writing.methods import METHODS, asks_model, make_writer
from leafward.writing.words import content_words
from leafward.writing.writers import ModelWriter

PICO = Need(
    "1",
    "Low-dose aspirin 100 mg versus placebo: risk of stroke",
    {"I": "Low-dose aspirin 100 mg daily", "C": "placebo", "O": "risk of stroke"},
)


@dataclass
class FakeChat:
    """Answers in turn; keeps what it was asked."""

    replies: Sequence[Completion]
    name: str = "fake"
    context_tokens: int = 4096
    asked: list[tuple[Sequence[Message], Sampling]] = field(default_factory=list)

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: JsonSchema | None = None,
        sampling: Sampling = DEFAULT_SAMPLING,
    ) -> Completion:
        self.asked.append((messages, sampling))
        return self.replies[(len(self.asked) - 1) % len(self.replies)]


def chat(*texts: str, finish: str = "stop") -> FakeChat:
    usage = Usage(calls=1, completion_tokens=7)
    return FakeChat([Completion(text, usage, finish) for text in texts])  # type: ignore[arg-type]


async def test_an_answer_without_an_end_is_told_as_one() -> None:
    looping = chat('<think>a</think><answer>{"query": "a OR a OR', finish="length")
    rewrite = await ModelWriter(looping, Style("pubmed"), max_tokens=9).write(PICO)
    assert [flaw.kind for flaw in rewrite.problems] == ["cut-off", "missing-tag"]
    assert "after 9 tokens" in rewrite.problems[0].message
    complete = chat(answer("a", thought="b"), finish="length")
    assert (await ModelWriter(complete, Style("pubmed")).write(PICO)).problems == ()


async def test_a_model_is_asked_in_its_style_and_read() -> None:
    model = chat(answer("aspirin AND stroke", thought="both"))
    style = Style("pubmed", shots=1)
    rewrite = await ModelWriter(model, style).write(PICO)
    assert (rewrite.expression, rewrite.reasoning) == ("aspirin AND stroke", "both")
    assert (rewrite.well_formed, rewrite.usage.completion_tokens) == (True, 7)
    ((messages, sampling),) = model.asked
    assert messages == style.prompt(PICO).messages
    assert (sampling.temperature, sampling.stop, sampling.max_tokens) == (0.0, (), 500)


async def test_other_attempts_are_sampled_each_on_its_own() -> None:
    model = chat(answer("a"))
    writer = ModelWriter(model, Style("pubmed"))
    for attempt in (1, 2):
        await writer.write(PICO, attempt=attempt)
    samplings = [sampling for _, sampling in model.asked]
    assert [(each.temperature, each.seed) for each in samplings] == [(0.8, 1), (0.8, 2)]


@pytest.mark.parametrize(
    ("text", "finish", "well_formed"),
    [
        ("aspirin AND stroke", "stop", True),  # the stop string is cut off
        ("aspirin AND stroke", "length", False),  # the length limit
        ("<answer>" + '{"query": "aspirin AND stroke"}</answer>', "stop", True),  # began anew
    ],
)
async def test_a_prefilled_answer_is_read_whatever_the_server_makes_of_it(
    text: str, finish: str, well_formed: bool
) -> None:
    model = chat(text, finish=finish)
    style = Style("pubmed", reasoning=False, prefilled=True)
    rewrite = await ModelWriter(model, style).write(PICO)
    assert rewrite.well_formed == well_formed
    assert rewrite.expression == ("aspirin AND stroke" if well_formed else "")
    ((messages, sampling),) = model.asked
    assert messages[-1] == Message("assistant", '<answer>{"query": "')
    assert sampling.stop


async def test_a_need_beyond_the_context_is_cut_part_by_part() -> None:
    model = chat(answer("a"))
    model.context_tokens = 1100
    long = Need("1", "word " * 5000, {"I": "drug " * 5000, "O": "pain " * 5000})
    await ModelWriter(model, Style("pubmed")).write(long)
    ((messages, _),) = model.asked
    told = messages[-1].content
    assert len(told) < 4000
    assert told.count("drug") == pytest.approx(told.count("pain"), abs=2)
    assert told.count("drug") > 20


@pytest.mark.parametrize(
    ("method", "pubmed", "text"),
    [
        ("need", PICO.text, PICO.text),
        (
            "all-words",
            "low-dose AND aspirin AND mg AND placebo AND risk AND stroke",
            "low-dose aspirin mg placebo risk stroke",
        ),
        ("three-words", "low-dose AND aspirin AND mg", "low-dose aspirin mg"),
    ],
)
async def test_baselines_without_a_model(method: str, pubmed: str, text: str) -> None:
    assert not asks_model(method)
    for syntax, expected in (("pubmed", pubmed), ("text", text)):
        writer = make_writer(method, Style(syntax), lambda: pytest.fail("no model is needed"))
        assert await writer.write(PICO) == Rewrite(expected)


async def test_three_words_of_a_plain_need_are_its_own() -> None:
    writer = make_writer("three-words", Style("pubmed"), lambda: chat())
    need = Need("1", "Does the coffee raise blood pressure?")
    assert (await writer.write(need)).expression == "coffee AND raise AND blood"


async def test_few_shot_shows_every_example() -> None:
    model = chat(answer("a"))
    await make_writer("few-shot", Style("pubmed"), lambda: model).write(PICO)
    ((messages, _),) = model.asked
    assert [turn.role for turn in messages].count("assistant") == 2


async def test_a_hypothetical_document_says_which_words_to_join() -> None:
    passage = '{"passage": "In this trial aspirin lowered the risk of a second stroke."}'
    boolean = await make_writer("hyde", Style("pubmed"), lambda: chat(passage)).write(PICO)
    assert boolean.expression == "aspirin AND risk AND stroke"
    assert boolean.reasoning.startswith("In this trial")
    ranked = await make_writer("hyde", Style("text"), lambda: chat(passage)).write(PICO)
    assert ranked.expression.startswith("In this trial")


@pytest.mark.parametrize("method", [each for each in METHODS if "shot" not in each])
def test_words_are_no_sql(method: str) -> None:
    with pytest.raises(SettingsError, match="no SQL") as caught:
        make_writer(method, Style("sql", schema="t(a)"), lambda: chat())
    assert caught.value.hint


def test_an_unknown_method_is_told() -> None:
    with pytest.raises(SettingsError, match="telepathy"):
        make_writer("telepathy", Style("text"), lambda: chat())


def test_content_words() -> None:
    assert content_words("The effect of IL-6 (100 mg) on the IL-6") == ["effect", "il-6", "mg"]
    assert content_words("to be or not to be") == ["to", "be", "or", "not"]
    assert content_words("?") == []


def candidate(total: int | None, expression: str = "x", *, wrong: str = "") -> Candidate:
    problems = (Flaw(wrong, ""),) if wrong else ()  # type: ignore[arg-type]
    formed = wrong in ("", "syntax-error")
    return Candidate(Rewrite(expression, well_formed=formed, problems=problems), total)


def test_the_best_candidate_is_within_bounds_or_the_nearest_to_them() -> None:
    bounds = Bounds(10, 100)
    ordered = [
        candidate(50),
        candidate(70, wrong="missing-tag"),
        candidate(9),
        candidate(150),
        candidate(1),
        candidate(2000),
        candidate(0),
        candidate(None),
        candidate(None, wrong="syntax-error"),
        candidate(None, "", wrong="bad-json"),
    ]
    for place, expected in enumerate(ordered):
        assert best(list(reversed(ordered[place:])), bounds) is expected
    first, second = candidate(50), candidate(60)
    assert best([first, second], bounds) is first
    assert best([second, first], bounds) is second


def test_nothing_found_may_be_wished_for() -> None:
    assert Bounds(0, 5).distance(0) == 0.0
    assert best([candidate(6), candidate(0)], Bounds(0, 5)).total == 0


@pytest.mark.parametrize("bounds", [(5, 4), (-1, 3)])
def test_bounds_that_hold_nothing_are_refused(bounds: tuple[int, int]) -> None:
    with pytest.raises(SettingsError) as caught:
        Bounds(*bounds)
    assert caught.value.hint
