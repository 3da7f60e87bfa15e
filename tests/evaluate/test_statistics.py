"""Intervals and tests: against theory, against brute force, and repeatable."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leafward.errors import SettingsError
from leafward.evaluate import bootstrap, compare, holm, told_p
from leafward.evaluate.statistics import bootstrap_columns, paired_p

UNIT = st.floats(0, 1, allow_nan=False).map(lambda x: round(x, 6))


def test_the_interval_is_that_of_the_normal_distribution_where_it_holds() -> None:
    values = np.random.default_rng(1).normal(0.5, 0.1, 400)
    interval = bootstrap(values, seed=2)
    half = 1.96 * values.std() / np.sqrt(len(values))
    assert interval.low == pytest.approx(values.mean() - half, abs=0.1 * half)
    assert interval.high == pytest.approx(values.mean() + half, abs=0.1 * half)


def test_the_interval_covers_the_truth_as_often_as_it_says() -> None:
    rng = np.random.default_rng(3)
    covered = 0
    for _ in range(200):
        interval = bootstrap(rng.random(60), draws=400)
        covered += interval.low <= 0.5 <= interval.high
    assert 176 <= covered <= 199  # 95 % of 200, four standard deviations around it


@given(st.lists(UNIT, min_size=1, max_size=30), st.integers(0, 5))
@settings(max_examples=30)
def test_the_interval_holds_the_mean_and_no_more_than_the_range(
    values: list[float], seed: int
) -> None:
    array = np.array(values)
    interval = bootstrap(array, draws=300, seed=seed)
    assert array.min() - 1e-12 <= interval.low <= interval.high <= array.max() + 1e-12
    assert interval == bootstrap(array, draws=300, seed=seed)


def test_one_value_has_no_width() -> None:
    interval = bootstrap(np.array([0.25]))
    assert (interval.low, interval.high) == (0.25, 0.25)


def test_columns_are_resampled_alike() -> None:
    values = np.random.default_rng(0).random(40)
    one, twice = bootstrap_columns(np.stack([values, 2 * values], axis=1))
    assert (twice.low, twice.high) == pytest.approx((2 * one.low, 2 * one.high))
    alone = bootstrap(values)
    assert (one.low, one.high) == pytest.approx((alone.low, alone.high))


def test_more_confidence_is_wider() -> None:
    values = np.random.default_rng(0).random(50)
    narrow, wide = bootstrap(values, confidence=0.5), bootstrap(values, confidence=0.99)
    assert wide.low < narrow.low < narrow.high < wide.high


@pytest.mark.parametrize("confidence", [0.0, 1.0, 95.0])
def test_a_confidence_that_is_none_is_refused(confidence: float) -> None:
    with pytest.raises(SettingsError):
        bootstrap(np.array([1.0]), confidence=confidence)


def test_nothing_has_no_mean() -> None:
    with pytest.raises(SettingsError, match="nothing"):
        bootstrap(np.array([]))


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=7))
def test_few_differences_are_tested_exactly(differences: list[int]) -> None:
    total = abs(sum(differences))
    signs = list(itertools.product([1, -1], repeat=len(differences)))
    extreme = sum(
        abs(sum(s * d for s, d in zip(sign, differences, strict=True))) >= total for sign in signs
    )
    assert paired_p(np.array(differences, dtype=float)) == pytest.approx(extreme / len(signs))


def test_drawn_and_exact_p_values_agree() -> None:
    rng = np.random.default_rng(5)
    differences = rng.normal(0.3, 1, 13)
    exact = paired_p(differences)
    drawn = paired_p(np.concatenate([differences, [1e-9]]))  # one more: no longer exact
    assert drawn == pytest.approx(exact, abs=0.03)


def test_p_values_are_uniform_where_nothing_differs() -> None:
    rng = np.random.default_rng(7)
    p_values = [paired_p(rng.normal(0, 1, 30), draws=400, seed=i) for i in range(200)]
    assert 0.0 <= np.mean(np.array(p_values) < 0.05) <= 0.12
    assert np.mean(p_values) == pytest.approx(0.5, abs=0.08)


def test_a_clear_difference_is_clear_and_never_impossible() -> None:
    p_value = paired_p(np.full(200, 0.1))
    assert 0 < p_value < 0.001


def test_no_difference_is_no_evidence() -> None:
    assert paired_p(np.zeros(50)) == 1.0


def test_holm_by_hand() -> None:
    corrected = holm({"a": 0.01, "b": 0.04, "c": 0.03, "d": 0.005})
    assert corrected == pytest.approx({"d": 0.02, "a": 0.03, "c": 0.06, "b": 0.06})
    assert list(corrected) == ["a", "b", "c", "d"]


@given(st.dictionaries(st.text(max_size=3), st.floats(0, 1), max_size=8))
def test_holm_lies_between_none_and_bonferroni(p_values: dict[str, float]) -> None:
    corrected = holm(p_values)
    for name, value in p_values.items():
        assert value <= corrected[name] <= min(1.0, len(p_values) * value)
    ordered = sorted(p_values, key=lambda name: p_values[name])
    assert [corrected[name] for name in ordered] == sorted(corrected.values())


@pytest.mark.parametrize(
    ("value", "digits", "told"),
    [(0.04567, 3, "0.046"), (0.0004, 3, "<0.001"), (0.0004, 4, "0.0004"), (1.0, 3, "1.000")],
)
def test_a_small_p_value_is_not_told_as_none(value: float, digits: int, told: str) -> None:
    assert told_p(value, digits) == told


def test_compare_counts_wins_ties_and_losses() -> None:
    baseline = {"q1": 0.5, "q2": 0.5, "q3": 0.5, "q4": 0.1 + 0.2, "lost": 1.0}
    other = {"q1": 0.7, "q2": 0.4, "q3": 0.5, "q4": 0.3, "extra": 0.0}
    (found,) = compare(baseline, {"new": other})
    assert (found.name, found.wins, found.ties, found.losses) == ("new", 1, 2, 1)
    assert found.unpaired == 2
    assert found.difference == pytest.approx(0.025)
    assert found.interval.low <= found.difference <= found.interval.high


def test_compare_corrects_over_all_methods() -> None:
    rng = np.random.default_rng(0)
    baseline = {f"q{i}": float(value) for i, value in enumerate(rng.random(60))}
    better = {q: value + 0.05 * float(rng.random()) for q, value in baseline.items()}
    noise = {q: value + 0.1 * float(rng.normal()) for q, value in baseline.items()}
    first, second = compare(baseline, {"better": better, "noise": noise})
    assert first.p_corrected == pytest.approx(2 * first.p_value)
    assert first.p_corrected < 0.01 < second.p_corrected
    assert compare(baseline, {"better": better, "noise": noise}) == (first, second)


def test_methods_without_a_common_query_are_refused() -> None:
    with pytest.raises(SettingsError, match="'other'"):
        compare({"q1": 1.0}, {"other": {"q2": 1.0}})
