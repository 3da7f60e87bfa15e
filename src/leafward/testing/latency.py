"""How long the scripted model thinks: distributions that are reproducible request by request."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

Latency = Callable[[Random], float]
"""Draws seconds; the generator is seeded by the prompt and its attempt."""


@dataclass(frozen=True)
class Constant:
    """Every answer takes ``seconds``."""

    seconds: float = 0.0

    def __call__(self, random: Random) -> float:
        return self.seconds


@dataclass(frozen=True)
class Uniform:
    """Answers take between ``low`` and ``high`` seconds."""

    low: float
    high: float

    def __call__(self, random: Random) -> float:
        return random.uniform(self.low, self.high)


@dataclass(frozen=True)
class LogNormal:
    """Half of the answers take less than ``median`` seconds; ``sigma`` sets how heavy the tail is.

    ``longest`` cuts the tail, in seconds.
    """

    median: float
    sigma: float
    longest: float = math.inf

    def __call__(self, random: Random) -> float:
        return min(random.lognormvariate(math.log(self.median), self.sigma), self.longest)
