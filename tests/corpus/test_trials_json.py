"""Studies of ClinicalTrials.gov: fields, containers, and files of another shape."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from leafward.corpus.problems import Problem
from leafward.corpus.trials_json import read_trials
from leafward.errors import CorpusError
from leafward.types import Document, JsonValue

STUDY: dict[str, JsonValue] = {
    "protocolSection": {
        "identificationModule": {
            "nctId": "NCT00000001",
            "briefTitle": "Aspirin After Stroke",
            "officialTitle": "A Randomised Trial of Aspirin",
        },
        "statusModule": {
            "overallStatus": "COMPLETED",
            "startDateStruct": {"date": "2004-03", "type": "ACTUAL"},
            "studyFirstPostDateStruct": {"date": "2003-01-02"},
        },
        "descriptionModule": {"briefSummary": "Summary.", "detailedDescription": "Details."},
        "conditionsModule": {"conditions": ["Stroke", "Stroke"], "keywords": ["prevention"]},
        "designModule": {"studyType": "INTERVENTIONAL", "phases": ["PHASE3"]},
        "armsInterventionsModule": {"interventions": [{"type": "DRUG", "name": "Aspirin"}, {}]},
        "outcomesModule": {"primaryOutcomes": [{"measure": "Death", "timeFrame": "1 year"}]},
        "eligibilityModule": {"eligibilityCriteria": "Adults."},
    },
    "derivedSection": {
        "conditionBrowseModule": {"meshes": [{"id": "D020521", "term": "Stroke"}]},
        "interventionBrowseModule": {"meshes": [{"id": "D001241", "term": "Aspirin"}]},
    },
}
DOCUMENT = Document(
    "NCT00000001",
    "A Randomised Trial of Aspirin\nSummary.\nDetails.\nAdults.\nDeath",
    "Aspirin After Stroke",
    {
        "conditions": ("Stroke",),
        "keywords": ("prevention",),
        "interventions": ("Aspirin",),
        "mesh": ("Stroke", "Aspirin"),
        "phases": ("PHASE3",),
        "study_type": "INTERVENTIONAL",
        "status": "COMPLETED",
        "date": "2004-03",
    },
)


def study(nct: object, title: object = "T") -> JsonValue:
    identity: dict[str, JsonValue] = {"nctId": nct, "briefTitle": title}  # type: ignore[dict-item]
    return {"protocolSection": {"identificationModule": identity}}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("one.json", STUDY),
        ("list.json", [STUDY]),
        ("page.json", {"studies": [STUDY], "nextPageToken": "x"}),
        ("page.json.gz", {"studies": [STUDY]}),
        ("lines.jsonl", STUDY),
        ("lines.jsonl.gz", STUDY),
    ],
)
def test_every_container(tmp_path: Path, name: str, content: JsonValue) -> None:
    data = json.dumps(content).encode()
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    assert list(read_trials(tmp_path / name)) == [DOCUMENT]
    assert list(read_trials(tmp_path)) == [DOCUMENT]


def test_what_is_no_study_is_reported(tmp_path: Path) -> None:
    listed: list[JsonValue] = [
        study("NCT1"),
        study("NCT1"),
        study("NCT2", ""),
        study(7),
        study(None),
        5,
        {"x": []},
    ]
    (tmp_path / "a.json").write_text(json.dumps(listed))
    (tmp_path / "b.json").write_text("{")
    (tmp_path / "c.json").write_text("[" * 200_000)
    (tmp_path / "d.json.gz").write_bytes(b"no gzip")
    (tmp_path / "e.jsonl").write_text("nonsense\n" + json.dumps(study("NCT3")))
    (tmp_path / "readme.txt").write_text("not read")
    problems: list[Problem] = []
    assert [found.id for found in read_trials(tmp_path, problems=problems)] == ["NCT1", "NCT3"]
    kinds = [(problem.path.name, problem.kind) for problem in problems]
    assert kinds == [
        ("a.json", "duplicate-id"),
        ("a.json", "empty-text"),
        *[("a.json", "broken-line")] * 4,
        ("b.json", "broken-line"),
        ("c.json", "broken-line"),
        ("d.json.gz", "unreadable"),
        ("e.jsonl", "broken-line"),
    ]
    with pytest.raises(CorpusError, match="NCT1"):
        list(read_trials(tmp_path, on_problem="refuse"))


def test_nothing_to_read_is_an_error(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "absent.json"):
        with pytest.raises(CorpusError, match="no studies"):
            list(read_trials(path))
