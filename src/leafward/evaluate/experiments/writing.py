"""Writing everything that an experiment leaves: runs, table, figures, report, manifest."""

from __future__ import annotations

import json
from collections.abc import Mapping

from leafward.evaluate.experiments.facts import Facts
from leafward.evaluate.experiments.figures import draw_figures
from leafward.evaluate.experiments.folder import Folder
from leafward.evaluate.experiments.report import report
from leafward.evaluate.experiments.results import ExperimentResult
from leafward.evaluate.experiments.studying import study
from leafward.evaluate.experiments.table import write_csv, write_parquet
from leafward.evaluate.files import write_lines
from leafward.evaluate.trec import write_run

FORMAT = 1


def write_results(folder: Folder, result: ExperimentResult, facts: Facts) -> None:
    """Write all files; each all or nothing.

    Raises:
        MissingExtra: matplotlib is not installed.
    """
    write_data(folder, result, facts)
    studied = study(result)
    drawn = draw_figures(folder, studied)
    write_lines(folder.report, report(studied, facts, drawn))


def write_data(folder: Folder, result: ExperimentResult, facts: Facts) -> None:
    """Write what programs read: runs, the table, the manifest."""
    for method in result.methods:
        for run in method.runs:
            found = {o.query_id: o.ranking for o in run.outcomes if o.ranking is not None}
            write_run(folder.run(run.label, run.seed), found, tag=run.label)
    write_csv(folder.table, result)
    write_parquet(folder.parquet, result)
    text = json.dumps(manifest(result, facts), indent=2, ensure_ascii=False)
    write_lines(folder.manifest, text.splitlines())


def manifest(result: ExperimentResult, facts: Facts) -> Mapping[str, object]:
    """What was run, for `compare` and for other programs."""
    return {
        "format": FORMAT,
        "name": facts.name,
        "collection": result.collection.name,
        "split": result.collection.split,
        "queries": len(result.collection.queries),
        "measures": list(result.measures),
        "baseline": result.baseline,
        "complete": result.complete,
        "model": facts.model,
        "embedder": facts.embedder,
        "methods": {
            method.label: {"method": method.method, "seeds": list(method.seeds)}
            for method in result.methods
        },
        "versions": dict(facts.versions),
    }
