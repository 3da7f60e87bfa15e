"""An open parenthesis while the parser is inside it."""

from __future__ import annotations

from dataclasses import dataclass, field

from leafward.engines.boolean.nodes import Chain, Node, Operator
from leafward.engines.boolean.tokens import Token


@dataclass(slots=True)
class Group:
    """What stands between two parentheses, as far as it has been read."""

    start: int  # of its "("
    first: Node | None = None
    rest: list[tuple[Operator, Node]] = field(default_factory=list)
    operator: Token | None = None  # waits for its right side
    levels: int = 0
    alternates: bool | None = None  # whether the latest operator was OR

    def add(self, node: Node, levels: int) -> None:
        """Put in an operand, with AND where no operator stands before it."""
        if self.first is None:
            self.first, self.levels = node, levels
            return
        operator = Operator[self.operator.text.upper()] if self.operator else Operator.AND
        alternates = operator is Operator.OR
        self.levels = max(self.levels + (alternates is not self.alternates), levels + 1)
        self.operator, self.alternates = None, alternates
        self.rest.append((operator, node))

    def node(self) -> Node | None:
        if self.first is None or not self.rest:
            return self.first
        return Chain(self.first, tuple(self.rest))
