"""Rewards by name, as recipes and the command line write them: ``literature@200``."""

from __future__ import annotations

from leafward.errors import SettingsError
from leafward.writing.rewards.rules import Classic, Evidence, Literature, Reward, SqlMatch

CUTOFFS = {"scifact": 50, "nfcorpus": 1000, "hotpotqa": 3000}
"""Cut-off of nDCG in training by data set (query-writing §3); in evaluation it is 10."""

_NAMES = ("literature", "evidence", "ndcg", "recall", "sql", "bird")


def make_reward(name: str) -> Reward:
    """A reward by name: ``literature``, ``evidence``, ``ndcg``, ``recall``, ``sql`` or ``bird``.

    All but the last two take a cut-off, as ``ndcg@50``; without one it is 3000 for the first two,
    10 for ``ndcg`` and ``recall``. ``bird`` is ``sql`` with 0.3 for a query that merely runs.

    Raises:
        SettingsError: no such reward, or a cut-off that is no whole number above 0.
    """
    kind, at, digits = name.strip().lower().partition("@")
    if kind not in _NAMES or (at and kind in ("sql", "bird")):
        shapes = ", ".join(f"{each}@K" for each in _NAMES[:4])
        raise SettingsError(f"there is no reward {name!r}", hint=f"name {shapes}, sql or bird")
    if at and not (digits.isascii() and digits.isdigit() and int(digits) > 0):
        raise SettingsError(
            f"the cut-off of {name!r} is no whole number above 0", hint=f"write {kind}@100"
        )
    return _made(kind, int(digits) if at else None)


def _made(kind: str, k: int | None) -> Reward:
    match kind:
        case "literature":
            return Literature(k or 3000)
        case "evidence":
            return Evidence(k or 3000)
        case "sql" | "bird":
            return SqlMatch(runs=0.3 if kind == "bird" else 0.0)
        case _:
            return Classic(k or 10, "recall" if kind == "recall" else "ndcg")
