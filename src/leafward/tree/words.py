"""Words of documents as numbers: the vocabulary under key phrases and extractive summaries."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from leafward.types import Document

BREAK = -1
"""Stands where a phrase cannot run on: a stop word, a number, a sign, the end of a document."""

_MOST_WORDS = 300  # of one document; what a text is about shows in its first few hundred words
_MOST_CHARS = 12 * _MOST_WORDS
_TOKEN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|[^\w\s]")
_STOP_WORDS = (
    "a about above after again against all also although am among an and any are as at be because "
    "been before being below between both but by can cannot could did do does doing done down due "
    "during each either et etc every few for from further get gets give given had has have having "
    "he hence her here hers herself him himself his how however i if in into is it its itself just "
    "let may me might mine more most much must my myself neither no nor not now of off often on "
    "once one only onto or other others our ours out over own per rather same several shall she "
    "should since so some such than that the their theirs them themselves then there therefore "
    "these they this those though three through thus to too two under until up upon us use used "
    "uses using various very via was we well were what when where whether which while who whom "
    "whose why will with within without would yet you your yours yourself isn't it's don't "
    "doesn't can't al"
)
_STOP = frozenset(_STOP_WORDS.split())


class Vocabulary(dict[str, int]):
    """Words to ids in order of first sight; stop words, numbers and signs map to ``BREAK``."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []

    def __missing__(self, word: str) -> int:
        content = word not in _STOP and not word.isdigit() and word[0].isalnum()
        self[word] = len(self.words) if content else BREAK
        if content:
            self.words.append(word)
        return self[word]


def encode(documents: Iterable[Document]) -> tuple[Vocabulary, Sequence[int], Sequence[int]]:
    """Vocabulary, word ids of all documents one after the other, and where each one starts.

    Every document ends with a ``BREAK``; the last start is the end of the ids.
    """
    vocabulary = Vocabulary()
    ids, starts = array("i"), array("q", [0])
    for document in documents:
        text = f"{document.title}\n. {document.text[:_MOST_CHARS]}".lower()
        ids.extend([vocabulary[token] for token in _TOKEN.findall(text)[:_MOST_WORDS]])
        ids.append(BREAK)
        starts.append(len(ids))
    return vocabulary, ids, starts


def headline(document: Document, words: int = 12) -> str:
    """The title, or the first words of the text, or the id where there is neither."""
    title = " ".join(document.title.split()[: 2 * words])
    return title or " ".join(document.text[: 40 * words].split()[:words]) or document.id


def ranges(starts: npt.NDArray[np.int64], rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Indices of all entries of some rows of a ragged array, row after row."""
    lengths = starts[rows + 1] - starts[rows]
    before = np.concatenate(([0], np.cumsum(lengths)))
    first: npt.NDArray[np.int64] = np.repeat(starts[rows] - before[:-1], lengths)
    return first + np.arange(before[-1], dtype=np.int64)
