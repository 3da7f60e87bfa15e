"""Retrievers over an index, made from methods."""

from leafward.library.retrieving.found import Answer, Finder, FinderRetriever, Found, Need, answer
from leafward.library.retrieving.making import make_finder, make_retriever
from leafward.library.retrieving.scope import Scope

__all__ = [
    "Answer",
    "Finder",
    "FinderRetriever",
    "Found",
    "Need",
    "Scope",
    "answer",
    "make_finder",
    "make_retriever",
]
