"""What a node is made of: documents, or groups that are finished already."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from leafward.protocols import Vectors
from leafward.tree.lexicon import Ints
from leafward.types import Branch

Child = Branch | str


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """Items that wait for a place in the tree.

    ``children`` are what the items become, ``signs`` how a prompt shows them, ``summaries`` their
    five levels, ``members`` the numbers of the documents under each, ``vectors`` float32
    ``[n, d]``. ``height`` is the greatest number of edges from an item down to its leaves.
    """

    children: tuple[Child, ...]
    signs: tuple[str, ...]
    summaries: tuple[tuple[str, ...], ...]
    members: tuple[Ints, ...]
    vectors: Vectors
    height: int

    def __len__(self) -> int:
        return len(self.children)

    @property
    def weights(self) -> list[int]:
        """Leaves under each item."""
        return [len(members) for members in self.members]

    def take(self, numbers: Ints) -> Pool:
        """Some of the items, in the given order."""
        kept = numbers.tolist()
        return Pool(
            tuple(self.children[i] for i in kept),
            tuple(self.signs[i] for i in kept),
            tuple(self.summaries[i] for i in kept),
            tuple(self.members[i] for i in kept),
            self.vectors[numbers],
            self.height,
        )

    def under(self, groups: Sequence[Ints]) -> list[Ints]:
        """Numbers of the documents under each group of items."""
        return [np.concatenate([self.members[i] for i in group.tolist()]) for group in groups]

    def centroids(self, groups: Sequence[Ints]) -> Vectors:
        """Unit mean vector of each group, weighted by leaves; float32 ``[groups, d]``."""
        weights = np.asarray(self.weights, np.float32)[:, None]
        sums = [(self.vectors[group] * weights[group]).sum(axis=0) for group in groups]
        means = np.asarray(sums, np.float32).reshape(len(groups), self.vectors.shape[1])
        norms = np.linalg.norm(means, axis=1, keepdims=True)
        unit: Vectors = means / np.maximum(norms, 1e-12)
        return unit


def join(name: str, description: str, children: Sequence[Child]) -> Child:
    """A branch over the children; an only child stands for itself."""
    return children[0] if len(children) == 1 else Branch(name, description, tuple(children))
