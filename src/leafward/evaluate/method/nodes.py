"""Every method as a frozen dataclass; a field is an argument, its default what is not printed."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

from leafward.errors import SettingsError
from leafward.evaluate.method.checking import (
    Rewriting,
    Scalar,
    check_judge,
    check_least,
    check_rewriting,
    check_weights,
    checked_setting,
)
from leafward.evaluate.method.printing import shown
from leafward.settings import JudgeName

DEPTH = 1000
"""How far down its sources a fusion reads, unless more hits are wanted."""


@dataclass(frozen=True, slots=True)
class Bm25:
    """BM25 over title and text."""

    def __str__(self) -> str:
        return shown("bm25", self)


@dataclass(frozen=True, slots=True)
class Dense:
    """Cosine between the embeddings of query and document."""

    def __str__(self) -> str:
        return shown("dense", self)


@dataclass(frozen=True, slots=True)
class Hybrid:
    """BM25 and dense, each min-max scaled and summed with ``weights``, in this order.

    Of nine pairs of weights 0.4/0.6 was the best on train and dev queries of three sets, by 0.0003
    nDCG@10 over equal ones, which stay (benchmarks/fusion_weights.py).
    """

    weights: tuple[float, ...] = (0.5, 0.5)
    adaptive: bool = False
    depth: int = DEPTH

    def __post_init__(self) -> None:
        check_weights(self.weights, 2)
        check_least("depth", self.depth, 1)

    def __str__(self) -> str:
        return shown("hybrid", self)


@dataclass(frozen=True, slots=True)
class Tree:
    """Tree search; ``search`` holds settings of :class:`SearchSettings` by name, sorted."""

    judge: JudgeName = "auto"
    search: tuple[tuple[str, Scalar], ...] = ()

    def __post_init__(self) -> None:
        check_judge(self.judge)
        object.__setattr__(self, "search", tuple(sorted(dict(self.search).items())))
        for name, value in self.search:
            checked_setting(name, value)

    def __str__(self) -> str:
        return shown("tree", self)


@dataclass(frozen=True, slots=True)
class TreePlus:
    """LATTICE++ (v2 §3.1): tree, BM25 and dense, min-max scaled and summed with ``weights``.

    ``adaptive`` changes the weights per query with how peaked each source is; with ``cheap`` BM25
    and dense run on the query as rewritten. ``tree`` is printed as arguments of its own.
    """

    weights: tuple[float, ...] = (0.6, 0.2, 0.2)
    adaptive: bool = False
    cheap: Rewriting | None = None
    depth: int = DEPTH
    tree: Tree = field(default_factory=Tree)

    def __post_init__(self) -> None:
        check_weights(self.weights, 3)
        check_least("depth", self.depth, 1)
        if self.cheap is not None:
            check_rewriting(self.cheap)

    def __str__(self) -> str:
        return shown("tree++", self)


@dataclass(frozen=True, slots=True)
class Rrf:
    """Reciprocal rank fusion, Σ 1 / (c + rank) (Cormack, Clarke and Büttcher, SIGIR 2009)."""

    of: tuple[Method, ...]
    c: int = 60
    depth: int = DEPTH

    def __post_init__(self) -> None:
        if len(self.of) < 2:
            raise SettingsError(
                f"rrf fuses {len(self.of)} methods", hint="name at least two: rrf(bm25, dense)"
            )
        check_least("c", self.c, 1)
        check_least("depth", self.depth, 1)

    def __str__(self) -> str:
        return shown("rrf", self)


@dataclass(frozen=True, slots=True)
class Rerank:
    """Sliding windows over the ``top`` hits of ``of``, judged as tree search judges its slates.

    ``calls`` caps the windows, which are counted as tree search counts its expansions; ``top`` then
    becomes what so many windows can reach.
    """

    of: Method = field(default_factory=Hybrid)
    window: int = 20
    carry: int = 10
    top: int = 300
    calls: int | None = None
    judge: JudgeName = "auto"

    def __post_init__(self) -> None:
        check_judge(self.judge)
        check_least("window", self.window, 2)
        check_least("top", self.top, 1)
        if self.calls is not None:
            check_least("calls", self.calls, 1)
        if not 1 <= self.carry < self.window:
            raise SettingsError(
                f"carry is {self.carry} and window {self.window}",
                hint="carry from 1 to window - 1 of a window's best into the next",
            )

    def __str__(self) -> str:
        return shown("rerank", self)


@dataclass(frozen=True, slots=True)
class CrossEncoder:
    """A cross-encoder's scores for the ``top`` hits of ``of``; ``model`` is one of its library."""

    model: str = ""
    of: Method = field(default_factory=Hybrid)
    top: int = 100

    def __post_init__(self) -> None:
        check_least("top", self.top, 1)
        if not self.model.strip():
            raise SettingsError(
                "cross-encoder needs a model",
                hint="cross-encoder(model=cross-encoder/ms-marco-MiniLM-L-6-v2), or a folder",
            )

    def __str__(self) -> str:
        return shown("cross-encoder", self)


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A method behind a rewriter: what finds documents is asked the rewritten query.

    Rerankers keep judging by the user's own words: ``hyde>rerank`` is ``rerank(of=hyde>hybrid)``.
    """

    rewriting: Rewriting
    of: Method

    def __post_init__(self) -> None:
        check_rewriting(self.rewriting)

    def __str__(self) -> str:
        return f"{self.rewriting}>{self.of}"


Method = Bm25 | Dense | Hybrid | Tree | TreePlus | Rrf | Rerank | CrossEncoder | Rewritten


def argument_names(kind: type[Method]) -> tuple[str, ...]:
    """Names of a method's own arguments."""
    return tuple(each.name for each in fields(kind))
