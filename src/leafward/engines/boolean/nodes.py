"""The tree of an expression: what the parser makes, the printer writes and the engine executes."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TypeVar

from leafward.engines.boolean.dates import PartialDate
from leafward.engines.boolean.fields import Field

Result = TypeVar("Result")


class Operator(Enum):
    """The three operators; all bind equally, left to right."""

    AND = "AND"
    OR = "OR"
    NOT = "NOT"


@dataclass(frozen=True, slots=True)
class Term:
    """Words, with ``*`` at the end of truncated ones; ``field`` is None without a tag.

    ``column`` counts from 1 and takes no part in comparisons.
    """

    text: str
    quoted: bool = False
    field: Field | None = None
    column: int = dataclasses.field(default=1, compare=False)

    @property
    def words(self) -> list[str]:
        """The words as they were written."""
        return self.text.split(" ")


@dataclass(frozen=True, slots=True)
class Dates:
    """Publication dates from ``first`` to the end of ``last``, both included."""

    first: PartialDate
    last: PartialDate
    column: int = dataclasses.field(default=1, compare=False)


@dataclass(frozen=True, slots=True)
class Chain:
    """Two or more operands, applied from left to right; a nested chain stood in parentheses."""

    first: Node
    rest: tuple[tuple[Operator, Node], ...]


Leaf = Term | Dates
Node = Term | Dates | Chain


def fold(
    root: Node, leaf: Callable[[Leaf], Result], chain: Callable[[Chain, list[Result]], Result]
) -> Result:
    """Reduce a tree from its leaves up, without recursion.

    ``chain`` gets the results of ``first`` and of each operand of ``rest``, in order.
    """
    open_chains: list[tuple[Chain, list[Result]]] = []
    node = root
    while True:
        if isinstance(node, Chain):
            open_chains.append((node, []))
            node = node.first
            continue
        result = leaf(node)
        while open_chains:
            above, results = open_chains[-1]
            results.append(result)
            if len(results) <= len(above.rest):
                node = above.rest[len(results) - 1][1]
                break
            open_chains.pop()
            result = chain(above, results)
        else:
            return result
