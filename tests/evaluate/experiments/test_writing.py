"""What an experiment leaves on the disk: runs, tables, figures, a report in which data is data."""

from __future__ import annotations

import csv
import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.evaluate.experiments.samples import MEASURES, facts, result

from leafward.errors import CorpusError, SettingsError
from leafward.evaluate import read_run
from leafward.evaluate.experiments.comparing import compare_experiments
from leafward.evaluate.experiments.figures import draw_figures
from leafward.evaluate.experiments.folder import Folder
from leafward.evaluate.experiments.markdown import code, plain
from leafward.evaluate.experiments.report import report
from leafward.evaluate.experiments.results import ExperimentResult, MethodResult, collected
from leafward.evaluate.experiments.studying import study
from leafward.evaluate.experiments.table import read_csv, rows
from leafward.evaluate.experiments.writing import write_data, write_results
from leafward.types import NO_USAGE, Outcome

FOUND = result()
FIGURES = {
    "quality_tokens", "quality_judgements", "per_query_deltas", "where_lost", "calibration"
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    made = Folder(tmp_path_factory.mktemp("results"))
    write_results(made, FOUND, facts())
    return made


def test_runs_are_what_was_ranked(folder: Folder) -> None:
    run = read_run(folder.run("tree", 1))
    ranking = FOUND.methods[1].runs[1].outcomes[0].ranking
    assert ranking is not None
    assert run["q0"] == {hit.doc_id: pytest.approx(hit.score) for hit in ranking.hits}


def test_the_table_has_a_row_for_each_query_and_is_read_back(folder: Folder) -> None:
    with folder.table.open(encoding="utf-8", newline="") as file:
        read = list(csv.DictReader(file))
    assert len(read) == 3 * 6
    assert list(read[0])[:5] == ["method", "seed", "query", "nDCG@10", "R@100"]
    assert read[-1]["calls"] == "8" and read[-1]["prompt_tokens"] == "720"
    values = read_csv(folder.table)
    for name in ("nDCG@10", "R@100"):
        assert values["tree"][name] == pytest.approx(FOUND.methods[1].per_query[name])


def test_figures_are_drawn_in_both_forms(folder: Folder) -> None:
    for name in FIGURES:
        assert folder.figure(name, "png").read_bytes().startswith(b"\x89PNG")
        ET.parse(folder.figure(name, "svg"))
    assert {path.stem for path in (folder.path / "figures").iterdir()} == FIGURES


def test_the_same_results_make_the_same_files(folder: Folder, tmp_path: Path) -> None:
    again = Folder(tmp_path)
    write_results(again, FOUND, facts())
    for path in folder.path.rglob("*"):
        if path.is_file():
            twin = tmp_path / path.relative_to(folder.path)
            assert twin.read_bytes() == path.read_bytes(), path.name


def test_a_figure_with_nothing_to_show_goes(folder: Folder, tmp_path: Path) -> None:
    again = Folder(tmp_path)
    for name in FIGURES:
        again.figure(name, "svg").parent.mkdir(exist_ok=True)
        again.figure(name, "svg").touch()
    bare = collected(FOUND.methods[0].runs, FOUND.collection, MEASURES, baseline="bm25")
    assert draw_figures(again, study(bare)) == ()
    assert not list((tmp_path / "figures").iterdir())


def text(found: ExperimentResult = FOUND, **changes: object) -> str:
    told = replace(facts(), **changes)  # type: ignore[arg-type]
    return "\n".join(report(study(found), told, ()))


def test_the_report_has_every_number_that_it_promises(folder: Folder) -> None:
    told = folder.report.read_text(encoding="utf-8")
    tree = FOUND.methods[1].estimates["nDCG@10"]
    assert f"**{tree.mean:.3f}**" in told and f"[{tree.interval.low:.3f}," in told
    assert FOUND.versus is not None
    assert f"{FOUND.versus.comparisons[0].difference:+.3f}" in told
    for name in FIGURES:
        assert f"(figures/{name}.svg)" in told
    assert "800" in told  # tokens a query of the tree: 8 calls of 100
    assert "0.0800" in told  # dollars
    assert "finished: all queries of all methods" in told


def test_the_report_says_what_is_missing() -> None:
    method = FOUND.methods[1]
    first = method.runs[0]
    lost = Outcome("q0", None, 0.1, "ModelTimeout: gone")
    cut = replace(first, outcomes=(lost, *first.outcomes[1:3]), stopped="no *calls* left")
    runs = [FOUND.methods[0].runs[0], cut]
    found = collected(runs, FOUND.collection, MEASURES, baseline="bm25")
    told = text(found, absent=7)
    assert "ended before all queries were asked: no \\*calls\\* left" in told
    assert "has 2 of 6 queries" in told
    assert "does not hold 7 of the documents" in told
    assert "not all queries" in told
    lost_only = collected(
        [FOUND.methods[0].runs[0], replace(cut, stopped="")], FOUND.collection, MEASURES
    )
    assert "1 rankings were lost to failures of ours" in text(lost_only)


def test_a_method_that_ranked_nothing_is_no_crash(tmp_path: Path) -> None:
    outcomes = tuple(Outcome(f"q{n}", None, 0.1, "down") for n in range(6))
    dead = replace(FOUND.methods[0].runs[0], label="dead", outcomes=outcomes)
    runs = [*FOUND.methods[0].runs, dead]
    found = collected(runs, FOUND.collection, MEASURES, baseline="bm25")
    write_data(Folder(tmp_path), found, facts())
    assert "| dead | 0 | – | – |" in text(found)
    assert found.methods[1].usage == NO_USAGE
    assert [row["nDCG@10"] for row in rows(found) if row["method"] == "dead"] == [None] * 6


def test_queries_are_data_in_the_report() -> None:
    told = text(name="<script>alert(1)</script> [x](http://evil) | `y`")
    assert "<script>" not in told and "](http" not in told
    assert r"where is d0 \| \*really\*?" in told


@given(st.text())
def test_plain_text_is_one_line_that_no_markup_survives_in(foreign: str) -> None:
    line = plain(foreign)
    assert "\n" not in line
    assert not re.search(r"(?<!\\)[|*_`\[\]]", re.sub(r"\\\\", "", line))
    assert "<" not in line and not re.search(r"&(?!amp;|lt;|gt;|#\d+;)", line)


@given(st.text(alphabet="`| ab\n"))
def test_code_closes_where_it_should(foreign: str) -> None:
    shown = code(foreign)
    fence = re.match("`+", shown)
    assert fence is not None and shown.endswith(fence[0])
    inner = shown[len(fence[0]) : -len(fence[0])]
    assert fence[0] not in re.findall("`+", inner)


def test_comparing_two_experiments(folder: Folder, tmp_path: Path) -> None:
    other = Folder(tmp_path / "b")
    write_data(other, result(seeds=1), facts("other"))
    found = compare_experiments(folder.path, other.path)
    assert (found.a, found.b, found.only_a, found.only_b) == ("sample", "other", (), ())
    by_name = {(pair.method_a, pair.measure): pair for pair in found.pairs}
    assert by_name["bm25", "nDCG@10"].comparison.difference == 0
    tree = by_name["tree", "nDCG@10"]
    assert tree.b.mean - tree.a.mean == pytest.approx(tree.comparison.difference)
    assert tree.comparison.p_corrected >= tree.comparison.p_value
    crossed = compare_experiments(folder.path, other.path, pairs=[("bm25", "tree")])
    assert crossed.pairs[0].comparison.wins == 5
    assert (crossed.only_a, crossed.only_b) == (("tree",), ("bm25",))


def test_what_cannot_be_compared_is_refused(folder: Folder, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="no folder of experiment results"):
        compare_experiments(folder.path, tmp_path)
    with pytest.raises(SettingsError, match="has no method 'x'"):
        compare_experiments(folder.path, folder.path, pairs=[("tree", "x")])
    other = Folder(tmp_path / "b")
    write_data(other, FOUND, facts())
    told = json.loads(other.manifest.read_text())
    other.manifest.write_text(json.dumps({**told, "split": "dev"}))
    with pytest.raises(SettingsError, match="differ"):
        compare_experiments(folder.path, other.path)
    other.manifest.write_text(json.dumps({**told, "measures": ["AP"]}))
    with pytest.raises(SettingsError, match="no measure in common"):
        compare_experiments(folder.path, other.path)
    other.table.write_text("method,seed\nx,0\n")
    other.manifest.write_text(json.dumps(told))
    with pytest.raises(CorpusError, match="no table"):
        compare_experiments(folder.path, other.path)


def test_a_figure_of_a_partial_method_says_so(tmp_path: Path) -> None:
    from leafward.evaluate.experiments.figures.quality import Drawable

    method: MethodResult = FOUND.methods[1]
    assert Drawable(0, method, "nDCG@10", 6).label == "tree"
    assert Drawable(0, method, "nDCG@10", 9).label == "tree (6 of 9 queries)"
