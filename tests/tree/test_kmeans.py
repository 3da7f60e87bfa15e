from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leafward.protocols import Clusterer, Vectors
from leafward.settings import BuildSettings
from leafward.tree import BalancedKMeans, SpectralClusterer
from leafward.tree.kmeans import SLACK, assign
from leafward.tree.sizes import levels_for, parts_for
from leafward.tree.splitter import Splitter


def unit(rows: np.ndarray) -> Vectors:
    vectors: Vectors = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return vectors


def blobs(sizes: list[int], seed: int = 0, noise: float = 0.1) -> tuple[Vectors, np.ndarray]:
    """Unit vectors around well separated centres, shuffled, with the centre of each."""
    rng = np.random.default_rng(seed)
    centres = np.linalg.qr(rng.normal(size=(16, 16)))[0][: len(sizes)]
    labels = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    return unit(centres[labels] + noise * rng.normal(size=(len(labels), 16))), labels


def same_partition(one: np.ndarray, other: np.ndarray) -> bool:
    pairs = set(zip(one.tolist(), other.tolist(), strict=True))
    return len(pairs) == len(set(one.tolist())) == len(set(other.tolist()))


@given(st.integers(1, 80), st.data())
@settings(max_examples=100, deadline=None)
def test_every_part_is_used_and_none_is_larger_than_the_bound(
    count: int, data: st.DataObject
) -> None:
    parts = data.draw(st.integers(1, min(count, 16)))
    kinds = data.draw(st.sampled_from(["random", "equal", "zero", "two points"]))
    rng = np.random.default_rng(count)
    vectors = unit(rng.normal(size=(count, 8)))
    if kinds == "equal":
        vectors[:] = vectors[0]
    elif kinds == "zero":
        vectors[:] = 0
    elif kinds == "two points":
        vectors[:] = vectors[np.arange(count) % 2 % count]
    tight = math.ceil(count / parts)
    capacity = data.draw(st.sampled_from([None, tight, tight + 1, count]))
    labels = BalancedKMeans().split(vectors, parts, seed=3, capacity=capacity)
    sizes = np.bincount(labels, minlength=parts)
    assert labels.shape == (count,)
    assert len(sizes) == parts
    assert sizes.min() >= 1
    assert sizes.max() <= (capacity or math.ceil(SLACK * count / parts))
    assert np.array_equal(labels, BalancedKMeans().split(vectors, parts, seed=3, capacity=capacity))


@pytest.mark.parametrize("clusterer", [BalancedKMeans(), SpectralClusterer()])
def test_separate_clusters_are_found(clusterer: Clusterer) -> None:
    vectors, truth = blobs([30, 25, 35, 30])
    assert same_partition(clusterer.split(vectors, 4, seed=0), truth)


@pytest.mark.parametrize("clusterer", [BalancedKMeans(), SpectralClusterer()])
def test_an_oversized_cluster_gives_up_what_fits_elsewhere(clusterer: Clusterer) -> None:
    vectors, truth = blobs([90, 10, 20])
    labels = clusterer.split(vectors, 3, seed=0, capacity=50)
    assert np.bincount(labels).max() <= 50
    large = labels[truth == 0]
    assert np.bincount(large).max() >= 40  # most of it stays together


def test_a_large_split_is_fitted_on_a_sample() -> None:
    vectors, truth = blobs([4_000, 4_000, 4_000], noise=0.05)
    assert same_partition(BalancedKMeans().split(vectors, 3, seed=1), truth)


def test_what_cannot_be_split_is_refused() -> None:
    vectors, _ = blobs([3, 3])
    with pytest.raises(ValueError, match="cannot fill"):
        BalancedKMeans().split(vectors, 7, seed=0)
    with pytest.raises(ValueError, match="do not fit"):
        BalancedKMeans().split(vectors, 2, seed=0, capacity=2)


def test_assign_keeps_those_with_most_to_lose() -> None:
    similarity = np.array([[0.9, 0.1], [0.9, 0.8], [0.9, 0.5], [0.2, 0.1]], np.float32)
    assert assign(similarity, 2).tolist() == [0, 1, 0, 1]


@given(st.integers(5, 700), st.integers(4, 16), st.integers(0, 2))
@settings(max_examples=40, deadline=None)
def test_a_split_always_fits_the_depth_that_is_left(count: int, branching: int, spare: int) -> None:
    if count <= branching:
        return
    vectors = unit(np.random.default_rng(count).normal(size=(count, 8)))
    levels = levels_for(count, branching) + spare
    parts = Splitter(BuildSettings(branching=branching)).split(vectors, levels)
    assert 2 <= len(parts) <= branching
    assert sorted(np.concatenate(parts).tolist()) == list(range(count))
    assert all(levels_for(len(part), branching) <= levels - 1 for part in parts)


@given(st.integers(1, 500), st.integers(4, 16))
@settings(max_examples=40, deadline=None)
def test_groups_are_small_and_as_few_as_asked(count: int, branching: int) -> None:
    vectors = unit(np.random.default_rng(count).normal(size=(count, 8)))
    splitter = Splitter(BuildSettings(branching=branching))
    fewest = math.ceil(count / branching)
    for most in (None, fewest):
        groups = splitter.groups(vectors, most)
        assert sorted(np.concatenate(groups).tolist()) == list(range(count))
        assert max(map(len, groups)) <= branching
        assert most is None or len(groups) <= most
    assert len(splitter.groups(vectors)) <= max(1, math.ceil(1.6 * count / branching))


def test_sizes() -> None:
    assert [levels_for(n, 16) for n in (1, 2, 16, 17, 256, 257)] == [0, 1, 1, 2, 2, 3]
    assert parts_for(17, 16, 16) == 2
    assert parts_for(256, 16, 16) == 16
    assert parts_for(100, 16, 16) == 9


def test_spectral_trees_are_built_as_well() -> None:
    vectors, truth = blobs([12, 12, 12, 12])
    groups = Splitter(BuildSettings(branching=16, clusterer="spectral")).groups(vectors)
    assert sorted(map(len, groups)) == [12, 12, 12, 12]
    assert all(len(set(truth[group].tolist())) == 1 for group in groups)
