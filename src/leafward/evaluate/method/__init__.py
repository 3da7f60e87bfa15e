"""Methods of retrieval as values: what the command line, experiments and reports call by name.

>>> str(parse_method("hyde > rerank(window=20, carry=10, top=100, of=hybrid)"))
'hyde>rerank(top=100)'

A printed method leaves out what is as by default, and parses to itself.
"""

from leafward.evaluate.method.checking import Rewriting
from leafward.evaluate.method.nodes import (
    Bm25,
    CrossEncoder,
    Dense,
    Hybrid,
    Method,
    Rerank,
    Rewritten,
    Rrf,
    Tree,
    TreePlus,
)
from leafward.evaluate.method.parsing import NAMES, parse_method

__all__ = [
    "NAMES",
    "Bm25",
    "CrossEncoder",
    "Dense",
    "Hybrid",
    "Method",
    "Rerank",
    "Rewriting",
    "Rewritten",
    "Rrf",
    "Tree",
    "TreePlus",
    "parse_method",
]
