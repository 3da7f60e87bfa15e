"""Rewards of query writing: small pure parts, and the four tables made of them."""

from leafward.writing.rewards.named import CUTOFFS, make_reward
from leafward.writing.rewards.rules import Classic, Evidence, Literature, Reward, SqlMatch

__all__ = [
    "CUTOFFS",
    "Classic",
    "Evidence",
    "Literature",
    "Reward",
    "SqlMatch",
    "make_reward",
]
