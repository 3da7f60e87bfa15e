"""What a judge gets to read: leaf texts, descriptions, and live descriptions where those are stale.

A node that has lost more than a set share of its leaves to exclusions and filters is described by
the summaries of its live leaves instead (tree-search §2.8): the stored description speaks of
documents that this query may not see, and would mislead the judge.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from leafward.types import Document, Tree

LIVE_SUMMARIES = 12
SUMMARY_LEVEL = 2  # 4-6 words: enough to tell documents apart, short enough for a dozen


class Documents(Protocol):
    """Where leaves are read from; :class:`leafward.store.Snapshot` is one."""

    def documents(self, positions: Sequence[int]) -> list[Document]: ...

    def titles(self, positions: Sequence[int]) -> list[str]: ...

    def summaries(self, positions: Sequence[int], level: int) -> list[str]: ...


class TreeReader:
    """Reads nodes of a tree for a judge (:class:`leafward.search.NodeReader`).

    Args:
        live: bool ``[n]`` by leaf position, None where every leaf may be shown.
        live_share: below this share of live leaves a node is described anew.
    """

    def __init__(
        self,
        tree: Tree,
        source: Documents,
        *,
        live: npt.NDArray[np.bool_] | None = None,
        live_share: float = 0.5,
    ) -> None:
        self._tree = tree
        self._source = source
        self._live = live
        self._live_share = live_share

    def texts(self, nodes: Sequence[int]) -> list[str]:
        """Description of each inner node, title and text of each leaf, in order."""
        leaves = [node for node in nodes if self._tree.is_leaf(node)]
        documents = self._source.documents([self._tree.position(leaf) for leaf in leaves])
        read = {leaf: doc.full_text for leaf, doc in zip(leaves, documents, strict=True)}
        return [read[node] if node in read else self._describe(node) for node in nodes]

    def titles(self, leaves: Sequence[int]) -> list[str]:
        """Titles of leaves, in order."""
        return self._source.titles([self._tree.position(leaf) for leaf in leaves])

    def _describe(self, node_id: int) -> str:
        node = self._tree.nodes[node_id]
        if self._live is not None:
            live = np.flatnonzero(self._live[node.lo : node.hi]) + node.lo
            if len(live) < self._live_share * (node.hi - node.lo):
                return self._live_description(live)
        if node.description.startswith(node.name):  # key phrases, of which the first are the name
            return node.description
        return f"{node.name}: {node.description}" if node.description else node.name

    def _live_description(self, live: npt.NDArray[np.int64]) -> str:
        """What is left of a node, from an even sample of its live leaves."""
        rows = np.unique(np.linspace(0, len(live) - 1, LIVE_SUMMARIES).astype(int))
        positions = live[rows].tolist()
        summaries = self._source.summaries(positions, SUMMARY_LEVEL)
        titles = self._source.titles(positions)
        topics = [summary or title for summary, title in zip(summaries, titles, strict=True)]
        told = "; ".join(dict.fromkeys(topic for topic in topics if topic))
        return f"A group of {len(live)} documents on: {told}"


class MemoryDocuments:
    """Documents of a tree that is not published yet."""

    def __init__(
        self,
        tree: Tree,
        documents: Sequence[Document],
        summaries: Mapping[str, tuple[str, ...]],
    ) -> None:
        by_id = {document.id: document for document in documents}
        self._documents = [by_id[doc_id] for doc_id in tree.leaves]
        self._summaries = summaries

    def documents(self, positions: Sequence[int]) -> list[Document]:
        return [self._documents[position] for position in positions]

    def titles(self, positions: Sequence[int]) -> list[str]:
        return [self._documents[position].title for position in positions]

    def summaries(self, positions: Sequence[int], level: int) -> list[str]:
        ids = [self._documents[position].id for position in positions]
        return [
            self._summaries[doc_id][level] if doc_id in self._summaries else "" for doc_id in ids
        ]
