"""What no reader of PubMed's language would take."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leafward.engines.boolean import parse
from leafward.engines.pubmed.structure import check_structure
from leafward.errors import QuerySyntaxError


@pytest.mark.parametrize(
    ("expression", "column"),
    [
        ("(aspirin", 1),
        ("aspirin)", 8),
        ("((a) OR b", 1),
        ('"aspirin', 1),
        ("aspirin[ti", 8),
        ("AND aspirin", 1),
        ("aspirin OR", 9),
        ("(aspirin OR) AND b", 10),
        ("a AND OR b", 7),
        ("a AND ()", 7),
        ("a (OR b)", 4),
    ],
)
def test_malformed(expression: str, column: int) -> None:
    with pytest.raises(QuerySyntaxError) as caught:
        check_structure(expression)
    assert caught.value.column == column
    assert caught.value.hint


@pytest.mark.parametrize(
    "expression",
    [
        "heart attack",
        '("stroke"[mh] OR strok*[tiab]) AND aspirin[nm] NOT 2004:2010[dp]',
        '"hip fracture"[tiab:~2] AND last 5 years[crdt]',
        "cats and dogs",
        "vitamin d[xx]",
    ],
)
def test_everything_else_is_pubmed_s_to_judge(expression: str) -> None:
    check_structure(expression)


@given(st.lists(st.sampled_from(["a", "AND", "OR", "NOT", "(", ")", '"b c"', "[ti]"]), max_size=9))
def test_what_the_local_engine_reads_is_never_refused(parts: list[str]) -> None:
    expression = " ".join(parts)
    try:
        parse(expression)
    except QuerySyntaxError:
        return
    check_structure(expression)
