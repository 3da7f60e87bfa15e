"""Where in the tree relevant documents were lost, level by level, over all queries of a method."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from leafward.evaluate.experiments.traces import Study
from leafward.search.fates import Fate, GoldPath


@dataclass(frozen=True, slots=True)
class Level:
    """Relevant documents that came as far as a depth of the tree, and those that got no further.

    ``depth`` counts nodes below the root. ``arrived`` documents had their node of that depth on a
    slate; ``lost`` ones had it passed over. Of those the judgement that scored the node had put it
    first on its slate (``first``: nodes elsewhere in the tree were preferred), second or third
    (``near``), or further down (``far``); the rest it had left out.
    """

    depth: int
    arrived: int
    lost: int
    first: int
    near: int
    far: int


@dataclass(frozen=True, slots=True)
class Losses:
    """What became of all relevant documents of a method's searches (all seeds together).

    ``fates`` counts them by what became of them; ``absent`` ones the index does not hold.
    """

    documents: int
    fates: dict[Fate, int]
    levels: tuple[Level, ...]
    absent: int

    @property
    def passed_over(self) -> tuple[int, ...]:
        """Documents lost at depth 1, 2, …"""
        return tuple(level.lost for level in self.levels)


def losses(studies: Iterable[Study]) -> Losses:
    """Count the fates of relevant documents."""
    every = list(studies)
    paths = [path for study in every for path in study.paths]
    fates: Counter[Fate] = Counter(path.fate for path in paths)
    deepest = max((len(path.steps) - 1 for path in paths), default=0)
    levels = tuple(_level(paths, depth) for depth in range(1, deepest + 1))
    return Losses(len(paths), dict(fates), levels, sum(study.absent for study in every))


def _level(paths: list[GoldPath], depth: int) -> Level:
    inner = [path for path in paths if depth < len(path.steps)]  # the last step is the document
    arrived = [path for path in inner if path.steps[depth - 1].relevance is not None]
    lost = [path for path in arrived if path.fate == "passed over" and path.depth == depth]
    places = [path.steps[depth - 1].place for path in lost]
    return Level(
        depth,
        len(arrived),
        len(lost),
        first=sum(place == 1 for place in places),
        near=sum(place in (2, 3) for place in places),
        far=sum(place is not None and place > 3 for place in places),
    )
