from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leafward.search.calibration import Calibration, Fit, fit

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@st.composite
def histories(draw: st.DrawFn) -> tuple[Ints, Ints, Floats]:
    """Random slates over random nodes, renumbered so that every node was seen."""
    slates: list[int] = []
    nodes: list[int] = []
    for slate in range(draw(st.integers(1, 12))):
        members = draw(st.sets(st.integers(0, 30), min_size=1, max_size=10))
        slates += [slate] * len(members)
        nodes += sorted(members)
    scores = draw(st.lists(st.floats(0, 1), min_size=len(nodes), max_size=len(nodes)))
    return np.array(slates), np.unique(nodes, return_inverse=True)[1], np.array(scores)


def dense(history: tuple[Ints, Ints, Floats], lambda_bias: float, lambda_latent: float) -> Fit:
    """The same objective as rows of one least-squares problem in (θ, b)."""
    slates, nodes, scores = history
    v, s = nodes.max() + 1, slates.max() + 1
    data = np.zeros((len(scores), v + s))
    data[np.arange(len(scores)), nodes] = 1
    data[np.arange(len(scores)), v + slates] = 1
    ridge_bias = np.hstack([np.zeros((s, v)), np.sqrt(lambda_bias) * np.eye(s)])
    centred = np.sqrt(lambda_latent) * (np.eye(v) - 1 / v)
    ridge_latent = np.hstack([centred, np.zeros((v, s))])
    matrix = np.vstack([data, ridge_bias, ridge_latent])
    right = np.concatenate([scores, np.zeros(s + v)])
    solution = np.linalg.lstsq(matrix, right, rcond=None)[0]
    latent, bias = solution[:v], solution[v:]
    shift = bias[slates].mean()
    return Fit(latent + shift, bias - shift, float((latent + shift).mean()))


@given(histories(), st.floats(1e-3, 2), st.floats(1e-3, 2))
def test_equals_dense_least_squares(
    history: tuple[Ints, Ints, Floats], lambda_bias: float, lambda_latent: float
) -> None:
    ours = fit(*history, lambda_bias=lambda_bias, lambda_latent=lambda_latent)
    reference = dense(history, lambda_bias, lambda_latent)
    np.testing.assert_allclose(ours.latent, reference.latent, atol=1e-9)
    np.testing.assert_allclose(ours.bias, reference.bias, atol=1e-9)
    assert ours.mean == pytest.approx(reference.mean, abs=1e-9)


def test_stays_exact_over_a_long_search() -> None:
    """The normal equations are only ever added to: errors must not add up, rooms must grow."""
    rng = np.random.default_rng(0)
    calibration = Calibration(lambda_bias=0.05, lambda_latent=0.05)
    slates, nodes, scores = [], [], []
    for slate in range(200):
        known = 5 * (slate + 1)
        fresh = np.arange(known - 5, known)
        again = rng.choice(known - 5, min(10, known - 5), replace=False)
        members, values = np.concatenate([fresh, again]), rng.random(5 + len(again))
        calibration.add(members, values, node_count=known)
        slates += [slate] * len(members)
        nodes += members.tolist()
        scores += values.tolist()
        if slate in (3, 63, 64, 199):
            history = np.array(slates), np.array(nodes), np.array(scores)
            ours, reference = calibration.solve(known), dense(history, 0.05, 0.05)
            np.testing.assert_allclose(ours.latent, reference.latent, atol=1e-9)
            np.testing.assert_allclose(ours.bias, reference.bias, atol=1e-9)


def test_a_node_that_nobody_scored_gets_the_mean() -> None:
    calibration = Calibration(lambda_bias=0.05, lambda_latent=0.05)
    calibration.add(np.array([0, 2]), np.array([0.2, 0.6]), node_count=3)
    ours = calibration.solve(4)
    assert ours.latent[1] == ours.latent[3] == pytest.approx(ours.mean)


@given(histories())
def test_gauge_is_weighted_mean_of_bias(history: tuple[Ints, Ints, Floats]) -> None:
    ours = fit(*history, lambda_bias=0.05, lambda_latent=0.01)
    assert abs(ours.bias[history[0]].mean()) < 1e-12


def test_recovers_latents_hidden_by_slate_bias() -> None:
    rng = np.random.default_rng(0)
    latent, bias = rng.random(40), rng.normal(0, 0.5, 20)
    members = np.array([rng.choice(40, 10, replace=False) for _ in range(20)])
    slates = np.repeat(np.arange(20), 10)
    nodes = members.ravel()
    assert len(np.unique(nodes)) == 40
    ours = fit(slates, nodes, latent[nodes] + bias[slates], lambda_bias=1e-6, lambda_latent=1e-6)
    assert np.corrcoef(ours.latent, latent)[0, 1] > 0.9999


def test_without_ridge_takes_least_norm() -> None:
    slates, nodes = np.array([0, 0, 1, 1]), np.array([0, 1, 2, 3])
    ours = fit(slates, nodes, np.array([0.2, 0.8, 0.1, 0.3]), lambda_bias=0.0, lambda_latent=0.0)
    assert np.isfinite(ours.latent).all()
    assert ours.latent[1] - ours.latent[0] == pytest.approx(0.6)
    assert ours.latent[3] - ours.latent[2] == pytest.approx(0.2)
