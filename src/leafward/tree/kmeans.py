"""Balanced spherical k-means: parts of similar vectors, none larger than a bound."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from leafward.protocols import Vectors

Labels = npt.NDArray[np.int64]

SLACK = 1.5
"""A part holds at most ``SLACK`` times its even share, unless another capacity is given."""

_ROUNDS = 12
_SAMPLE_PER_PART = 512


class BalancedKMeans:
    """The default clusterer, deterministic under its seed.

    Every part holds between 1 and ``capacity`` vectors, by default ``ceil(SLACK * n / parts)``.
    Centroids are fitted on at most 512 vectors a part, so that a split of n vectors costs two
    matrix products ``[n, d] x [d, parts]`` however large n is.
    """

    def split(
        self, vectors: Vectors, parts: int, *, seed: int, capacity: int | None = None
    ) -> Labels:
        """Label float32 ``[n, d]`` with int64 ``[n]`` in ``0 .. parts - 1``, each label used.

        Raises:
            ValueError: fewer vectors than parts, or more than ``parts * capacity``.
        """
        limit = capacity_of(len(vectors), parts, capacity)
        if parts == 1:
            return np.zeros(len(vectors), np.int64)
        rng = np.random.default_rng(seed)
        centroids = fit(sample(vectors, parts, rng), parts, rng)
        return settle(vectors, centroids, limit)


def capacity_of(count: int, parts: int, capacity: int | None) -> int:
    """The bound on a part's size, checked against what has to fit."""
    limit = math.ceil(SLACK * count / parts) if capacity is None else capacity
    if not 1 <= parts <= count:
        raise ValueError(f"{count} vectors cannot fill {parts} parts")
    if parts * limit < count:
        raise ValueError(f"{count} vectors do not fit {parts} parts of {limit}")
    return limit


def sample(vectors: Vectors, parts: int, rng: np.random.Generator) -> Vectors:
    """Enough of the vectors to fit ``parts`` centroids on."""
    size = _SAMPLE_PER_PART * parts
    if len(vectors) <= size:
        return vectors
    return vectors[np.sort(rng.choice(len(vectors), size, replace=False))]


def fit(vectors: Vectors, parts: int, rng: np.random.Generator) -> Vectors:
    """Unit centroids ``[parts, d]``: k-means++ seeds, then rounds of bounded assignment."""
    limit = capacity_of(len(vectors), parts, None)
    centroids = _seeds(vectors, parts, rng)
    labels: Labels | None = None
    for _ in range(_ROUNDS):
        previous, labels = labels, assign(vectors @ centroids.T, limit)
        if previous is not None and np.array_equal(previous, labels):
            break
        centroids = centroids_of(vectors, labels, centroids)
    return centroids


def settle(vectors: Vectors, centroids: Vectors, limit: int) -> Labels:
    """Final labels of all vectors, after one move of the centroids to the means of all."""
    labels = assign(vectors @ centroids.T, limit)
    similarity = vectors @ centroids_of(vectors, labels, centroids).T
    return _fill_empty(assign(similarity, limit), similarity)


def centroids_of(vectors: Vectors, labels: Labels, previous: Vectors) -> Vectors:
    """Unit mean of every part; a part without members or direction keeps its old centroid."""
    member = np.zeros((len(vectors), len(previous)), np.float32)
    member[np.arange(len(vectors)), labels] = 1.0
    means: Vectors = member.T @ vectors
    norms = np.linalg.norm(means, axis=1, keepdims=True)
    moved: Vectors = np.where(norms > 1e-6, means / np.maximum(norms, 1e-6), previous)
    return moved


def assign(similarity: npt.NDArray[np.float32], limit: int) -> Labels:
    """Most similar part for every row of ``[n, k]``, with at most ``limit`` rows in each.

    The fullest part above the limit keeps the rows that would lose most elsewhere and closes;
    the others move to their best open part. Ends after at most k such steps.
    """
    parts = similarity.shape[1]
    labels: Labels = similarity.argmax(axis=1).astype(np.int64)
    is_open = np.ones(parts, bool)
    while True:
        counts = np.bincount(labels, minlength=parts)
        fullest = int(counts.argmax())
        if counts[fullest] <= limit:
            return labels
        is_open[fullest] = False
        members = np.flatnonzero(labels == fullest)
        elsewhere = np.where(is_open, similarity[members], -np.inf)
        regret = similarity[members, fullest] - elsewhere.max(axis=1)
        moved = np.argsort(-regret, kind="stable")[limit:]
        labels[members[moved]] = elsewhere[moved].argmax(axis=1)


def _fill_empty(labels: Labels, similarity: npt.NDArray[np.float32]) -> Labels:
    """Give every unused label the worst placed member of the largest part."""
    parts = similarity.shape[1]
    for empty in np.flatnonzero(np.bincount(labels, minlength=parts) == 0):
        donor = int(np.bincount(labels, minlength=parts).argmax())
        members = np.flatnonzero(labels == donor)
        labels[members[similarity[members, donor].argmin()]] = empty
    return labels


def _seeds(vectors: Vectors, parts: int, rng: np.random.Generator) -> Vectors:
    """k-means++ on cosine distance; uniform where every vector is already a seed's twin."""
    chosen = [int(rng.integers(len(vectors)))]
    distance = np.full(len(vectors), np.inf)
    while len(chosen) < parts:
        nearest = 1.0 - (vectors @ vectors[chosen[-1]]).astype(np.float64)
        distance = np.minimum(distance, np.maximum(nearest, 0.0))
        distance[distance < 1e-6] = 0.0
        total = distance.sum()
        weights = distance / total if total > 0 else None
        chosen.append(int(rng.choice(len(vectors), p=weights)))
    return vectors[chosen]
