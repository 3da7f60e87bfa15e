"""An environment for code that is not async: what a trainer's reward function calls."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from leafward.closing import Closing
from leafward.library.portal import Portal
from leafward.types import Episode, Need
from leafward.writing import Environment

Result = TypeVar("Result")


class Scorer(Closing):
    """Judges completions from any thread, on an event loop that lives as long as this object.

    The environment's engine keeps its connections on that loop. Close it, or use it as a context
    manager; the engine stays its owner's to close.
    """

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self._portal = Portal()

    def episodes(self, completions: Sequence[str], needs: Sequence[Need | str]) -> list[Episode]:
        """Blocking twin of :meth:`leafward.writing.Environment.step`; needs may be given by id."""
        return self._portal.call(lambda: self.environment.step(completions, needs))

    def rewards(
        self, completions: Sequence[str], needs: Sequence[Need | str]
    ) -> list[float | None]:
        """The rewards alone; None where our own failure left nothing to judge by."""
        return [episode.reward for episode in self.episodes(completions, needs)]

    def call(self, function: Callable[[], Awaitable[Result]]) -> Result:
        """Run an async function on the scorer's loop, such as the engine's ``aclose``."""
        return self._portal.call(function)

    def close(self) -> None:
        """End the loop."""
        self._portal.close()
