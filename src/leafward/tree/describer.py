"""Signposts written by the model, each beside the names of its neighbours."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from leafward.concurrency import map_drained
from leafward.protocols import Progress, Vectors
from leafward.settings import BuildSettings
from leafward.tokens import cut_tokens
from leafward.tree import prompts
from leafward.tree.asker import Asker
from leafward.tree.lexicon import Ints
from leafward.tree.pool import Pool
from leafward.tree.report import Tally
from leafward.tree.shapes import GroupDescription
from leafward.tree.signposts import DESCRIPTION_CHARS, NAME_CHARS, Signpost, Signposts
from leafward.tree.sizes import Room
from leafward.tree.text import said

ANSWER_TOKENS = 200
CHILD_TOKENS = 60
MOST_NEIGHBOURS = 15
_NEIGHBOUR_TOKENS = 12
_BLOCK = 1024


class Describer:
    """Describes groups so that a search agent can tell them from their neighbours (§2.3).

    Neighbours are the groups with the nearest centroids, under provisional names of key phrases:
    so all groups of a level are described at once, and a prompt does not depend on the order in
    which answers arrive.
    """

    def __init__(
        self,
        asker: Asker,
        settings: BuildSettings,
        signposts: Signposts,
        tally: Tally,
        progress: Progress,
    ) -> None:
        self._asker, self._settings, self._signposts = asker, settings, signposts
        self._tally, self._progress = tally, progress
        self._room = Room(asker.chat.context_tokens)

    async def describe(
        self, pool: Pool, groups: Sequence[Ints], sources: Sequence[str | None] | None = None
    ) -> list[Signpost]:
        """Name and description of each group of the pool's items."""
        if not groups:
            return []
        under = pool.under(groups)
        names = self._signposts.names(under)
        near = neighbours(pool.centroids(groups), MOST_NEIGHBOURS)
        tasks = [
            (group, [names[i] for i in near[number]], sources[number] if sources else None)
            for number, group in enumerate(groups)
        ]

        async def one(task: tuple[Ints, list[str], str | None]) -> Signpost:
            group, beside, source = task
            found = await self._ask([pool.signs[i] for i in group.tolist()], beside, source)
            self._progress.advance("describing")
            return found

        found = await map_drained(one, tasks, limit=self._settings.concurrency)
        return self._completed(found, under)

    def complete(
        self, found: Sequence[Signpost], pool: Pool, groups: Sequence[Ints]
    ) -> list[Signpost]:
        """The same signposts, with key phrases where name or description is missing."""
        return self._completed(found, pool.under(groups))

    def _completed(self, found: Sequence[Signpost], under: Sequence[Ints]) -> list[Signpost]:
        if all(name and text for name, text in found):
            return list(found)
        spare = self._signposts.describe(under)
        missing = sum(not (name and text) for name, text in found)
        self._tally.repaired("named without model", missing)
        return [
            (name or other[0], text or other[1])
            for (name, text), other in zip(found, spare, strict=True)
        ]

    async def _ask(
        self, children: Sequence[str], beside: Sequence[str], source: str | None
    ) -> Signpost:
        each = self._child_tokens(len(children))
        messages = prompts.describe(
            [cut_tokens(child, each) for child in children],
            [cut_tokens(name, _NEIGHBOUR_TOKENS) for name in beside],
            source,
        )
        room = self._room.answer(messages, ANSWER_TOKENS)
        answer = await self._asker.ask("describing", messages, GroupDescription, max_tokens=room)
        if answer is None:
            return "", ""
        return said(answer.name, NAME_CHARS), said(answer.description, DESCRIPTION_CHARS)

    def _child_tokens(self, children: int) -> int:
        """Tokens shown of each child, fewer where the model's context is short."""
        free = self._room.prompt(prompts.describe([], [], None)) - ANSWER_TOKENS
        free -= MOST_NEIGHBOURS * _NEIGHBOUR_TOKENS
        return max(8, min(CHILD_TOKENS, free // max(children, 1) - 6))


def neighbours(centroids: Vectors, most: int) -> list[list[int]]:
    """Numbers of the nearest other rows of float32 ``[n, d]``, nearest first, ``most`` a row."""
    found: list[list[int]] = []
    most = min(most, len(centroids) - 1)
    for lo in range(0, len(centroids), _BLOCK):
        similarity = centroids[lo : lo + _BLOCK] @ centroids.T
        rows = np.arange(len(similarity))
        similarity[rows, rows + lo] = -np.inf
        nearest = np.argsort(-similarity, axis=1, kind="stable")[:, :most]
        found += nearest.tolist()
    return found
