"""Parser and printer: what an expression means, where it is wrong, and their inverse."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from leafward.engines.boolean import Chain, Dates, Field, Node, Operator, Term, parse, render
from leafward.engines.boolean.dates import PartialDate
from leafward.engines.boolean.parser import MAX_LENGTH, MAX_LEVELS, MAX_NESTING, MAX_TERMS
from leafward.errors import QuerySyntaxError

AND, OR, NOT = Operator.AND, Operator.OR, Operator.NOT


def word(text: str, field: Field | None = None) -> Term:
    return Term(text, field=field)


A, B, C, D = (word(letter) for letter in "abcd")


@pytest.mark.parametrize(
    ("expression", "tree"),
    [
        ("a", A),
        ("((a))", A),
        ("a OR b AND c NOT d", Chain(A, ((OR, B), (AND, C), (NOT, D)))),
        ("a OR (b AND c)", Chain(A, ((OR, Chain(B, ((AND, C),))),))),
        ("(a OR b) AND c", Chain(Chain(A, ((OR, B),)), ((AND, C),))),
        ("heart attack  aspirin", word("heart attack aspirin")),
        ("heart attack[ti]", word("heart attack", Field.TITLE)),
        ("heart attack [TI]", word("heart attack", Field.TITLE)),
        ('"heart  attack"[Title / Abstract]', Term("heart attack", True, Field.TITLE_ABSTRACT)),
        ("“heart attack”", Term("heart attack", True)),
        ("a[ti] b[ab]", Chain(word("a", Field.TITLE), ((AND, word("b", Field.ABSTRACT)),))),
        ('"a" b (c)', Chain(Term("a", True), ((AND, B), (AND, C)))),
        ("a(b)", Chain(A, ((AND, B),))),
        ("a[ti] or b[ti]", Chain(word("a", Field.TITLE), ((OR, word("b", Field.TITLE)),))),
        ("(a) Not (b)", Chain(A, ((NOT, B),))),
        ("a or b", word("a or b")),
        ("not a", word("not a")),
        ("a\nAND\tb", Chain(A, ((AND, B),))),
        ("Neoplasms[MeSH Terms:noexp]", word("Neoplasms", Field.MESH_ALONE)),
        ("Neoplasms[mh : NoExp]", word("Neoplasms", Field.MESH_ALONE)),
        ("sepsis/blood[mh]", word("sepsis/blood", Field.MESH)),
        ("2005[dp]", Dates(PartialDate(2005), PartialDate(2005))),
        ("2005/3[pdat]", Dates(PartialDate(2005, 3), PartialDate(2005, 3))),
        ("2000:2010[dp]", Dates(PartialDate(2000), PartialDate(2010))),
        ("2000 : 2010/02/28[dp]", Dates(PartialDate(2000), PartialDate(2010, 2, 28))),
        (
            '"2000/01/01"[Date - Publication] : "3000"[Date - Publication]',
            Dates(PartialDate(2000, 1, 1), PartialDate(3000)),
        ),
        ('"2000"[dp]:"2001"', Dates(PartialDate(2000), PartialDate(2001))),
        ("2000[dp]:2001[dp] a", Chain(Dates(PartialDate(2000), PartialDate(2001)), ((AND, A),))),
    ],
)
def test_trees(expression: str, tree: Node) -> None:
    assert parse(expression) == tree
    assert parse(render(tree)) == tree


LONG_FORMS = {
    Field.TITLE: "Title",
    Field.TITLE_ABSTRACT: "Title/Abstract",
    Field.TEXT: "Text Word",
    Field.AUTHOR: "Author",
    Field.JOURNAL: "Journal",
    Field.MESH: "MeSH Terms",
    Field.MAJOR: "MeSH Major Topic",
    Field.TYPE: "Publication Type",
    Field.LANGUAGE: "Language",
    Field.ALL: "All Fields",
}


@pytest.mark.parametrize(("field", "name"), LONG_FORMS.items())
def test_long_forms_and_case_of_tags(field: Field, name: str) -> None:
    for written in (name, name.upper(), name.lower(), field.value, field.value.upper()):
        assert parse(f"word[{written}]") == word("word", field)


WRONG = [
    ("", 1, "nothing to search for", "word"),
    ("   ", 1, "nothing to search for", "word"),
    ("()", 1, "nothing in these parentheses", "word"),
    ("a AND ()", 7, "nothing in these parentheses", "word"),
    ("a AND", 3, "AND has nothing to its right", "take AND out"),
    ("(a OR) b", 4, "OR has nothing to its right", "take OR out"),
    ("AND a", 1, "AND has nothing to its left", "take AND out"),
    ("NOT a", 1, "NOT has nothing to its left", "A NOT B"),
    ("b (NOT a)", 4, "NOT has nothing to its left", "A NOT B"),
    ("a AND OR b", 7, "OR stands right after AND", "keep one"),
    ("a AND NOT b", 7, "NOT stands right after AND", "NOT alone"),
    ("(a", 1, "not closed", ")"),
    ("a (b (c)", 3, "not closed", ")"),
    ("a)", 2, "closes nothing", "("),
    ('a "b', 3, "quote is not closed", '"'),
    ("a[ti", 2, "bracket is not closed", "]"),
    ("a] b", 2, "bracket closes nothing", "["),
    ("[ti]", 1, "no term before", "after a term"),
    ("a AND [ti]", 7, "no term before", "after a term"),
    ("(a OR b)[ti]", 9, "after a parenthesis", "each term"),
    ("a[ti][ab]", 6, "second tag", "one tag"),
    ("a[]", 2, "empty tag", "[tiab]"),
    ("a[titel]", 2, "unknown tag [titel]", "[title]"),
    ("a[xyz]", 2, "unknown tag [xyz]", "[tiab]"),
    ("a[ti,ab]", 2, "unknown tag [ti,ab]", "[tiab]"),
    ("a[crdt]", 2, "not indexed here", "[dp]"),
    ("a[Affiliation]", 2, "not indexed here", "leave"),
    ('"a b"[tiab:~3]', 6, "near each other", "phrase"),
    ('""', 1, "nothing to look up", "letters"),
    ("a AND -- OR b", 7, "nothing to look up", "letters"),
    ("rat*", 4, "too short", "4 letters"),
    ("in-vit*", 7, "too short", "4 letters"),
    ("colo*r", 5, "inside a word", "end of a word"),
    ("*cillin", 1, "inside a word", "end of a word"),
    ("aspirin**", 8, "inside a word", "end of a word"),
    ("(aspirin)*", 10, "no word before it", "aspirin*"),
    ('"heart att*"', 11, "too short", "4 letters"),
    ("breast* neoplasms[mh]", 7, "inside a term", "at the end"),
    ("12345*[pmid]", 6, "inside a term", "whole ids"),
    ("wound or injury[ti]", 7, "'or' stands inside a term", "OR in capitals"),
    ("a AND 2000:2010", 7, "needs a tag", "2000:2010[dp]"),
    ("abc[dp]", 1, "no date", "2005[dp]"),
    ("2005/13[dp]", 1, "no date", "2005[dp]"),
    ("2005/02/30[dp]", 1, "no date", "2005[dp]"),
    ("2005:[dp]", 1, "no date", "2005[dp]"),
    ("2010:2000[dp]", 1, "ends before it begins", "2000:2010[dp]"),
    ("2000[dp]:2001[ti]", 9, "two tags", "[dp]"),
    ('"last 5 years"[dp]', 1, "no date", "2005[dp]"),
    ("a\nb", 3, "new line", "AND or OR"),
    ("a[ti]\n(b)", 7, "new line", "AND or OR"),
    ("(1 or 2) and aspirin[ti]", 2, "earlier lines", "Ovid"),
]


@pytest.mark.parametrize(("expression", "column", "message", "hint"), WRONG)
def test_errors_have_their_column_and_name_the_fix(
    expression: str, column: int, message: str, hint: str
) -> None:
    with pytest.raises(QuerySyntaxError) as caught:
        parse(expression)
    assert caught.value.column == column
    assert message in caught.value.message
    assert hint in caught.value.hint


def test_questions_and_sentences_are_words() -> None:
    for text in (
        "Does aspirin help patients after stroke?",
        "Drug A versus placebo: pain at 10:30, 2.5 mg/day (n=20) and/or rest",
        "patients with high (> 160) or low blood pressure, e.g. 90/60",
    ):
        assert parse(render(parse(text))) == parse(text)


def test_limits_are_errors() -> None:
    for expression, column in (
        ("a" * (MAX_LENGTH + 1), MAX_LENGTH + 1),
        ("(" * (MAX_NESTING + 1) + "a" + ")" * (MAX_NESTING + 1), MAX_NESTING + 1),
        (" OR ".join(["a"] * (MAX_TERMS + 1)), 5 * MAX_TERMS + 1),
        ("a AND b OR " * 200 + "c", 11 * MAX_LEVELS // 2 + 7),
    ):
        with pytest.raises(QuerySyntaxError, match=r"more than|longer than") as caught:
            parse(expression)
        assert caught.value.column == column
        assert caught.value.hint


def test_what_is_within_the_limits_is_read() -> None:
    deep = "(" * MAX_NESTING + "a OR b" + ")" * MAX_NESTING
    assert parse(deep) == Chain(A, ((OR, B),))
    wide = " OR ".join(["a"] * MAX_TERMS)
    assert render(parse(wide)) == wide


@pytest.mark.parametrize(
    "piece",
    ["a", "a-", "exp ", "exp a", "[", '"', "a$ ", "/", "a/b", "*", "(", "limit 1", "é", " "],
)
@pytest.mark.parametrize("last", ["", " /", "/ab [", "?", "[x"])
def test_long_texts_take_no_more_than_linear_time(piece: str, last: str) -> None:
    text = piece * (MAX_LENGTH // len(piece) - 10) + last  # quadratic time would be a minute
    try:
        parse(text)
    except QuerySyntaxError as error:
        assert error.column is not None and len(error.message) < 200 and len(error.hint) < 200


PLAIN = st.sampled_from(
    ["aspirin", "IL-2", "β-blockers", "12", "and", "naïve", "it's", "vs.", "5%"]
)
TRUNCATED = st.sampled_from(["hypertens*", "beta-block*", "naïve*"])
TEXTS = st.lists(PLAIN | TRUNCATED, min_size=1, max_size=3).map(" ".join)
FREE = [None, Field.TITLE, Field.ABSTRACT, Field.TITLE_ABSTRACT, Field.TEXT, Field.ALL]
WHOLE = [field for field in Field if field.exact]


def dates() -> st.SearchStrategy[Dates]:
    partial = st.builds(PartialDate, st.integers(1900, 2100))
    partial |= st.builds(PartialDate, st.integers(1900, 2100), st.integers(1, 12))
    partial |= st.builds(
        PartialDate, st.integers(1900, 2100), st.integers(1, 12), st.integers(1, 28)
    )
    ranges = st.tuples(partial, partial).filter(lambda pair: pair[0].start <= pair[1].end)
    return ranges.map(lambda pair: Dates(*pair)) | partial.map(lambda date: Dates(date, date))


LEAVES: st.SearchStrategy[Node] = (
    st.builds(Term, TEXTS, st.booleans(), st.sampled_from(FREE))
    | st.builds(Term, PLAIN, st.booleans(), st.sampled_from(WHOLE))
    | dates()
)


def chains(operands: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    rest = st.lists(st.tuples(st.sampled_from(Operator), operands), min_size=1, max_size=4)
    return st.builds(Chain, operands, rest.map(tuple))


TREES = st.recursive(LEAVES, chains, max_leaves=8)


@settings(max_examples=60)
@given(TREES)
def test_parsing_what_is_printed_gives_the_same_tree(tree: Node) -> None:
    assert parse(render(tree)) == tree


PIECES = (
    'a "b c" ( ) [ti] [dp] [mh:noexp] [ AND OR NOT and or not " : 2000 2010 2000:2010 hyper* x* * '
    "exp foo/ adj3 .ti,ab. / $ # ? , “ ” \n \t 1 2 [tiab] limit to or/ \ud800 é ()"
)


@settings(max_examples=150)
@given(
    st.lists(st.sampled_from(PIECES.split(" ")) | st.text(max_size=2), max_size=12), st.booleans()
)
@example(["foo/(", "a", ")"], False)
@example(["(", "limit", "5", "to", ")"], True)
def test_any_text_is_a_tree_or_an_error_within_it(pieces: list[str], apart: bool) -> None:
    text = (" " if apart else "").join(pieces)
    try:
        tree = parse(text)
    except QuerySyntaxError as error:
        assert error.column is not None and 1 <= error.column <= len(text) + 1
        assert error.message and error.hint
    else:
        assert parse(render(tree)) == tree
        assert render(parse(render(tree))) == render(tree)


def test_columns_are_kept() -> None:
    tree = parse('aspirin AND "heart attack"[ti]')
    assert isinstance(tree, Chain) and isinstance(tree.first, Term)
    assert tree.first.column == 1
    second = tree.rest[0][1]
    assert isinstance(second, Term) and second.column == 13
