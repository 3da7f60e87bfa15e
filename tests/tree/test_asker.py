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
        ModelRejected("bad key"),
        # Nothing was answered before: it is not this prompt's trouble alone.
        ModelRejected("unknown parameter", of_request=True),
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


async def test_single_rejections_among_answers_are_tolerated_up_to_a_tenth() -> None:
    def fail(user: str) -> str:
        if user == "long":
            raise ModelRejected("too long", of_request=True)
        return GOOD

    one, tally, _ = asker(fail)
    for _ in range(20):
        await ask(one, "short")
    for _ in range(3):
        assert await ask(one, "long") is None
    with pytest.raises(ModelRejected):
        await ask(one, "long")
    assert tally.rejected == 4


@pytest.mark.parametrize(
    "error", [ModelTimeout("slow"), ModelUnavailable("down"), ModelRejected("the key expired")]
)
async def test_an_outage_among_answers_ends_the_build(error: LeafwardError) -> None:
    def fail(user: str) -> str:
        if user == "now":
            raise error
        return GOOD

    one, tally, _ = asker(fail)
    for _ in range(20):
        await ask(one, "before")
    with pytest.raises(type(error)):
        await ask(one, "now")
    assert (tally.rejected, tally.unusable) == (0, 0)
