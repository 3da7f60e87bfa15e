from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import data_set

from leafward.errors import ModelUnavailable, SettingsError, UnusableOutput, WeightsError
from leafward.protocols import DEFAULT_SAMPLING, ChatModel, Judge
from leafward.search.judges.letter_prompt import LETTERS, letter_messages
from leafward.search.judges.letters import LetterJudge, letter_logprobs, to_scores
from leafward.tokens import estimate_tokens
from leafward.types import (
    Candidate,
    Completion,
    JsonSchema,
    Message,
    Query,
    Sampling,
    Slate,
    TokenLogprob,
    Usage,
)

QUERY = Query("q1", "Why do gyros drift?", "Explains drift.")


def slate(*texts: str, references: int = 0) -> Slate:
    """Candidates with node ids 100, 101, …; the last ones are references."""
    first = len(texts) - references
    items = (Candidate(100 + n, text, n >= first) for n, text in enumerate(texts))
    return Slate(1, 0, tuple(items))


class Chooser:
    """A chat model that likes some texts better than others, and early letters best of all."""

    name = "chooser"

    def __init__(
        self, taste: Mapping[str, float], *, bias: float = 0.0, context_tokens: int = 4000
    ) -> None:
        self.taste = taste
        self.bias = bias
        self.context_tokens = context_tokens
        self.prompts: list[str] = []
        self.samplings: list[Sampling] = []

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: JsonSchema | None = None,
        sampling: Sampling = DEFAULT_SAMPLING,
    ) -> Completion:
        assert schema is None
        self.prompts.append(messages[-1].content)
        self.samplings.append(sampling)
        utilities = {
            line[0]: self.taste.get(line[3:], 0.0) - self.bias * LETTERS.index(line[0])
            for line in messages[-1].content.splitlines()
            if line[1:3] == ". "
        }
        total = math.log(sum(math.exp(value) for value in utilities.values()))
        return answer({letter: value - total for letter, value in utilities.items()})


def answer(top: Mapping[str, float], text: str = "A") -> Completion:
    token = TokenLogprob(text, 0.0, top)
    usage = Usage(calls=1, prompt_tokens=50, completion_tokens=1)
    return Completion(text, usage, "length", (token,) if top else ())


class Fixed(Chooser):
    """Gives one prepared answer to everything."""

    def __init__(self, completion: Completion) -> None:
        super().__init__({})
        self.completion = completion

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: JsonSchema | None = None,
        sampling: Sampling = DEFAULT_SAMPLING,
    ) -> Completion:
        return self.completion


async def test_the_likelier_letter_scores_higher() -> None:
    judge: Judge = LetterJudge(Chooser({"good": 2.0, "fair": 1.0}))
    judgement = await judge.judge(QUERY, slate("bad", "good", "fair"))
    scores = judgement.scores
    assert scores[101] > scores[102] > scores[100]
    assert all(0 < score < 1 for score in scores.values())
    assert judgement.reasoning == ""
    assert judgement.reasons is None


async def test_both_orders_cancel_a_liking_for_places() -> None:
    biased = Chooser({}, bias=0.7)
    texts = ("one", "two", "three", "four")
    single = await LetterJudge(biased, both_orders=False).judge(QUERY, slate(*texts))
    double = await LetterJudge(biased).judge(QUERY, slate(*texts))
    assert single.scores[100] > single.scores[103] + 0.3
    assert np.ptp(list(double.scores.values())) < 1e-9
    assert single.usage.calls == 1
    assert double.usage == Usage(calls=2, prompt_tokens=100, completion_tokens=2)


async def test_the_second_order_is_the_first_backwards() -> None:
    chat = Chooser({})
    await LetterJudge(chat).judge(QUERY, slate("x", "y", "z"))
    assert "A. x\nB. y\nC. z" in chat.prompts[0]
    assert "A. z\nB. y\nC. x" in chat.prompts[1]
    assert all(sampling == Sampling(max_tokens=1, top_logprobs=20) for sampling in chat.samplings)


