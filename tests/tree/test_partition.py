from __future__ import annotations

import json
from typing import Any

import numpy as np
from tests.tree.fakes import Answer, FakeChat

from leafward.settings import BuildSettings
from leafward.tree.asker import Asker
from leafward.tree.partition import Part, Partitioner
from leafward.tree.pool import Pool
from leafward.tree.report import Tally

NAMES = ["ants", "bees", "cats", "dogs", "elks", "foxes", "gnus", "hens"]


def pool(names: list[str] = NAMES) -> Pool:
    """One item a name; the first half points one way, the second another."""
    angles = np.linspace(0, 0.3, len(names)) + (np.arange(len(names)) >= len(names) / 2)
    vectors = np.stack((np.cos(angles), np.sin(angles)), axis=1).astype(np.float32)
    return Pool(
        children=tuple(names),
        signs=tuple(names),
        summaries=tuple((name,) * 5 for name in names),
        members=tuple(np.array([number]) for number in range(len(names))),
        vectors=vectors,
        height=0,
    )


def cluster(name: str, *keywords: str) -> dict[str, Any]:
    return {"name": name, "description": f"on {name}", "keywords": list(keywords)}


def answers(*said: list[dict[str, Any]] | str) -> Answer:
    """Answers in turn."""
    rest = iter(said)

    def answer(kind: str, user: str) -> str:
        value = next(rest)
        return value if isinstance(value, str) else json.dumps({"clusters": value})

    return answer


async def split(
    answer: Answer, items: Pool | None = None, branching: int = 4
) -> tuple[list[tuple[str, list[int]]] | None, Tally, FakeChat]:
    tally, chat = Tally(), FakeChat(answer)
    settings = BuildSettings(branching=branching, min_clusters=2)
    partitioner = Partitioner(Asker(chat, tally, limit=2), settings, tally)
    parts = await partitioner.partition(items or pool(), 4)
    return None if parts is None else [_shown(part) for part in parts], tally, chat


def _shown(part: Part) -> tuple[str, list[int]]:
    return part.name, part.items.tolist()


async def test_a_sound_answer_is_taken_as_it_is() -> None:
    found, tally, chat = await split(answers([cluster("a", *NAMES[:4]), cluster("b", *NAMES[4:])]))
    assert found == [("a", [0, 1, 2, 3]), ("b", [4, 5, 6, 7])]
    assert not tally.repairs
    assert len(chat.asked) == 1
    assert '"ants" (1)' in chat.asked[0][1]
    assert "into 2 to 4 clusters" in chat.asked[0][1]


async def test_echoed_counts_case_and_space_are_forgiven() -> None:
    a = cluster("a", "ANTS (1)", " bees", '"cats"', "dogs  [1]")
    found, tally, _ = await split(answers([a, cluster("b", *NAMES[4:])]))
    assert found == [("a", [0, 1, 2, 3]), ("b", [4, 5, 6, 7])]
    assert not tally.repairs


async def test_invented_repeated_and_empty_are_dropped() -> None:
    said = [
        cluster("a", *NAMES[:4], "unicorns"),
        cluster("ghost", "dragons"),
        cluster("b", "ants", *NAMES[4:]),
        cluster("void"),
    ]
    found, tally, _ = await split(answers(said))
    assert found == [("a", [0, 1, 2, 3]), ("b", [4, 5, 6, 7])]
    assert dict(tally.repairs) == {"invented": 2, "repeated": 1, "empty": 2}


async def test_forgotten_keywords_are_asked_about_once_then_placed_by_embedding() -> None:
    first = [cluster("a", "ants", "bees"), cluster("b", "elks", "foxes")]
    second = [cluster("B", "cats"), cluster("new", "gnus", "hens")]
    found, tally, chat = await split(answers(first, second))
    # cats go where the model says; dogs, gnus and hens to the nearest cluster
    assert found == [("a", [0, 1, 3]), ("b", [2, 4, 5, 6, 7])]
    assert dict(tally.repairs) == {"forgotten": 4, "placed by embedding": 3}
    assert '"a": "on a"' in chat.asked[1][1]
    assert '"cats" (1)' in chat.asked[1][1]
    assert '"ants" (1)' not in chat.asked[1][1]


async def test_an_unusable_second_answer_leaves_it_to_the_embeddings() -> None:
    first = [cluster("a", "ants"), cluster("b", "hens")]
    found, tally, _ = await split(answers(first, "what?", "what?"))
    assert found == [("a", [0, 1, 2, 3]), ("b", [4, 5, 6, 7])]
    assert tally.unusable == 1


async def test_too_many_clusters_are_merged_into_the_nearest() -> None:
    said = [cluster(name, name) for name in NAMES]
    found, tally, _ = await split(answers(said))
    assert found is not None
    assert len(found) == 4
    assert sorted(i for _, items in found for i in items) == list(range(8))
    assert all(len({item >= 4 for item in items}) == 1 for _, items in found)
    assert tally.repairs["merged"] == 4


async def test_fewer_than_two_clusters_are_no_split() -> None:
    assert (await split(answers([cluster("all", *NAMES)])))[0] is None
    assert (await split(answers("no", "no")))[0] is None


async def test_the_context_bounds_prompt_and_answer_together() -> None:
    tally = Tally()
    asker = Asker(FakeChat(answers(), context_tokens=4_000), tally, limit=1)
    partitioner = Partitioner(asker, BuildSettings(branching=4), tally)
    assert partitioner.room == partitioner.context < 4_000 / 2.2
