"""What is a context manager closes at the end of its block, whatever happened in it."""

from __future__ import annotations

import pytest

from leafward.closing import AsyncClosing, Closing


class Door(Closing, AsyncClosing):
    def __init__(self) -> None:
        self.closed: list[str] = []

    def close(self) -> None:
        self.closed.append("close")

    async def aclose(self) -> None:
        self.closed.append("aclose")


def test_it_closes_after_a_block_that_went_wrong_too() -> None:
    with Door() as door:
        assert not door.closed
    assert door.closed == ["close"]
    door = Door()
    with pytest.raises(KeyError), door:
        raise KeyError
    assert door.closed == ["close"]


async def test_its_async_twin_closes_once() -> None:
    async with Door() as door:
        assert not door.closed
    assert door.closed == ["aclose"]
