"""What everything that searches an index shares: its snapshot, its models, its engines."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from leafward.engines import Bm25Engine, DenseEngine
from leafward.library.judging import Resources, make_judge, resolve_judge
from leafward.library.reader import TreeReader
from leafward.library.session import Session
from leafward.protocols import Judge
from leafward.settings import JudgeName, SearchSettings
from leafward.store import Snapshot, Store, Where


@dataclass
class Opened:
    """A snapshot with its models, and engines that are opened on first use.

    ``stragglers`` are calls that outlived their search; whoever closes the models awaits them.
    """

    store: Store
    snapshot: Snapshot
    session: Session
    stragglers: set[asyncio.Task[Any]] = field(default_factory=set)

    @cached_property
    def bm25(self) -> Bm25Engine:
        return Bm25Engine.open(self.snapshot.lexical)

    @cached_property
    def dense(self) -> DenseEngine:
        return DenseEngine(
            self.snapshot.vectors(), self.snapshot.tree.leaves, self.session.embedder
        )

    def judge(self, name: JudgeName, settings: SearchSettings) -> Judge:
        """A judge of this index's nodes and documents."""
        resolved = resolve_judge(name, self.session.model)
        chat = None if resolved == "embedding" else self.session.chat
        vectors = self.snapshot.node_vectors(), self.snapshot.vectors()
        return make_judge(resolved, Resources(chat, self.session.embedder, *vectors), settings)

    def live(self, excluded: Collection[str], where: Where | None) -> npt.NDArray[np.bool_] | None:
        """The leaves that may be shown, bool ``[n]``; None where all may."""
        return self.snapshot.live(where, excluded) if excluded or where else None

    def reader(
        self, settings: SearchSettings, live: npt.NDArray[np.bool_] | None = None
    ) -> TreeReader:
        """What judges read."""
        tree, share = self.snapshot.tree, settings.live_share
        return TreeReader(tree, self.snapshot, live=live, live_share=share)

    def leaves(self, doc_ids: Sequence[str]) -> list[int]:
        """Leaf ids of documents."""
        tree = self.snapshot.tree
        return [tree.leaf_id(tree.position_of(doc_id)) for doc_id in doc_ids]

    def titles(self, doc_ids: Sequence[str]) -> list[str]:
        """Titles of documents."""
        return self.snapshot.titles([self.snapshot.tree.position_of(each) for each in doc_ids])
