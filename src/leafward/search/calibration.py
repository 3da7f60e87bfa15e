"""Exact calibration: slate-independent latent scores from slate-dependent raw ones.

Model (LATTICE v2 eq. 2-3, with the global scale a fixed to 1): s_iv ≈ θ_v + b_i for slate i and
node v. :func:`fit` minimises

    Σ (s_iv - θ_v - b_i)² + λ_b Σ b_i² + λ_θ Σ (θ_v - θ̄)²

exactly. θ̄, the mean of θ, is one more unknown μ (minimising over μ gives μ = θ̄). The θ block of
the normal equations is diagonal; eliminating it leaves one small system in (b, μ).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Fit:
    """Latent scores float64 ``[nodes]``, slate biases float64 ``[slates]``, and the prior mean.

    ``mean`` is θ̄: what is expected of a node that nobody has scored.
    """

    latent: Floats
    bias: Floats
    mean: float


def fit(
    slates: Ints,
    nodes: Ints,
    scores: Floats,
    *,
    lambda_bias: float,
    lambda_latent: float,
) -> Fit:
    """Fit latent scores and biases to observations (slates[j], nodes[j], scores[j]).

    Slates and nodes are numbered from 0 without gaps; every one has an observation. The constant
    that data cannot tell (θ + c, b - c) is fixed after the fit: the mean of b, weighted by the
    number of observations, is 0, so that θ keeps the scale of the raw scores.

    Cost: O(observations + slates³); no iteration.
    """
    bias, mean, totals, counts = _biases(slates, nodes, scores, lambda_bias, lambda_latent)
    residual = totals - np.bincount(nodes, weights=bias[slates], minlength=len(totals))
    latent = (residual + lambda_latent * mean) / (counts + lambda_latent)
    shift = float(bias[slates].mean())
    return Fit(latent + shift, bias - shift, mean + shift)


def _biases(
    slates: Ints, nodes: Ints, scores: Floats, lambda_bias: float, lambda_latent: float
) -> tuple[Floats, float, Floats, Floats]:
    """Solve the reduced system for (b, μ); also returns each node's score total and count."""
    node_count, slate_count = int(nodes.max()) + 1, int(slates.max()) + 1
    shown = np.zeros((node_count, slate_count))
    shown[nodes, slates] = 1.0
    counts = shown.sum(axis=1)
    totals = np.bincount(nodes, weights=scores, minlength=node_count)
    weight = 1.0 / (counts + lambda_latent)
    scaled = shown * weight[:, None]

    system = np.empty((slate_count + 1, slate_count + 1))
    system[:-1, :-1] = -(shown.T @ scaled)
    system[range(slate_count), range(slate_count)] += shown.sum(axis=0) + lambda_bias
    system[:-1, -1] = system[-1, :-1] = lambda_latent * scaled.sum(axis=0)
    system[-1, -1] = lambda_latent * (node_count - lambda_latent * weight.sum())
    right = np.empty(slate_count + 1)
    right[:-1] = np.bincount(slates, weights=scores, minlength=slate_count) - scaled.T @ totals
    right[-1] = lambda_latent * (weight @ totals)
    if lambda_bias > 0 and lambda_latent > 0:
        solution = np.linalg.solve(system, right)
    else:  # a ridge of 0 can leave a constant free: take the solution of least norm
        solution = np.linalg.lstsq(system, right, rcond=None)[0]
    bias: Floats = solution[:-1].astype(np.float64)
    return bias, float(solution[-1]), totals.astype(np.float64), counts
