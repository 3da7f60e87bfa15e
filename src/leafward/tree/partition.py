"""One split of a node by the model, with every repair of tree-search §2.2."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from leafward.settings import BuildSettings
from leafward.tree import prompts
from leafward.tree.asker import Asker
from leafward.tree.levels import Choice, Entry, choose, entries, entry_tokens
from leafward.tree.lexicon import Ints
from leafward.tree.matching import Found, Matcher
from leafward.tree.pool import Pool
from leafward.tree.report import Tally
from leafward.tree.shapes import Clusters
from leafward.tree.sizes import Room
from leafward.types import Message

CLUSTER_TOKENS = 120  # name and description of one cluster in an answer
ECHO = 1.2  # answer tokens per entry token: every keyword is copied, without its count


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A cluster of a node's items, by their numbers."""

    name: str
    description: str
    items: Ints


class Partitioner:
    """Asks the model to partition a node on one level of its summaries."""

    def __init__(self, asker: Asker, settings: BuildSettings, tally: Tally) -> None:
        self._asker, self._settings, self._tally = asker, settings, tally
        self._fewest = min(settings.min_clusters, settings.branching)
        self._room = Room(asker.chat.context_tokens)
        self.context = entry_room(settings, self._room)
        self.room = min(settings.cluster_context_tokens, self.context)

    def levels(self, pool: Pool) -> Choice:
        """Levels on which to partition the node, best first."""
        return choose(
            pool.summaries,
            pool.weights,
            more_than=self._settings.branching,
            room=self.room,
            most=self.context,
        )

    async def partition(self, pool: Pool, level: int) -> list[Part] | None:
        """Two parts or more that hold every item once, or None where the model made no split."""
        shown = entries(pool.summaries, pool.weights, level)
        answer = await self._ask(
            prompts.clusters(shown, self._fewest, self._settings.branching), shown
        )
        if answer is None:
            return None
        matcher = Matcher(shown, self._tally)
        found = matcher.found(answer.clusters)
        if len(found) < 2:
            return None
        await self._ask_forgotten(shown, matcher, found)
        parts = [Part(one.name, one.description, _items(shown, one.entries)) for one in found]
        parts = self._placed(pool, parts, _items(shown, matcher.forgotten))
        return self._merged(pool, parts)

    async def _ask_forgotten(
        self, shown: Sequence[Entry], matcher: Matcher, found: Sequence[Found]
    ) -> None:
        """Ask once more about the entries that the model left out."""
        left = [shown[number] for number in matcher.forgotten]
        if not left:
            return
        self._tally.repaired("forgotten", len(left))
        known = [(cluster.name, cluster.description) for cluster in found]
        answer = await self._ask(prompts.place(known, left), left)
        if answer is not None:
            matcher.add(answer.clusters, found)
        self._tally.repaired("placed by embedding", len(matcher.forgotten))

    async def _ask(self, messages: list[Message], shown: Sequence[Entry]) -> Clusters | None:
        needed = int(ECHO * entry_tokens(shown)) + CLUSTER_TOKENS * self._settings.branching
        return await self._asker.ask(
            "clustering", messages, Clusters, max_tokens=self._room.answer(messages, needed)
        )

    def _placed(self, pool: Pool, parts: list[Part], left: Ints) -> list[Part]:
        """Put items that the model left out twice into the part with the nearest centroid."""
        if not len(left):
            return parts
        centroids = pool.centroids([part.items for part in parts])
        nearest = (pool.vectors[left] @ centroids.T).argmax(axis=1)
        return [
            Part(
                part.name,
                part.description,
                np.sort(np.concatenate((part.items, left[nearest == number]))),
            )
            for number, part in enumerate(parts)
        ]

    def _merged(self, pool: Pool, parts: list[Part]) -> list[Part]:
        """At most M parts: the lightest joins its nearest neighbour until that holds."""
        while len(parts) > self._settings.branching:
            self._tally.repaired("merged")
            weights = [sum(pool.weights[i] for i in part.items.tolist()) for part in parts]
            lightest = min(range(len(parts)), key=weights.__getitem__)
            centroids = pool.centroids([part.items for part in parts])
            similarity = centroids @ centroids[lightest]
            similarity[lightest] = -np.inf
            host, guest = parts[int(similarity.argmax())], parts[lightest]
            items = np.sort(np.concatenate((host.items, guest.items)))
            parts[int(similarity.argmax())] = Part(host.name, host.description, items)
            del parts[lightest]
        return parts


def entry_room(settings: BuildSettings, room: Room) -> int:
    """Tokens of entries that fit the model's context together with the answer that repeats them."""
    bare = prompts.clusters([], settings.min_clusters, settings.branching)
    free = room.prompt(bare) - CLUSTER_TOKENS * settings.branching
    return max(0, int(free / (1 + ECHO)))


def _items(shown: Sequence[Entry], numbers: Sequence[int]) -> Ints:
    """The items of some entries, in their order."""
    return np.array(sorted(i for number in numbers for i in shown[number].members), np.int64)
