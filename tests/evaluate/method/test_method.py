from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leafward.errors import MethodError, SettingsError
from leafward.evaluate.method import (
    NAMES,
    Bm25,
    CrossEncoder,
    Dense,
    Hybrid,
    Method,
    Rerank,
    Rewriting,
    Rewritten,
    Rrf,
    Tree,
    TreePlus,
    parse_method,
)
from leafward.settings import JudgeName

JUDGES = st.sampled_from(get_args(JudgeName))
REWRITERS = st.sampled_from(get_args(Rewriting))
COUNTS = st.integers(1, 10**6)
SETTINGS = st.fixed_dictionaries(
    {},
    optional={
        "beam": st.integers(1, 99),
        "alpha": st.floats(0, 1),
        "temperature": st.floats(1e-9, 1e9),
        "calibrate": st.booleans(),
        "schedule": st.sampled_from(["free", "lockstep"]),
        "patience": st.none() | st.integers(1, 9),
        "max_money": st.none() | st.floats(0, 1e6),
        "seed": st.integers(-5, 5),
    },
).map(lambda given: tuple(given.items()))
TREES = st.builds(Tree, JUDGES, SETTINGS)


def weights(count: int) -> st.SearchStrategy[tuple[float, ...]]:
    numbers = st.floats(0, 1e6)
    return st.tuples(*[numbers] * count).filter(lambda chosen: sum(chosen) > 0)


PLAIN: st.SearchStrategy[Method] = st.one_of(
    st.just(Bm25()),
    st.just(Dense()),
    st.builds(Hybrid, weights(2), st.booleans(), COUNTS),
    TREES,
    st.builds(TreePlus, weights(3), st.booleans(), st.none() | REWRITERS, COUNTS, TREES),
)


def composed(inner: st.SearchStrategy[Method]) -> st.SearchStrategy[Method]:
    window = st.integers(2, 50)
    return st.one_of(
        st.builds(Rrf, st.lists(inner, min_size=2, max_size=3).map(tuple), COUNTS, COUNTS),
        st.builds(
            lambda of, window, share, top, calls, judge: Rerank(
                of, window, max(1, int(share * (window - 1))), top, calls, judge
            ),
            inner,
            window,
            st.floats(0, 1),
            COUNTS,
            st.none() | COUNTS,
            JUDGES,
        ),
        st.builds(CrossEncoder, st.text(min_size=1).filter(str.strip), inner, COUNTS),
        st.builds(Rewritten, REWRITERS, inner),
    )


METHODS = st.recursive(PLAIN, composed, max_leaves=4)


@given(METHODS)
def test_what_is_printed_is_read_back(method: Method) -> None:
    assert parse_method(str(method)) == method


@given(st.text(max_size=60) | st.text('()=,>"\\ abm25rf/+.', max_size=40))
def test_any_text_is_a_method_or_an_error_with_a_place_in_it(text: str) -> None:
    try:
        method = parse_method(text)
    except MethodError as error:
        assert 1 <= error.column <= len(text) + 1
        assert f"column {error.column}" in error.message
        assert error.hint
    else:
        assert parse_method(str(method)) == method


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("bm25", "bm25"),
        ("bm25()", "bm25"),
        (" hyde > rerank( window=20, carry=10, top=300, of=hybrid ) ", "hyde>rerank"),
        ("rerank(of=rewrite>bm25, top=100)", "rerank(of=rewrite>bm25, top=100)"),
        ("rewrite>query2doc>dense", "rewrite>query2doc>dense"),
        ("tree++(weights=0.6/0.2/0.2, adaptive=false)", "tree++"),
        ("tree++(weights=1/2/3,cheap=hyde)", "tree++(weights=1.0/2.0/3.0, cheap=hyde)"),
        ("tree++(judge=letters, beam=4)", "tree++(judge=letters, beam=4)"),
        ("tree(references=5, judge=fused)", "tree(judge=fused, references=5)"),
        ("tree(patience=none)", "tree(patience=none)"),
        ("rrf(bm25, dense, tree, c=10)", "rrf(bm25, dense, tree, c=10)"),
        ('cross-encoder(model="my models/a(b)")', 'cross-encoder(model="my models/a(b)")'),
        (
            "cross-encoder(model=org/name-L-6, of=bm25)",
            "cross-encoder(model=org/name-L-6, of=bm25)",
        ),
    ],
)
def test_canonical_names(text: str, canonical: str) -> None:
    assert str(parse_method(text)) == canonical


