"""How sure a mean is, and whether two methods differ: resampling, with seeds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from leafward.errors import SettingsError

Values = npt.NDArray[np.float64]

BOOTSTRAP_DRAWS = 2_000
RANDOMISATION_DRAWS = 10_000
_EXACT = 13
"""Up to this many differing queries all 2^n sign patterns are tried instead of drawn."""
_CELLS = 1 << 22
"""Random numbers held at once."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval, both ends included."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """A method against the baseline on the queries that both have a value for.

    ``difference`` is the mean of method minus baseline, with its bootstrap ``interval``.
    ``p_value`` is of the paired randomisation test, ``p_corrected`` after Holm's correction over
    all methods compared. ``wins``, ``ties`` and ``losses`` count queries from the method's side;
    ``unpaired`` those that only one of the two has.
    """

    name: str
    difference: float
    interval: Interval
    p_value: float
    p_corrected: float
    wins: int
    ties: int
    losses: int
    unpaired: int = 0


def bootstrap(
    values: Values, *, confidence: float = 0.95, draws: int = BOOTSTRAP_DRAWS, seed: int = 0
) -> Interval:
    """Percentile bootstrap interval of the mean over queries (Efron 1979).

    Args:
        values: float64 ``[n]``, one per query.

    Raises:
        SettingsError: no value, or a confidence outside of (0, 1).
    """
    return bootstrap_columns(values[:, None], confidence=confidence, draws=draws, seed=seed)[0]


def bootstrap_columns(
    values: Values, *, confidence: float = 0.95, draws: int = BOOTSTRAP_DRAWS, seed: int = 0
) -> tuple[Interval, ...]:
    """:func:`bootstrap` of several measures at once, float64 ``[n, measures]``.

    Every measure sees the same resampled queries, and costs next to nothing more.
    """
    if not 0 < confidence < 1:
        raise SettingsError(f"confidence is {confidence}", hint="choose one such as 0.95")
    if len(values) == 0:
        raise SettingsError("there is nothing to average", hint="evaluate at least one query")
    rng = np.random.default_rng(seed)
    count = len(values)
    means = np.empty((draws, values.shape[1]))
    for draw in range(draws):
        # How often each query was drawn: one product serves all measures.
        times = np.bincount(rng.integers(count, size=count), minlength=count)
        means[draw] = times @ values / count
    tail = (1 - confidence) / 2
    low, high = np.quantile(means, [tail, 1 - tail], axis=0)
    return tuple(Interval(float(a), float(b)) for a, b in zip(low, high, strict=True))


def paired_p(differences: Values, *, draws: int = RANDOMISATION_DRAWS, seed: int = 0) -> float:
    """Two-sided p-value of the paired randomisation (sign-flip) test of a zero mean.

    Fisher's test as used for retrieval by Smucker, Allan and Carterette (CIKM 2007). Exact where
    few queries differ; else ``(1 + as extreme) / (1 + draws)``, which is never 0.
    """
    moved = differences[differences != 0]
    if len(moved) == 0:
        return 1.0
    # A hair below, so that rounding in sums of the same numbers never hides an equal one.
    observed = abs(float(moved.sum())) * (1 - 1e-12)
    if len(moved) <= _EXACT:
        patterns = np.arange(1 << len(moved))[:, None] >> np.arange(len(moved)) & 1
        return float(np.mean(np.abs((1 - 2 * patterns) @ moved) >= observed))
    rng = np.random.default_rng(seed)
    extreme = sum(
        int(np.sum(np.abs(_flips(rng, rows, len(moved)) @ moved) >= observed))
        for rows in _chunks(draws, len(moved))
    )
    return (1 + extreme) / (1 + draws)


def told_p(value: float, digits: int = 3) -> str:
    """A p-value with so many decimals; one that would read as 0 reads ``<0.001``."""
    least = 10.0**-digits
    return f"<{least:.{digits}f}" if value < least else f"{value:.{digits}f}"


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """Holm's step-down correction (1979) of the p-values of a family of tests, by name."""
    corrected: dict[str, float] = {}
    worst = 0.0
    for passed, name in enumerate(sorted(p_values, key=lambda name: p_values[name])):
        worst = max(worst, min(1.0, (len(p_values) - passed) * p_values[name]))
        corrected[name] = worst
    return {name: corrected[name] for name in p_values}


def compare(
    baseline: Mapping[str, float],
    others: Mapping[str, Mapping[str, float]],
    *,
    confidence: float = 0.95,
    seed: int = 0,
) -> tuple[Comparison, ...]:
    """Compare methods with a baseline, query by query, on one measure.

    Values by query id. The family that is corrected for is ``others``: all methods compared here.

    Raises:
        SettingsError: a method has no query in common with the baseline.
    """
    gains = {name: _gains(name, baseline, values) for name, values in others.items()}
    raw = {name: paired_p(gain, seed=seed) for name, gain in gains.items()}
    corrected = holm(raw)
    return tuple(
        Comparison(
            name,
            difference=float(gain.mean()),
            interval=bootstrap(gain, confidence=confidence, seed=seed),
            p_value=raw[name],
            p_corrected=corrected[name],
            wins=int(np.sum(gain > 0)),
            ties=int(np.sum(gain == 0)),
            losses=int(np.sum(gain < 0)),
            unpaired=len(baseline.keys() ^ others[name].keys()),
        )
        for name, gain in gains.items()
    )


def _gains(name: str, baseline: Mapping[str, float], values: Mapping[str, float]) -> Values:
    shared = [query_id for query_id in baseline if query_id in values]
    if not shared:
        raise SettingsError(
            f"{name!r} and the baseline have no query in common",
            hint="compare runs over the same collection and split",
        )
    gains = np.array([values[query_id] - baseline[query_id] for query_id in shared])
    gains[np.abs(gains) < 1e-12] = 0.0  # what only rounding tells apart is a tie
    return gains


def _flips(rng: np.random.Generator, rows: int, columns: int) -> Values:
    return np.where(rng.integers(2, size=(rows, columns), dtype=np.int8) == 1, -1.0, 1.0)


def _chunks(draws: int, width: int) -> Iterator[int]:
    """Split ``draws`` rows into parts of which none holds too many numbers at once."""
    rows = max(1, _CELLS // max(1, width))
    while draws > 0:
        yield min(rows, draws)
        draws -= rows
