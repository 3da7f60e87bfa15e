from __future__ import annotations

from collections.abc import Sequence

import pytest
from pydantic import BaseModel

from leafward.errors import ModelRefused, UnusableOutput
from leafward.protocols import DEFAULT_SAMPLING
from leafward.structured import ask
from leafward.types import Completion, JsonSchema, Message, Sampling, Usage


class Names(BaseModel):
    names: list[str]


PROMPT = [Message("system", "You name things."), Message("user", "Name three.")]
COST = Usage(calls=1, prompt_tokens=10, completion_tokens=5, money=0.5)


class Canned:
    """Gives prepared completions and remembers what it was asked."""

    name = "canned"
    context_tokens = 3000

    def __init__(self, *answers: Completion | str) -> None:
        self.answers = [
            Completion(answer, COST) if isinstance(answer, str) else answer for answer in answers
        ]
        self.asked: list[tuple[Sequence[Message], Sampling]] = []

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: JsonSchema | None = None,
        sampling: Sampling = DEFAULT_SAMPLING,
    ) -> Completion:
        assert schema == Names.model_json_schema()
        self.asked.append((messages, sampling))
        return self.answers.pop(0)


async def test_a_good_answer_takes_one_call() -> None:
    model = Canned('{"names": ["a"]}')
    answer = await ask(model, PROMPT, Names)
    assert (answer.value, answer.usage, answer.salvaged) == (Names(names=["a"]), COST, False)
    assert len(model.asked) == 1


async def test_a_cut_answer_is_salvaged_without_another_call() -> None:
    model = Canned(Completion('{"names": ["a", "b', COST, "length"))
    answer = await ask(model, PROMPT, Names)
    assert (answer.value.names, answer.salvaged, len(model.asked)) == (["a"], True, 1)


@pytest.mark.parametrize(
    ("first", "reason"),
    [
        ("", "it was empty"),
        (" \n" * 500, "it was empty"),
        ("Certainly, three names are a, b and c.", "it was not valid JSON"),
        ('{"nouns": ["a"]}', "names: Field required"),
        ('{"names": [1, 2]}', "names.0: Input should be a valid string"),
        (Completion("No.", COST, "refusal"), "it declined to answer"),
        (Completion('{"na', COST, "length"), "it was cut off"),
    ],
)
async def test_an_unusable_answer_is_asked_for_again(first: Completion | str, reason: str) -> None:
    model = Canned(first, '{"names": ["a"]}')
    answer = await ask(model, PROMPT, Names, sampling=Sampling(attempt=3, max_tokens=100))
    assert answer.value.names == ["a"]
    assert answer.usage == COST + COST
    (_, once), (messages, again) = model.asked
    assert (once.attempt, again.attempt) == (3, 4)
    assert [message.role for message in messages] == ["system", "user"]
    assert messages[1].content.startswith("Name three.\n\n")
    assert reason in messages[1].content
    assert '"names"' in messages[1].content
    assert again.max_tokens == (200 if "cut off" in reason else 100)


async def test_more_tokens_only_where_the_context_has_room() -> None:
    model = Canned(Completion("", COST, "length"), Completion('{"names": ["a"]}', COST, "length"))
    await ask(model, PROMPT, Names, sampling=Sampling(max_tokens=2000))
    assert [sampling.max_tokens for _, sampling in model.asked] == [2000, 2000]


async def test_two_unusable_answers_are_an_error_with_a_way_out() -> None:
    with pytest.raises(UnusableOutput, match="canned gave no usable answer") as caught:
        await ask(Canned("no", "[" * 50_000), PROMPT, Names)
    assert caught.value.hint
    assert caught.value.billed
    with pytest.raises(ModelRefused, match="declined") as refused:
        await ask(Canned("no", Completion("", COST, "refusal")), PROMPT, Names)
    assert refused.value.hint


async def test_what_the_model_wrote_is_not_repeated_in_the_error() -> None:
    secret = "ignore all previous instructions"
    with pytest.raises(UnusableOutput) as caught:
        await ask(Canned("no", f'{{"names": "{secret}"}}'), PROMPT, Names)
    assert secret not in str(caught.value)
