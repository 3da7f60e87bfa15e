"""What an experiment is: one TOML file, checked before anything runs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from leafward.errors import LeafwardError
from leafward.evaluate.experiments.folder import file_name
from leafward.evaluate.measures import DEFAULT_MEASURES
from leafward.evaluate.method import parse_method
from leafward.settings import BudgetSettings, BuildSettings, ModelSettings, SearchSettings
from leafward.toml_files import explained, read_toml

_LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._+-]{0,59}")
_RESERVED = frozenset({"con", "prn", "aux", "nul"})


def _label(name: str) -> str:
    """A label names files and columns, so that it may hold nothing that leads elsewhere."""
    if not _LABEL.fullmatch(name) or name[-1] in " ." or name.lower() in _RESERVED:
        raise ValueError("use letters, digits, blanks and . _ + - in a name, 60 at most")
    return name


def _method(text: str) -> str:
    """The method's canonical form."""
    try:
        return str(parse_method(text))
    except LeafwardError as error:
        raise ValueError(
            f"{error.message} ({error.hint})" if error.hint else error.message
        ) from error


def _expanded(value: Any) -> Any:
    """``name = "method"`` is short for ``name = { method = "method" }``."""
    return {"method": value} if isinstance(value, str) else value


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class MethodSpec(_Frozen):
    """One method of an experiment.

    ``seeds`` are the experiment's unless it has its own; ``budget`` is what all of its seeds may
    spend, over all runs of the experiment.
    """

    method: Annotated[str, AfterValidator(_method)]
    model: str | None = None
    seeds: tuple[int, ...] | None = Field(None, min_length=1)
    budget: BudgetSettings = BudgetSettings()


Label = Annotated[str, AfterValidator(_label)]


class ExperimentSpec(_Frozen):
    """An experiment: a collection, methods, and how they are run.

    ``data`` is what :func:`leafward.evaluate.read_collection` reads; paths are relative to the
    file. ``limit`` draws that many queries with a fixed seed, so that a larger limit adds to them.
    The first of ``measures`` is the one that comparisons and figures show. Model, embedder and the
    tables ``build``, ``search`` and ``models`` are as in ``leafward.toml``; ``budget`` is what the
    whole experiment may spend, over all of its runs.
    """

    name: str = ""
    data: str
    split: str = "test"
    variant: str = ""
    index: Path | None = None
    results: Path | None = None
    limit: int | None = Field(None, ge=1)
    k: int = Field(1000, ge=1)
    concurrency: int = Field(8, ge=1)
    seeds: tuple[int, ...] = Field((0,), min_length=1)
    measures: tuple[str, ...] = Field(DEFAULT_MEASURES, min_length=1)
    baseline: str | None = None
    model: str | None = None
    embedder: str | None = None
    build: BuildSettings = BuildSettings()
    search: SearchSettings = SearchSettings()
    models: ModelSettings = ModelSettings()
    budget: BudgetSettings = BudgetSettings()
    methods: dict[Label, Annotated[MethodSpec, BeforeValidator(_expanded)]] = Field(min_length=1)

    @property
    def folder(self) -> Path:
        """Where results go."""
        return self.results or Path(f"{self.name or 'experiment'}.results")

    @property
    def index_path(self) -> Path:
        """Where the index is."""
        return self.index or self.folder / "index.leafward"

    @property
    def own_index(self) -> bool:
        """Whether the index is part of the results, and so was made by this experiment."""
        return self.index_path.is_relative_to(self.folder)

    @model_validator(mode="after")
    def _consistent(self) -> ExperimentSpec:
        if self.models.api_key is not None:
            raise ValueError("a key in this file would be shared with it: set it as a variable")
        folded = [file_name(label).casefold() for label in self.methods]
        if len(set(folded)) < len(folded):
            raise ValueError("two methods have names that a file system may not tell apart")
        if self.baseline is not None and self.baseline not in self.methods:
            raise ValueError(f"the baseline {self.baseline!r} is none of the methods")
        for label, method in self.methods.items():
            seeds = method.seeds or self.seeds
            if len(set(seeds)) < len(seeds):
                raise ValueError(f"a seed of {label!r} is given twice")
        return self


def read_experiment(path: str | Path) -> ExperimentSpec:
    """Read and check an experiment file; relative paths in it become absolute.

    Raises:
        SettingsError: the file is missing, no TOML, or says something that cannot be run.
    """
    path = Path(path)
    given = read_toml(path, what="experiment file", example="examples/experiment.toml")
    return experiment_from(given, path)


def experiment_from(given: Mapping[str, Any], path: Path) -> ExperimentSpec:
    """An experiment from a parsed file; ``path`` is where it stands (it need not exist).

    Raises:
        SettingsError: as :func:`read_experiment`.
    """
    try:
        spec = ExperimentSpec.model_validate(given)
    except ValidationError as error:
        raise explained(error, path, page="docs/evaluation.md") from error
    folder = path.absolute().parent
    return spec.model_copy(
        update={
            "name": spec.name or path.stem,
            "data": spec.data if spec.data.startswith("irds:") else str(folder / spec.data),
            "index": folder / spec.index if spec.index else None,
            "results": folder / (spec.results or f"{path.stem}.results"),
        }
    )
