"""What a report has to say about how its figures were made."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version

from leafward.evaluate.experiments.spec import ExperimentSpec
from leafward.types import Tree


@dataclass(frozen=True, slots=True)
class Facts:
    """How an experiment was run.

    ``absent`` counts documents judged relevant that the index does not hold; ``texts`` has the
    queries' words by id; ``settings`` is what the file says of methods, budgets and searches.
    """

    name: str
    documents: int
    nodes: int
    depth: int
    model: str | None
    embedder: str
    strategy: str
    absent: int
    k: int
    limit: int | None
    concurrency: int
    texts: Mapping[str, str]
    settings: Mapping[str, object]
    versions: Mapping[str, str]

    @classmethod
    def of(
        cls,
        spec: ExperimentSpec,
        tree: Tree,
        *,
        model: str | None,
        embedder: str,
        strategy: str,
        absent: int,
        texts: Mapping[str, str],
    ) -> Facts:
        """Facts of an experiment over an index."""
        told = spec.model_dump(mode="json", exclude_unset=True, exclude={"models", "results"})
        return cls(
            name=spec.name,
            documents=len(tree.leaves),
            nodes=len(tree.nodes),
            depth=tree.depth,
            model=model,
            embedder=embedder,
            strategy=strategy,
            absent=absent,
            k=spec.k,
            limit=spec.limit,
            concurrency=spec.concurrency,
            texts=texts,
            settings={name: value for name, value in told.items() if name not in ("data", "index")},
            versions={
                "leafward": version("leafward"),
                "ir-measures": version("ir-measures"),
                "python": platform.python_version(),
            },
        )
