"""The table with one row for each method, seed and query: CSV always, Parquet where it can be."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from leafward.errors import CorpusError
from leafward.evaluate.experiments.results import ExperimentResult, MethodResult, Run
from leafward.evaluate.files import write_lines
from leafward.evaluate.summary import Summary
from leafward.types import NO_USAGE, Outcome

Row = dict[str, str | int | float | bool | None]

KEYS = ("method", "seed", "query")
COSTS = (
    "calls",
    "prompt_tokens",
    "cached_tokens",
    "completion_tokens",
    "money",
    "cache_hits",
    "saved_tokens",
    "saved_money",
)


def rows(result: ExperimentResult) -> Iterator[Row]:
    """Rows of all methods; measures are None where a query has no ranking."""
    for method in result.methods:
        for run, summary in zip(method.runs, method.summaries, strict=True):
            for outcome in run.outcomes:
                yield _row(method, run, summary, outcome)


def _row(method: MethodResult, run: Run, summary: Summary, outcome: Outcome) -> Row:
    ranking = outcome.ranking
    usage = NO_USAGE if ranking is None else ranking.usage
    return {
        "method": method.label,
        "seed": run.seed,
        "query": outcome.query_id,
        **{name: values.get(outcome.query_id) for name, values in summary.per_query.items()},
        **{name: getattr(usage, name) for name in COSTS},
        "seconds": outcome.seconds,
        "judged": 0 if ranking is None else ranking.judged,
        "degraded": ranking is not None and ranking.degraded,
        "error": outcome.error,
    }


def write_csv(path: Path, result: ExperimentResult) -> None:
    """Write the table; an empty cell is no value."""
    text = io.StringIO()
    every = list(rows(result))
    writer = csv.DictWriter(text, list(every[0]) if every else KEYS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(every)
    # Not splitlines: what an id holds of other line ends stays in its cell.
    write_lines(path, text.getvalue().split("\n")[:-1])


def write_parquet(path: Path, result: ExperimentResult) -> bool:
    """Write the table as Parquet, where pyarrow is installed (extra ``parquet``); says whether."""
    if find_spec("pyarrow") is None:
        return False
    import pyarrow
    from pyarrow import parquet

    parquet.write_table(pyarrow.Table.from_pylist(list(rows(result))), path)
    return True


def read_csv(path: Path) -> dict[str, dict[str, dict[str, float]]]:
    """Values by method, measure and query, means over seeds, from a table.

    Raises:
        CorpusError: there is no such table, or it is damaged.
    """
    try:
        with path.open(encoding="utf-8", newline="") as file:
            found = list(csv.DictReader(file))
        return _means(found)
    except (OSError, UnicodeDecodeError, csv.Error, KeyError, ValueError, TypeError) as error:
        raise CorpusError(
            f"this is no table of an experiment: {error}",
            path=path,
            hint="run the experiment again: it writes the table anew, for nothing",
        ) from error


def _means(found: list[dict[str, str]]) -> dict[str, dict[str, dict[str, float]]]:
    columns = list(found[0]) if found else []
    measures = columns[len(KEYS) : columns.index(COSTS[0])] if found else []
    sums: dict[str, dict[str, dict[str, list[float]]]] = {}
    for row in found:
        method = sums.setdefault(row["method"], {name: {} for name in measures})
        for name in measures:
            if row[name]:
                method[name].setdefault(row["query"], []).append(float(row[name]))
    return {
        method: {
            name: {query: sum(values) / len(values) for query, values in by_query.items()}
            for name, by_query in by_measure.items()
        }
        for method, by_measure in sums.items()
    }