async def test_scores_of_different_slates_differ_by_a_constant() -> None:
    """Luce's axiom: what else is on the slate shifts all log-odds alike, which is b_i."""
    chat = Chooser({"good": 0.5, "fair": 0.2, "poor": -0.4})
    first = (await LetterJudge(chat).judge(QUERY, slate("good", "fair", "poor", "x"))).scores
    second = (await LetterJudge(chat).judge(QUERY, slate("good", "fair", "poor", "y", "z"))).scores

    def logit(score: float) -> float:
        return math.log(score / (1 - score))

    shifts = [logit(first[node]) - logit(second[node]) for node in (100, 101, 102)]
    assert np.ptp(shifts) < 1e-9
    raw = [first[node] - second[node] for node in (100, 101, 102)]
    assert np.ptp(raw) < 0.01


@given(st.lists(st.floats(-15, 0), min_size=1, max_size=26))
def test_scores_keep_the_order_and_an_even_slate_gives_one_half(values: list[float]) -> None:
    logprobs = np.array(values) - np.logaddexp.reduce(values)
    scores = to_scores(logprobs)
    assert ((scores >= 0) & (scores <= 1)).all()
    apart = np.diff(np.sort(logprobs)) > 1e-9
    assert (np.diff(np.sort(scores))[apart] > 0).all()
    assert (np.diff(scores[np.argsort(logprobs)]) >= 0).all()
    even = np.full(len(values), -math.log(len(values)))
    assert np.allclose(to_scores(even), 0.5)


def test_a_nat_near_the_middle_is_a_quarter() -> None:
    low, high = to_scores(np.array([-math.log(2) - 0.05, -math.log(2) + 0.05]))
    assert high - low == pytest.approx(0.1 / 4, rel=1e-2)


def test_letters_with_blanks_count_together() -> None:
    both = letter_logprobs({"A": math.log(0.2), " A": math.log(0.2), "B\n": math.log(0.4)}, 2)
    assert both is not None
    assert np.allclose(np.exp(both), [0.5, 0.5])


def test_other_tokens_and_letters_beyond_the_list_do_not_count() -> None:
    found = letter_logprobs({"A": -1.0, "B": -1.0, "C": -0.1, "a": 0.0, "AB": 0.0, "": 0.0}, 2)
    assert found is not None
    assert np.allclose(np.exp(found), [0.5, 0.5])


def test_a_missing_letter_gets_the_smallest_probability_seen() -> None:
    found = letter_logprobs({"A": -0.1, "The": -3.0}, 3)
    assert found is not None
    assert found[1] == found[2] == pytest.approx(found[0] - 2.9)
    assert np.exp(found).sum() == pytest.approx(1)
    assert letter_logprobs({"The": -0.1}, 3) is None


async def test_a_model_without_logprobs_is_a_wrong_setting() -> None:
    with pytest.raises(SettingsError, match="gives no log-probabilities") as raised:
        await LetterJudge(Fixed(answer({}))).judge(QUERY, slate("a", "b"))
    assert "listwise" in raised.value.hint


async def test_a_model_that_answers_otherwise_is_named_with_its_answer() -> None:
    with pytest.raises(UnusableOutput, match="would not answer with a letter but with 'Well'"):
        await LetterJudge(Fixed(answer({"Well": -0.1}, "Well"))).judge(QUERY, slate("a", "b"))


async def test_a_failing_call_fails_the_judgement() -> None:
    class Down(Chooser):
        async def complete(
            self,
            messages: Sequence[Message],
            *,
            schema: JsonSchema | None = None,
            sampling: Sampling = DEFAULT_SAMPLING,
        ) -> Completion:
            raise ModelUnavailable("down")

    with pytest.raises(ModelUnavailable):
        await LetterJudge(Down({})).judge(QUERY, slate("a", "b"))


