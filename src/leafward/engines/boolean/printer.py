"""Expressions as text; parsing what is printed here gives the same tree again."""

from __future__ import annotations

from leafward.engines.boolean.nodes import Chain, Dates, Leaf, Node, fold


def render(node: Node) -> str:
    """Write an expression with short tags, capital operators and no needless parentheses."""
    return fold(node, _leaf, _chain)


def _leaf(leaf: Leaf) -> str:
    if isinstance(leaf, Dates):
        first, last = str(leaf.first), str(leaf.last)
        return f"{first}[dp]" if first == last else f"{first}:{last}[dp]"
    text = f'"{leaf.text}"' if leaf.quoted else leaf.text
    return text if leaf.field is None else f"{text}[{leaf.field.value}]"


def _chain(chain: Chain, parts: list[str]) -> str:
    nodes = [chain.first, *(node for _, node in chain.rest)]
    operands = [
        f"({part})" if isinstance(node, Chain) else part
        for node, part in zip(nodes, parts, strict=True)
    ]
    written = [operands[0]]
    for (operator, _), operand in zip(chain.rest, operands[1:], strict=True):
        written += [operator.value, operand]
    return " ".join(written)
