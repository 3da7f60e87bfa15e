"""Search engines over an index: BM25 on its words, exact cosine on its vectors."""

from leafward.engines.bm25 import Bm25Engine
from leafward.engines.dense import DenseEngine
from leafward.engines.live import Live

__all__ = ["Bm25Engine", "DenseEngine", "Live"]
