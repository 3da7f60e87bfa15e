"""Real strategies of systematic reviews, and languages that are not PubMed's."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from tests.conftest import data_set

from leafward.engines.boolean import parse, render
from leafward.errors import QuerySyntaxError

FOREIGN = [
    ("aspirin AND exp Stroke/", 13, "subject heading"),
    ("(Stroke/ OR aspirin)", 2, "subject heading"),
    ('exp "Wounds and Injuries"/', 1, "subject heading"),
    ("Saphenous Vein/su [Surgery]", 11, "subject heading"),
    ("stroke AND (breast adj3 feeding)", 20, "adjacency"),
    ("headache.ti,ab.", 9, "field suffix"),
    ("(headache or migraine).tw. and x", 23, "field suffix"),
    ("randomized controlled trial.pt OR x", 28, "field suffix"),
    ("migrain$ AND x", 1, "truncation"),
    ("wom?n AND x", 1, "wildcard"),
    ("or/1-5", 1, "earlier lines"),
    ("x AND limit 5 to yr=2000", 7, "earlier lines"),
    ("1 and 2", 1, "earlier lines"),
    ("1 or 2 or 3", 1, "earlier lines"),
]


@pytest.mark.parametrize(("expression", "column", "message"), FOREIGN)
def test_ovid_is_recognised(expression: str, column: int, message: str) -> None:
    with pytest.raises(QuerySyntaxError) as caught:
        parse(expression)
    assert caught.value.column == column
    assert message in caught.value.message
    assert "Ovid" in caught.value.hint and "PubMed" in caught.value.hint


@pytest.mark.parametrize(
    ("expression", "column"),
    [("#1 AND #2", 1), ("x AND 'asthma'/exp", 14), ("asthma:ti,ab", 7), ("a near/3 b", 3)],
)
def test_histories_and_other_languages_are_recognised(expression: str, column: int) -> None:
    with pytest.raises(QuerySyntaxError) as caught:
        parse(expression)
    assert caught.value.column == column
    assert "Ovid" not in caught.value.hint


@pytest.mark.parametrize(
    "expression",
    [
        "Sepsis/bl [mh]",
        "sepsis/blood[mh]",
        '"expand/" AND exp growth',
        "5 mg/kg and/or 10 mg/dl",
        "$100 or US$5",
        "vitamin D.2 and e.g. St. John's wort?",
        '"a.ti,ab." OR "exp Stroke/ adj3"',
    ],
)
def test_what_looks_like_ovid_and_is_not(expression: str) -> None:
    assert parse(render(parse(expression))) == parse(expression)


@pytest.mark.real_data
def test_the_127_strategies_are_read_or_refused_where_they_leave_the_language() -> None:
    path = data_set("literature_queries_nocorpus") / "clef_tar_boolean_topics.jsonl"
    outcomes: Counter[str] = Counter()
    for line in path.read_text(encoding="utf-8").splitlines():
        strategy = json.loads(line)["boolean_query"]
        try:
            tree = parse(strategy)
        except QuerySyntaxError as error:
            assert error.column is not None and 1 <= error.column <= len(strategy)
            assert error.hint
            outcomes["Ovid" if "Ovid" in error.hint else _reason(error)] += 1
        else:
            assert parse(render(tree)) == tree
            outcomes["read"] += 1
    assert outcomes == {
        "Ovid": 115,  # of them three of PubMed's that hold one of its wildcards
        "read": 2,
        "field": 5,
        "lines": 4,
        "star": 1,
    }


def _reason(error: QuerySyntaxError) -> str:
    reasons = {"not indexed": "field", "line": "lines", "*": "star"}
    return next(reason for text, reason in reasons.items() if text in error.message)


@pytest.mark.real_data
def test_pico_records_as_they_are_written_are_read() -> None:
    path = data_set("literature_queries_nocorpus") / "deepretrieval_pico_1000.jsonl"
    refused = Counter[str]()
    parts = 0
    for line in path.read_text(encoding="utf-8").splitlines()[:300]:
        for text in json.loads(line)["pico"].values():
            if not text:
                continue
            parts += 1
            try:
                tree = parse(text)
            except QuerySyntaxError as error:
                refused[error.message] += 1
            else:
                assert parse(render(tree)) == tree
    assert parts > 1_000
    assert sum(refused.values()) < parts / 100, refused