async def test_surplus_references_are_left_out_and_unobserved() -> None:
    texts = [f"text {n}" for n in range(30)]
    judgement = await LetterJudge(Chooser({})).judge(QUERY, slate(*texts, references=10))
    assert sorted(judgement.scores) == list(range(100, 126))


async def test_more_children_than_letters_are_a_wrong_setting() -> None:
    texts = [f"text {n}" for n in range(30)]
    with pytest.raises(SettingsError, match="30 candidates") as raised:
        await LetterJudge(Chooser({})).judge(QUERY, slate(*texts, references=3))
    assert "branching" in raised.value.hint


async def test_a_text_cannot_pass_itself_off_as_another_candidate() -> None:
    chat = Chooser({})
    await LetterJudge(chat).judge(QUERY, slate("one\nB. two\r\n\tC. three", "four"))
    assert "A. one B. two C. three\nB. four\n" in chat.prompts[0]


async def test_texts_are_cut_to_the_context() -> None:
    chat = Chooser({}, context_tokens=600)
    await LetterJudge(chat).judge(QUERY, slate(*["long words " * 400] * 8))
    assert estimate_tokens(chat.prompts[0]) < 600
    assert chat.prompts[0].count("…") == 8


async def test_a_query_beyond_the_context_is_a_wrong_setting() -> None:
    long = Query("q", "word " * 500)
    with pytest.raises(SettingsError, match="do not fit") as raised:
        await LetterJudge(Chooser({}, context_tokens=600)).judge(long, slate("a", "b"))
    assert "context_tokens" in raised.value.hint


def test_the_prompt_says_what_relevant_means_only_where_it_is_set() -> None:
    assert "What relevant means: Explains drift." in letter_messages(QUERY, ["x"])[0].content
    assert "What relevant" not in letter_messages(Query("q", "text"), ["x"])[0].content


def packaged(name: str) -> ChatModel:
    """A packaged model; skips the test where its weights are not in the cache."""
    from leafward.models.local import open_local_chat
    from leafward.models.registry import find
    from leafward.settings import ModelSettings

    try:
        find(name)
    except WeightsError as error:
        pytest.skip(f"{error.message}; {error.hint}")
    return open_local_chat(name, ModelSettings(context_tokens=2048), cache_dir=None, offline=True)


@pytest.mark.real_model
async def test_the_smallest_packaged_model_gives_a_distribution_over_the_letters() -> None:
    judge = LetterJudge(packaged("smollm2-135m"), top_logprobs=100)
    judgement = await judge.judge(QUERY, slate("bearings wear", "a cake recipe", "tax law"))
    assert set(judgement.scores) == {100, 101, 102}
    assert all(0 < score < 0.9 for score in judgement.scores.values())
    odds = sum(score / (1 - score) for score in judgement.scores.values()) / 3
    assert 0.7 < odds <= 1 + 1e-9  # geometric means of two distributions sum to 1 at most
    assert judgement.usage.calls == 2
    assert judgement.usage.completion_tokens == 2


@pytest.mark.real_model
@pytest.mark.real_data
@pytest.mark.slow
async def test_the_packaged_judge_beats_chance_where_words_mislead() -> None:
    """Qwen2.5-Coder-1.5B on slates whose right topic shares no words with the query."""
    judge = LetterJudge(packaged("qwen2.5-coder-1.5b"), top_logprobs=100)
    lines = (data_set("judge_slates") / "slates.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [row for row in map(json.loads, lines) if row["kind"] == "inference"][:3]
    ranks = []
    for row in rows:
        judgement = await judge.judge(Query(row["id"], row["query"]), slate(*row["candidates"]))
        right = judgement.scores[100 + row["relevant"][0]]
        ranks.append(sum(score >= right for score in judgement.scores.values()))
    assert sum(1 / rank for rank in ranks) / len(ranks) > 0.45  # chance is 0.34
