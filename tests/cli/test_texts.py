"""What is printed of foreign text, hits, trees and costs."""

from __future__ import annotations

import html
import io
from collections.abc import Sequence
from dataclasses import dataclass
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from leafward.cli.clean import clean, one_line
from leafward.cli.hits import told_end, told_hit
from leafward.cli.outline import outline
from leafward.cli.output import told_money, told_usage
from leafward.cli.tree_html import tree_html
from leafward.cli.tree_text import tree_text
from leafward.errors import SettingsError
from leafward.types import Branch, PathStep, SearchHit, SearchResult, Tree, Usage, number

EVIL = '<script>alert("x")</script>\x1b[31m\u202eabc&'


@dataclass(frozen=True)
class Titles:
    """A tree whose leaves have titles made from their ids."""

    tree: Tree
    prefix: str = "Title of "

    def titles(self, positions: Sequence[int]) -> list[str]:
        return [self.prefix and self.prefix + self.tree.leaves[each] for each in positions]


def small() -> Titles:
    fruit = Branch("Fruit", "what grows on trees", ("apple", "pear"))
    tools = Branch("Tools", "", (Branch("Sharp", "they cut", ("saw", "knife")), "hammer"))
    return Titles(number(Branch("All", "everything", (fruit, tools))))


def plain(renderable: object, width: int = 80) -> str:
    stream = io.StringIO()
    Console(file=stream, width=width, markup=False, highlight=False).print(renderable)
    return stream.getvalue()


@given(st.text())
def test_clean_text_cannot_steer_a_terminal(text: str) -> None:
    cleaned = clean(text)
    assert not any(ord(sign) < 32 and sign not in "\t\n" for sign in cleaned)
    assert "\x7f" not in cleaned and "\x9b" not in cleaned and "\u202e" not in cleaned


@given(st.text(), st.integers(1, 20))
def test_one_line_is_one_short_line(text: str, limit: int) -> None:
    line = one_line(text, limit)
    assert len(line) <= limit
    assert len(line.splitlines()) <= 1


def test_outline_stops_at_its_depth_and_counts_what_it_hides() -> None:
    root = outline(small(), depth=1)
    assert [child.name for child in root.children] == ["Fruit", "Tools"]
    assert [child.hidden for child in root.children] == [2, 2]
    assert root.leaves == 5


def test_outline_of_everything_holds_every_leaf_once_with_its_title() -> None:
    found: list[str] = []
    stack = [outline(small())]
    while stack:
        node = stack.pop()
        stack.extend(node.children)
        if node.kind == "leaf":
            assert node.name == f"Title of {node.doc_id}"
            found.append(node.doc_id or "")
    assert sorted(found) == ["apple", "hammer", "knife", "pear", "saw"]


def test_a_leaf_without_title_goes_by_its_id() -> None:
    source = Titles(small().tree, prefix="")
    assert outline(source, 1).children[0].name == "apple"


def test_outline_of_an_unknown_node_names_the_range() -> None:
    with pytest.raises(SettingsError) as caught:
        outline(small(), 99)
    assert "0 to 3" in caught.value.hint


def test_tree_as_text_shows_names_sizes_and_numbers() -> None:
    shown = plain(tree_text(outline(small(), depth=1)))
    assert "All  #0, 5 documents" in shown
    assert "Fruit  #1, 2 documents, 2 children not shown" in shown
    assert "what grows on trees" in shown
    assert "apple" not in shown


def test_tree_as_html_escapes_everything() -> None:
    page = "".join(tree_html(outline(_evil()), title=EVIL))
    assert "<script" not in page
    assert "\x1b" not in page and "\u202e" not in page
    assert page.count(html.escape("<script>")) == 6  # title and heading, name, about, leaf, id


def _evil() -> Titles:
    return Titles(number(Branch(EVIL, EVIL, (EVIL,))))


class _Balanced(HTMLParser):
    """Fails where tags do not nest; collects attributes and the number of leaves."""

    VOID = frozenset({"meta"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.attributes: list[str] = []
        self.items = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [name for name, _ in attrs]
        self.items += tag == "li"
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_tree_as_html_is_well_formed_and_stands_alone() -> None:
    page = "".join(tree_html(outline(small()), title="Things"))
    parser = _Balanced()
    parser.feed(page)
    parser.close()
    assert parser.open == []
    assert parser.items == 9
    assert not {"src", "href", "onclick"} & set(parser.attributes)
    assert "lang" in parser.attributes


def test_a_hit_shows_rank_title_score_path_and_its_last_reason() -> None:
    path = tuple(PathStep(n, name, None, None) for n, name in enumerate(["root", "Fruit", "Pome"]))
    hit = SearchHit("apple", "The apple", 0.8731, path, 0.9, (0.9,), ("it is fruit", "red, round"))
    shown = plain(told_hit(1, hit))
    assert " ".join(shown.split()) == "1 The apple 0.873 Fruit › Pome › apple red, round"


def test_a_hit_cannot_bring_escape_sequences_along() -> None:
    hit = SearchHit(EVIL, EVIL, 0.5, (PathStep(0, EVIL, None, None),) * 2, None, (), (EVIL,))
    assert "\x1b" not in plain(told_hit(1, hit))


def test_the_end_of_a_search_tells_cost_reason_and_loss() -> None:
    usage = Usage(calls=20, prompt_tokens=30_000, completion_tokens=1_204, money=0.0123)
    told = told_end(SearchResult((), usage, "settled", degraded=True))
    assert told == (
        "20 calls · 31,204 tokens · $0.0123 · stopped: the best had settled · "
        "degraded: some judgements were lost, results may be incomplete"
    )


@pytest.mark.parametrize(
    ("usage", "told"),
    [
        (Usage(), "0 calls"),
        (Usage(calls=1, prompt_tokens=5, money=None), "1 call · 5 tokens · price unknown"),
        (Usage(cache_hits=1200), "0 calls · 1,200 from the cache"),
    ],
)
def test_usage_leaves_out_what_is_zero(usage: Usage, told: str) -> None:
    assert told_usage(usage) == told


@pytest.mark.parametrize(
    ("money", "told"),
    [(None, "price unknown"), (0.0, "$0.00"), (0.00123, "$0.0012"), (1234.5, "$1,234.50")],
)
def test_money_has_the_digits_it_deserves(money: float | None, told: str) -> None:
    assert told_money(money) == told
