"""Exact calibration: slate-independent latent scores from slate-dependent raw ones.

Model (LATTICE v2 eq. 2-3, with the global scale a fixed to 1): s_iv ≈ θ_v + b_i for slate i and
node v. :class:`Calibration` minimises

    Σ (s_iv - θ_v - b_i)² + λ_b Σ b_i² + λ_θ Σ (θ_v - θ̄)²

exactly. θ̄, the mean of θ, is one more unknown μ (minimising over μ gives μ = θ̄). The θ block of
the normal equations is diagonal; eliminating it leaves one small system in (b, μ), whose parts are
kept up to date from slate to slate: with w_v = 1 / (n_v + λ_θ) and T_v = Σ_i s_iv,

    (n_i + λ_b) b_i - Σ_j M_ij b_j + λ_θ M_ii μ = Σ_v∈i s_iv - Σ_v∈i w_v T_v,  M_ij = Σ_v∈i∩j w_v
    λ_θ Σ_i M_ii b_i + λ_θ Σ_v (1 - λ_θ w_v) μ = λ_θ Σ_v w_v T_v
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from leafward.search.growing import Growing, grown

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


class Calibration:
    """The normal equations of one search, extended slate by slate.

    Adding a slate of c nodes costs O(slates² · c), solving O(slates³ + observations): no iteration,
    and nothing is summed again that an earlier slate has summed.
    """

    def __init__(self, *, lambda_bias: float, lambda_latent: float) -> None:
        self._lambda_bias = lambda_bias
        self._lambda_latent = lambda_latent
        self._slates = Growing(np.int64)
        self._nodes = Growing(np.int64)
        self._slate_count = 0
        # All with spare room: few operations, on whole arrays, are what makes a step fast.
        self._on: npt.NDArray[np.bool_] = np.zeros((0, 0), dtype=np.bool_)  # node on slate
        self._counts, self._totals = np.zeros(0), np.zeros(0)  # n_v, T_v
        self._weight, self._explained = np.zeros(0), np.zeros(0)  # w_v, w_v T_v; 0 where unseen
        self._shared = np.zeros((0, 0))  # M
        self._right, self._sizes = np.zeros(0), np.zeros(0)  # right-hand side, n_i

    def add(self, nodes: Ints, scores: Floats, *, node_count: int) -> None:
        """Add a slate: distinct nodes below ``node_count``, int64 ``[c]``, and scores ``[c]``."""
        slate = self._slate_count
        self._slate_count += 1
        self._make_room(node_count)
        before = self._on[nodes].astype(np.float64)  # [c, slates]
        old_weight, old_explained = self._weight[nodes], self._explained[nodes]
        self._counts[nodes] += 1.0
        self._totals[nodes] += scores
        weight = 1.0 / (self._counts[nodes] + self._lambda_latent)
        explained = weight * self._totals[nodes]
        self._weight[nodes], self._explained[nodes] = weight, explained

        self._shared += (before.T * (weight - old_weight)) @ before
        self._shared[slate] = self._shared[:, slate] = weight @ before
        self._shared[slate, slate] = weight.sum()
        self._right -= (explained - old_explained) @ before
        self._right[slate] = (scores - explained).sum()
        self._sizes[slate] = len(nodes)
        self._on[nodes, slate] = True
        self._slates.extend([slate] * len(nodes))
        self._nodes.extend(nodes)

    def solve(self, node_count: int) -> Fit:
        """The minimum over θ ``[node_count]`` and b; a node without an observation gets θ̄.

        The constant that data cannot tell (θ + c, b - c) is fixed after the fit: the mean of b,
        weighted by the number of observations, is 0, so that θ keeps the scale of the raw scores.
        """
        self._make_room(node_count)
        totals = self._totals[:node_count]
        weight = 1.0 / (self._counts[:node_count] + self._lambda_latent)
        system, right = self._equations(weight, totals)
        if self._lambda_bias > 0 and self._lambda_latent > 0:
            solution = np.linalg.solve(system, right)
        else:  # a ridge of 0 can leave a constant free: take the solution of least norm
            solution = np.linalg.lstsq(system, right, rcond=None)[0]
        bias: Floats = solution[:-1].astype(np.float64)
        mean = float(solution[-1])
        explained = np.bincount(self._nodes.view, bias[self._slates.view], minlength=node_count)
        latent: Floats = (totals - explained + self._lambda_latent * mean) * weight
        shift = float(bias @ self._sizes[: len(bias)]) / len(self._nodes)
        return Fit(latent + shift, bias - shift, mean + shift)

    def _equations(self, weight: Floats, totals: Floats) -> tuple[Floats, Floats]:
        """The system in (b, μ), float64 ``[slates + 1, slates + 1]``, and its right-hand side."""
        size, ridge = self._slate_count, self._lambda_latent
        system = -self._shared[: size + 1, : size + 1]
        system[:-1, -1] = system[-1, :-1] = -ridge * system.diagonal()[:-1]
        system.flat[:: size + 2] += self._sizes[: size + 1] + self._lambda_bias  # the diagonal
        system[-1, -1] = ridge * (len(weight) - ridge * weight.sum())
        right = self._right[: size + 1].copy()
        right[-1] = ridge * (weight @ totals)
        return system, right

    def _make_room(self, nodes: int) -> None:
        """Room for these nodes, and for one slate more than there are (which stands for μ)."""
        height, width = self._on.shape
        if nodes <= height and self._slate_count < width:
            return
        height = max(height, 1 << nodes.bit_length())
        width = max(width, 1 << max(self._slate_count, 32).bit_length())
        self._on = grown(self._on, height, width)
        self._shared = grown(self._shared, width, width)
        self._right, self._sizes = grown(self._right, width), grown(self._sizes, width)
        self._counts, self._totals = grown(self._counts, height), grown(self._totals, height)
        self._weight = grown(self._weight, height)
        self._explained = grown(self._explained, height)


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

    Slates and nodes are numbered from 0, no node stands twice on one slate; see
    :class:`Calibration`.
    """
    calibration = Calibration(lambda_bias=lambda_bias, lambda_latent=lambda_latent)
    total = node_count or int(nodes.max()) + 1
    for slate in range(int(slates.max()) + 1):
        rows = np.flatnonzero(slates == slate)
        calibration.add(nodes[rows], scores[rows], node_count=total)
    return calibration.solve(total)