def test_settings_of_tree_search_are_typed() -> None:
    tree = parse_method("tree(alpha=0.25, calibrate=false, beam=4, patience=none)")
    assert tree == Tree(
        search=(("alpha", 0.25), ("beam", 4), ("calibrate", False), ("patience", None))
    )


@pytest.mark.parametrize(
    ("text", "column", "message", "hint"),
    [
        ("", 1, "a method is missing", "bm25"),
        ("bm52", 1, "no method bm52", "did you mean bm25"),
        ("hyde", 5, "'>' is missing", "hyde>dense"),
        ("rerank(20)", 8, "by name", "window"),
        ("rerank(window=x)", 15, "window cannot be x", "whole number"),
        ("rerank(window=20, window=30)", 19, "given twice", "carry"),
        ("rerank(window=10, carry=10)", 1, "carry is 10 and window 10", "window - 1"),
        ("rerank(of=)", 11, "no method )", "bm25"),
        ("rerank(of=bm25", 15, "',' is missing", "commas"),
        ("rerank(window=)", 15, "window has no value", "window=VALUE"),
        ("dense(k=3)", 7, "no argument k", "no arguments"),
        ("bm25 dense", 6, "too much", "end"),
        ("rrf", 1, "fuses 0", "rrf(bm25, dense)"),
        ("hyde > rrf(c=5)", 8, "fuses 0", "rrf(bm25, dense)"),
        ("rrf(bm25, of=dense)", 11, "without a name", "rrf takes methods"),
        ("rrf(bm25)", 1, "fuses 1", "rrf(bm25, dense)"),
        ("tree(beam=0)", 11, "beam", "in flight"),
        ("tree(beem=2)", 6, "no argument beem", "references=5"),
        ("tree(judge=oracle)", 1, "no judge oracle", "listwise"),
        ("tree++(weights=1/2)", 1, "weights are 1.0/2.0", "3 numbers"),
        ("tree++(weights=0/0/0)", 1, "weights are", "not all"),
        ("hybrid(weights=a/b)", 16, "weights cannot be", "0.6/0.2/0.2"),
        ("hybrid(weights=nan/1)", 16, "weights cannot be", "0.6/0.2/0.2"),
        ("hybrid(adaptive=yes)", 17, "adaptive cannot be yes", "true or false"),
        ("tree++(cheap=bm25)", 1, "no rewriter bm25", "hyde"),
        ("cross-encoder", 1, "needs a model", "model="),
        ('cross-encoder(model="a)', 21, "not closed", '"'),
        ('cross-encoder(model="\\q")', 21, "no string", "JSON"),
        ("hyde>" * 40 + "bm25", 81, "too deep", "less"),
    ],
)
def test_errors_name_the_place_and_the_fix(text: str, column: int, message: str, hint: str) -> None:
    with pytest.raises(MethodError, match="column") as caught:
        parse_method(text)
    assert (caught.value.column, message in caught.value.message) == (column, True), caught.value
    assert hint in caught.value.hint


def test_methods_made_in_code_are_checked_too() -> None:
    for broken in (
        lambda: Rerank(carry=20),
        lambda: Tree(search=(("nothing", 1),)),
        lambda: Hybrid(weights=(1.0, -0.1)),
        lambda: Rewritten("summary", Bm25()),  # type: ignore[arg-type]
    ):
        with pytest.raises(SettingsError):
            broken()


def test_every_name_is_a_method() -> None:
    needs = {"rrf": "rrf(bm25, dense)", "cross-encoder": "cross-encoder(model=m)"}
    for name in NAMES:
        assert str(parse_method(needs.get(name, name))).startswith(name)
