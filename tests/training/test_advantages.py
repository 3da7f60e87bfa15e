"""Advantages: what a completion was worth beside its like."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leafward.training.advantages import flat_share, group_advantages

REWARDS = st.lists(
    st.one_of(st.none(), st.sampled_from([-4.0, -3.0, -2.5, 1.1, 6.0])), min_size=4, max_size=4
)


def test_by_hand() -> None:
    # Mean 0; standard deviation of a sample √((4 + 4 + 4 + 36) / 3) = 4.
    found = group_advantages([-2.0, -2.0, -2.0, 6.0], 4)
    assert found == pytest.approx([-0.5, -0.5, -0.5, 1.5], abs=1e-4)
    assert group_advantages([-2.0, -2.0, -2.0, 6.0], 4, "centred") == [-2.0, -2.0, -2.0, 6.0]


def test_our_failures_are_in_no_mean() -> None:
    assert group_advantages([1.0, None, 3.0, None], 4, "centred") == [-1.0, 0.0, 1.0, 0.0]
    assert group_advantages([None, 5.0], 2) == [0.0, 0.0]


def test_equals_teach_nothing() -> None:
    rewards = [6.0, 6.0, -4.0, 6.0, None, None, None, 1.0]
    assert group_advantages(rewards, 2)[:2] == [0.0, 0.0]
    assert flat_share(rewards, 2) == 0.75


@given(st.lists(REWARDS, min_size=1, max_size=4))
def test_every_group_is_centred_and_alone(groups: list[list[float | None]]) -> None:
    together = group_advantages([reward for group in groups for reward in group], 4)
    for place, group in enumerate(groups):
        mine = together[4 * place : 4 * place + 4]
        assert mine == group_advantages(group, 4)
        assert math.fsum(mine) == pytest.approx(0, abs=1e-9)
        assert all(value == 0 for value, reward in zip(mine, group, strict=True) if reward is None)
