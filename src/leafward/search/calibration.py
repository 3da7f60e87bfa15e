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
    node_count: int | None = None,
) -> Fit:
    """Fit latent scores and biases to observations (slates[j], nodes[j], scores[j]).

    Slates and nodes are numbered from 0. A node without an observation (there may be some where
    ``node_count`` says so) gets θ̄, which takes ``lambda_latent`` > 0. The constant
    that data cannot tell (θ + c, b - c) is fixed after the fit: the mean of b, weighted by the
    number of observations, is 0, so that θ keeps the scale of the raw scores.

    Cost: O(observations + slates³); no iteration.
    """
    total = node_count or int(nodes.max()) + 1
    counts = np.bincount(nodes, minlength=total)
    weight: Floats = 1.0 / (counts.astype(np.float64) + lambda_latent)
    totals = np.bincount(nodes, weights=scores, minlength=total)
    system = _system(slates, nodes, counts, weight, lambda_bias, lambda_latent)
    right = np.append(
        np.bincount(slates, weights=scores - (weight * totals)[nodes]),
        lambda_latent * (weight @ totals),
    )
    if lambda_bias > 0 and lambda_latent > 0:
        solution = np.linalg.solve(system, right)
    else:  # a ridge of 0 can leave a constant free: take the solution of least norm
        solution = np.linalg.lstsq(system, right, rcond=None)[0]
    bias: Floats = solution[:-1].astype(np.float64)
    mean = float(solution[-1])
    explained = np.bincount(nodes, weights=bias[slates], minlength=total)
    latent: Floats = (totals - explained + lambda_latent * mean) * weight
    shift = float(bias[slates].mean())
    return Fit(latent + shift, bias - shift, mean + shift)


def _system(
    slates: Ints,
    nodes: Ints,
    counts: Ints,
    weight: Floats,
    lambda_bias: float,
    lambda_latent: float,
) -> Floats:
    """Normal equations for (b, μ) after elimination of θ, float64 ``[slates + 1, slates + 1]``.

    Most nodes stand on one slate only and touch the diagonal alone; products are formed for those
    that connect slates.
    """
    size = int(slates.max()) + 1
    own = np.bincount(slates, weights=weight[nodes])  # Σ_v weight over each slate
    system = np.empty((size + 1, size + 1))
    system[:-1, :-1] = -_shared(slates, nodes, counts > 1, weight, size)
    single = np.bincount(slates, weights=np.where(counts[nodes] > 1, 0.0, weight[nodes]))
    system.flat[: -1 : size + 2] += np.bincount(slates) + lambda_bias - single  # the diagonal
    system[:-1, -1] = system[-1, :-1] = lambda_latent * own
    system[-1, -1] = lambda_latent * (len(weight) - lambda_latent * weight.sum())
    return system


def _shared(
    slates: Ints, nodes: Ints, several: npt.NDArray[np.bool_], weight: Floats, size: int
) -> Floats:
    """Σ_v weight_v over the nodes that stand on both slates i and j, by (i, j)."""
    rows = np.cumsum(several) - 1
    seen = np.flatnonzero(several[nodes])
    connecting = nodes[seen]
    # The root on both sides, so that BLAS sees a product of a matrix with itself: half the work.
    root = np.zeros((int(rows[-1]) + 1, size))
    root[rows[connecting], slates[seen]] = np.sqrt(weight)[connecting]
    product: Floats = root.T @ root
    return product
