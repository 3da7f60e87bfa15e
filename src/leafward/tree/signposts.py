"""Names and descriptions of groups without a model: key phrases and typical titles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from leafward.protocols import Vectors
from leafward.tree.lexicon import Ints, Lexicon
from leafward.tree.text import clean
from leafward.tree.words import headline
from leafward.types import Document

Signpost = tuple[str, str]
"""Name and description."""

NAME_CHARS = 120
DESCRIPTION_CHARS = 1_500
_NAME_PHRASES = 3
_PHRASES = 10
_TITLES = 3


class Signposts:
    """Describes groups of documents by what sets them apart (tree-search §2.6)."""

    def __init__(self, documents: Sequence[Document], vectors: Vectors) -> None:
        self._documents, self._vectors = documents, vectors
        self.lexicon = Lexicon(documents)

    def describe(self, groups: Sequence[Ints]) -> list[Signpost]:
        """Key phrases that siblings do not share, and the titles nearest the centroid."""
        phrases = self.lexicon.group_phrases(groups, _PHRASES, distinct=True)
        return [self._signpost(group, found) for group, found in zip(groups, phrases, strict=True)]

    def names(self, groups: Sequence[Ints]) -> list[str]:
        """A short name for each of any number of groups."""
        found = self.lexicon.group_phrases(groups, _NAME_PHRASES, distinct=False)
        return [
            ", ".join(phrases) or self.titles(group)[0]
            for group, phrases in zip(groups, found, strict=True)
        ]

    def titles(self, group: Ints, most: int = _TITLES) -> list[str]:
        """Distinct titles of the documents nearest the group's centroid, nearest first."""
        vectors = self._vectors[group]
        nearest = np.argsort(-(vectors @ vectors.mean(axis=0)), kind="stable")
        found: dict[str, None] = {}
        for number in group[nearest[: 4 * most]].tolist():
            document = self._documents[number]
            found.setdefault(clean(headline(document), NAME_CHARS) or clean(document.id))
        return list(found)[:most] or ["documents"]

    def _signpost(self, group: Ints, phrases: tuple[str, ...]) -> Signpost:
        titles = self.titles(group)
        name = ", ".join(phrases[:_NAME_PHRASES]) or titles[0]
        about = [", ".join(phrases)] if phrases else []
        return name[:NAME_CHARS], ". ".join([*about, "For example: " + "; ".join(titles)])


def root_signpost(names: Iterable[str], documents: int) -> Signpost:
    """The root stands on no slate: its description lists its children."""
    listed = "; ".join(name for name in names if name)
    text = f"{documents} documents" + (f" on: {listed}" if listed else "")
    return "root", clean(text, DESCRIPTION_CHARS)
