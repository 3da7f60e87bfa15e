"""Small trees for the tests of search."""

from __future__ import annotations

from hypothesis import strategies as st

from leafward.types import Branch, Tree, number


def grid_tree(branching: int, depth: int) -> Tree:
    """A complete tree: ``branching ** depth`` leaves named d0, d1, …"""
    count = iter(range(branching**depth))

    def grow(level: int, name: str) -> Branch:
        kids: list[Branch | str] = []
        for index in range(branching):
            deeper = level + 1 < depth
            kids.append(grow(level + 1, f"{name}.{index}") if deeper else f"d{next(count)}")
        return Branch(name, f"about {name}", tuple(kids))

    return number(grow(0, "root"))


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    """A random tree with mixed children."""
    count = iter(range(100_000))

    def grow(level: int) -> Branch:
        kids: list[Branch | str] = []
        for _ in range(draw(st.integers(1, 5))):
            deeper = level < 3 and draw(st.booleans())
            kids.append(grow(level + 1) if deeper else f"d{next(count)}")
        return Branch(f"n{level}", "", tuple(kids))

    return number(grow(0))
