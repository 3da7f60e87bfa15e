"""Ready rules; put several into one script, the first that answers a request wins."""

from leafward.testing.rules.canned import canned, in_turn
from leafward.testing.rules.clusters import clusters
from leafward.testing.rules.describe import describe_group, query
from leafward.testing.rules.judge import Noise, Score, letters, noisy_judge, oracle_judge
from leafward.testing.rules.summaries import summaries

__all__ = [
    "Noise",
    "Score",
    "canned",
    "clusters",
    "describe_group",
    "in_turn",
    "letters",
    "noisy_judge",
    "oracle_judge",
    "query",
    "summaries",
]
