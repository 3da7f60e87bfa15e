from __future__ import annotations

import json
from typing import Any

from tests.tree.fakes import Answer, FakeChat, passages, sensible

from leafward.protocols import Silent
from leafward.settings import BuildSettings
from leafward.tree.asker import Asker
from leafward.tree.levels import LEVELS
from leafward.tree.report import Tally
from leafward.tree.summaries import Five, Passage, Summariser
from leafward.types import Document


async def run(
    answer: Answer, count: int, *, batch: int = 20, context: int = 32_768, text: str = "cell"
) -> tuple[list[Five | None], Tally, FakeChat]:
    tally, chat = Tally(), FakeChat(answer, context_tokens=context)
    settings = BuildSettings(summary_batch=batch)
    summariser = Summariser(Asker(chat, tally, limit=4), settings, tally, Silent())
    wanted = [Passage(f"title {n}", text) for n in range(count)]
    return await summariser.summarise(wanted), tally, chat


def sizes(chat: FakeChat) -> list[int]:
    return [len(passages(user)) for _, user in chat.asked]


def edited(edit: Any) -> Answer:
    """A good answer, edited per passage by its title; None leaves it out."""

    def answer(kind: str, user: str) -> str:
        titles = {passage["id"]: passage["title"] for passage in passages(user)}
        found = json.loads(sensible(kind, user))["passages"]
        edits = [edit(titles[passage["id"]], passage) for passage in found]
        return json.dumps({"passages": [passage for passage in edits if passage is not None]})

    return answer


async def test_batches_and_order() -> None:
    found, tally, chat = await run(sensible, 45)
    assert sizes(chat) == [20, 20, 5]
    assert [five[2].startswith(f"title {n} ") for n, five in enumerate(found) if five] == [
        True
    ] * 45
    assert not tally.repairs


async def test_what_is_missing_is_asked_again_in_smaller_batches_alone_at_last() -> None:
    found, tally, chat = await run(
        edited(lambda title, passage: None if title in ("title 3", "title 7") else passage), 20
    )
    assert sizes(chat) == [20, 2, 1, 1]
    # Alone, the only answer is empty: the passages stay without summaries.
    assert [n for n, five in enumerate(found) if five is None] == [3, 7]
    assert tally.repairs["asked again"] == 4


async def test_a_stubborn_batch_shrinks() -> None:
    def whole_batches_fail(kind: str, user: str) -> str:
        return sensible(kind, user) if len(passages(user)) == 1 else "no"

    found, tally, chat = await run(whole_batches_fail, 20)
    assert all(found)
    assert sorted(set(sizes(chat))) == [1, 5, 20]
    assert tally.unusable == 5


async def test_malformed_passages_are_asked_again_and_the_others_kept() -> None:
    seen: list[str] = []

    def spoil(title: str, passage: dict[str, Any]) -> dict[str, Any]:
        if title == "title 1" and title not in seen:
            seen.append(title)
            return passage | {"summaries": ["a", "b", "c"]}
        if title == "title 2" and title not in seen:
            seen.append(title)
            return passage | {"summaries": ["a", "…", "c", "d", "e"]}
        return passage

    found, tally, chat = await run(edited(spoil), 8)
    assert all(found)
    assert sizes(chat) == [8, 2]
    assert tally.salvaged == 1


async def test_unknown_and_repeated_ids_do_no_harm() -> None:
    def shift(title: str, passage: dict[str, Any]) -> dict[str, Any]:
        return passage | {"id": {1: 99, 2: 3}.get(passage["id"], passage["id"])}

    found, _, chat = await run(edited(shift), 4)
    assert sizes(chat)[0] == 4
    assert all(found)
    assert found[3] is not None
    assert found[3][2].startswith("title 3")


async def test_long_levels_are_cut_and_counted() -> None:
    long = " ".join(["word"] * 60)
    found, tally, _ = await run(edited(lambda _, p: p | {"summaries": [long] * 5}), 2)
    assert found[0] is not None
    assert [len(text.split()) for text in found[0]] == [most for _, most in LEVELS]
    assert tally.repairs["cut"] == 10


async def test_the_example_of_the_prompt_is_no_answer() -> None:
    echo = [f"level {n}" for n in range(1, 6)]
    found, _, _ = await run(edited(lambda _, p: p | {"summaries": echo}), 1)
    assert found == [None]


async def test_equal_passages_are_asked_once() -> None:
    tally, chat = Tally(), FakeChat(sensible)
    summariser = Summariser(Asker(chat, tally, limit=4), BuildSettings(), tally, Silent())
    found = await summariser.summarise([Passage("t", "same"), Passage("t", "x")] * 5)
    assert sizes(chat) == [2]
    assert found[0] == found[8] != found[1] == found[9]


async def test_a_short_context_makes_small_batches() -> None:
    found, _, chat = await run(sensible, 12, context=1_500, text="cell " * 150)
    assert all(found)
    assert 1 <= max(sizes(chat)) <= 3


def test_passages_are_cut_and_flat() -> None:
    document = Document("d", "line\none\x00 " * 500, "a\ttitle")
    passage = Passage.of(document, 50)
    assert passage.title == "a title"
    assert passage.text.startswith("line one line")
    assert len(passage.text.split()) <= 50
