"""Which entries the model put into which cluster, and what it forgot, invented or repeated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from leafward.tree.levels import Entry
from leafward.tree.report import Tally
from leafward.tree.shapes import Cluster
from leafward.tree.signposts import DESCRIPTION_CHARS, NAME_CHARS
from leafward.tree.text import fold, said, without_count


@dataclass(slots=True)
class Found:
    """A cluster of the model with the numbers of its entries."""

    name: str
    description: str
    entries: list[int] = field(default_factory=list)


class Matcher:
    """Assigns entries to clusters by their keywords, each entry at most once."""

    def __init__(self, entries: Sequence[Entry], tally: Tally) -> None:
        self._tally = tally
        self._numbers = {fold(entry.text): number for number, entry in enumerate(entries)}
        self._free = dict.fromkeys(range(len(entries)))

    @property
    def forgotten(self) -> list[int]:
        """Entries without a cluster yet, in their order."""
        return list(self._free)

    def found(self, clusters: Sequence[Cluster]) -> list[Found]:
        """Clusters with their entries; those without a known keyword vanish."""
        found = []
        for cluster in clusters:
            taken = self._take(cluster.keywords)
            if taken:
                name = said(cluster.name, NAME_CHARS)
                found.append(Found(name, said(cluster.description, DESCRIPTION_CHARS), taken))
            else:
                self._tally.repaired("empty")
        return found

    def add(self, clusters: Sequence[Cluster], found: Sequence[Found]) -> None:
        """Put forgotten entries into clusters that exist, told by their names."""
        known = {fold(cluster.name): cluster for cluster in reversed(found)}
        for cluster in clusters:
            target = known.get(fold(cluster.name))
            if target is not None:
                target.entries += self._take(cluster.keywords)

    def _take(self, keywords: Sequence[str]) -> list[int]:
        taken = []
        for keyword in keywords:
            number = self._number(keyword)
            if number is None:
                self._tally.repaired("invented")
            elif number in self._free:
                del self._free[number]
                taken.append(number)
            else:
                self._tally.repaired("repeated")
        return taken

    def _number(self, keyword: str) -> int | None:
        number = self._numbers.get(fold(keyword))
        return self._numbers.get(fold(without_count(keyword))) if number is None else number
