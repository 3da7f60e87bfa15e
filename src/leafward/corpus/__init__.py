"""Readers that turn a user's files into documents, queries and judgements."""

from leafward.corpus.beir import read_qrels, read_queries, splits
from leafward.corpus.bundled import language_reference
from leafward.corpus.chunking import split_text
from leafward.corpus.ids import safe_id
from leafward.corpus.problems import Corpus, OnProblem, Problem, ProblemKind
from leafward.corpus.reading import read_corpus

__all__ = [
    "Corpus",
    "OnProblem",
    "Problem",
    "ProblemKind",
    "language_reference",
    "read_corpus",
    "read_qrels",
    "read_queries",
    "safe_id",
    "split_text",
    "splits",
]
