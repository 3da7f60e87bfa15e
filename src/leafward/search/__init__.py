"""Tree search: the traversal without I/O, its judges, and the drivers that connect the two."""

from leafward.search.calibration import Fit, fit
from leafward.search.driver import NodeReader, Unread, search_many, search_one, search_together
from leafward.search.judges.embedding import EmbeddingJudge
from leafward.search.judges.oracle import NoisyOracleJudge
from leafward.search.judges.replay import ReplayJudge
from leafward.search.oracle import NoiseModel, node_relevance
from leafward.search.traversal import Traversal

__all__ = [
    "EmbeddingJudge",
    "Fit",
    "NodeReader",
    "NoiseModel",
    "NoisyOracleJudge",
    "ReplayJudge",
    "Traversal",
    "Unread",
    "fit",
    "node_relevance",
    "search_many",
    "search_one",
    "search_together",
]
