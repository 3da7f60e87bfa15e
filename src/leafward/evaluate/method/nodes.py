"""Every method as a frozen dataclass; a field is an argument, its default what is not printed."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Literal, get_args

from pydantic import ValidationError

from leafward.errors import SettingsError
from leafward.evaluate.method.printing import shown
from leafward.settings import JudgeName, SearchSettings

Rewriting = Literal["rewrite", "hyde", "query2doc"]
Scalar = bool | int | float | str | None
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

    The default was chosen on train and dev queries: benchmarks/fusion_weights.py.
    """

    weights: tuple[float, ...] = (0.5, 0.5)
    adaptive: bool = False
    depth: int = DEPTH

    def __post_init__(self) -> None:
        _check_weights(self.weights, 2)
        _at_least("depth", self.depth, 1)

    def __str__(self) -> str:
        return shown("hybrid", self)


@dataclass(frozen=True, slots=True)
class Tree:
    """Tree search; ``search`` holds settings of :class:`SearchSettings` by name, sorted."""

    judge: JudgeName = "auto"
    search: tuple[tuple[str, Scalar], ...] = ()

    def __post_init__(self) -> None:
        _check_judge(self.judge)
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
        _check_weights(self.weights, 3)
        _at_least("depth", self.depth, 1)
        if self.cheap is not None:
            _check_rewriting(self.cheap)

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
        _at_least("c", self.c, 1)
        _at_least("depth", self.depth, 1)

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
        _check_judge(self.judge)
        _at_least("window", self.window, 2)
        _at_least("top", self.top, 1)
        if self.calls is not None:
            _at_least("calls", self.calls, 1)
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
        _at_least("top", self.top, 1)
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
        _check_rewriting(self.rewriting)

    def __str__(self) -> str:
        return f"{self.rewriting}>{self.of}"


Method = Bm25 | Dense | Hybrid | Tree | TreePlus | Rrf | Rerank | CrossEncoder | Rewritten


def checked_setting(name: str, value: object) -> Scalar:
    """A setting of tree search as :class:`SearchSettings` holds it.

    Raises:
        SettingsError: there is no such setting, or the value is out of range.
    """
    known = tuple(SearchSettings.model_fields)
    if name not in known:
        raise SettingsError(
            f"tree search has no setting {name}", hint=f"it has judge, {', '.join(known)}"
        )
    try:
        settings = SearchSettings.model_validate({name: value})
    except ValidationError as error:
        raise SettingsError(
            f"{name}: {error.errors()[0]['msg']}, not {value!r}",
            hint=SearchSettings.model_fields[name].description or "docs/cli.md lists the settings",
        ) from error
    checked: Scalar = getattr(settings, name)
    return checked


def argument_names(kind: type[Method]) -> tuple[str, ...]:
    """Names of a method's own arguments."""
    return tuple(each.name for each in fields(kind))


def _check_weights(weights: tuple[float, ...], count: int) -> None:
    if len(weights) != count or min(weights) < 0 or not 0 < sum(weights) < float("inf"):
        raise SettingsError(
            f"weights are {'/'.join(map(str, weights))}",
            hint=f"give {count} numbers from 0, not all of them 0, such as "
            + "/".join(["0.6", "0.2", "0.2"] if count == 3 else ["0.5"] * count),
        )


def _check_judge(judge: str) -> None:
    if judge not in get_args(JudgeName):
        raise SettingsError(
            f"there is no judge {judge}", hint=f"use {', '.join(get_args(JudgeName))}"
        )


def _check_rewriting(name: str) -> None:
    if name not in get_args(Rewriting):
        raise SettingsError(
            f"there is no rewriter {name}", hint=f"use {', '.join(get_args(Rewriting))}"
        )


def _at_least(name: str, value: int, least: int) -> None:
    if value < least:
        raise SettingsError(f"{name} is {value}", hint=f"give a number from {least}")
