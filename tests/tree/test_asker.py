from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from tests.tree.fakes import FakeChat

from leafward.errors import (
    BudgetExceeded,
    Interrupted,
    LeafwardError,
    ModelRejected,
    ModelTimeout,
    ModelUnavailable,
)
from leafward.tree.asker import Asker
from leafward.tree.report import Tally
from leafward.tree.shapes import GroupDescription
from leafward.types import Message

GOOD = '{"name": "n", "description": "d"}'


def asker(answer: Callable[[str], str], limit: int = 1) -> tuple[Asker, Tally, FakeChat]:
    tally, chat = Tally(), FakeChat(lambda _, user: answer(user))
    return Asker(chat, tally, limit=limit), tally, chat


async def ask(one: Asker, text: str = "?") -> GroupDescription | None:
    return await one.ask("describing", [Message("user", text)], GroupDescription, max_tokens=99)


async def test_counts_and_usage() -> None:
    one, tally, _ = asker(lambda _: GOOD)
    assert await ask(one) == GroupDescription(name="n", description="d")
    assert tally.asked["describing"] == 1
    assert tally.usage["describing"].completion_tokens == 100


async def test_unusable_answers_are_the_prompts_trouble() -> None:
    one, tally, chat = asker(lambda _: "no")
    assert await ask(one) is None
    assert await ask(one) is None
    assert (tally.unusable, len(chat.asked)) == (2, 4)  # each was asked twice


@pytest.mark.parametrize(
    "error",
    [
        BudgetExceeded("no", limit="calls"),
        Interrupted("stop"),
        ModelUnavailable("down"),
        ModelRejected("bad key"),  # nothing was answered before: it is not this prompt's trouble
        ModelTimeout("slow"),
    ],
)
async def test_after_a_fatal_error_nothing_more_is_asked(error: LeafwardError) -> None:
    def fail(_: str) -> str:
        raise error

    one, _, chat = asker(fail)
    results = await asyncio.gather(*(ask(one) for _ in range(5)), return_exceptions=True)
    assert results == [error] * 5
    assert len(chat.asked) == 1


async def test_single_timeouts_among_answers_are_tolerated_up_to_a_tenth() -> None:
    def fail(user: str) -> str:
        if user == "slow":
            raise ModelTimeout("slow")
        return GOOD

    one, tally, _ = asker(fail)
    for _ in range(20):
        await ask(one, "quick")
    for _ in range(3):
        assert await ask(one, "slow") is None
    with pytest.raises(ModelTimeout):
        await ask(one, "slow")
    assert tally.timeouts == 4
