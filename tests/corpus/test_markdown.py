from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from leafward.corpus.markdown import parse_markdown

LINES = """\
# A|## B ##|### C|#|text of a paragraph|===|---|```|~~~||- item|    # code|* | *|#no heading|...|\
1. one|\t|####### seven"""
LINE = st.sampled_from([*LINES.split("|"), "| a | b |"])


@given(st.lists(LINE, max_size=40))
def test_no_line_is_lost(lines: list[str]) -> None:
    text = "\n".join(lines)
    parsed = parse_markdown(text)
    joined = "\n".join(section.text for section in parsed.sections)
    assert joined.split() == text.split()


def sections(text: str) -> list[tuple[str, str]]:
    return [(" > ".join(s.path), s.text.strip()) for s in parse_markdown(text).sections]


def test_headings_make_paths() -> None:
    text = "intro\n# Top\none\n## Left\ntwo\n### Deep\nthree\n## Right\nfour\n# Next\nfive"
    assert sections(text) == [
        ("", "intro"),
        ("Top", "# Top\none"),
        ("Top > Left", "## Left\ntwo"),
        ("Top > Left > Deep", "### Deep\nthree"),
        ("Top > Right", "## Right\nfour"),
        ("Next", "# Next\nfive"),
    ]


def test_a_heading_without_text_goes_to_what_follows() -> None:
    assert sections("# Top\n\n## Left\ntwo") == [("Top > Left", "# Top\n\n## Left\ntwo")]
    assert sections("text\n# Last") == [("", "text"), ("Last", "# Last")]


def test_underlined_headings() -> None:
    assert sections("Top\n===\none\n\nLeft\n---\ntwo") == [
        ("Top", "Top\n===\none"),
        ("Top > Left", "Left\n---\ntwo"),
    ]


def test_rules_tables_and_lists_are_no_headings() -> None:
    text = "# T\npara\n\n---\n\n| a |\n---\n- item\n---\ntwo lines of\nparagraph\n---\nend"
    assert sections(text) == [("T", text)]


def test_code_is_not_read_for_headings() -> None:
    text = (
        "# T\n```sh\n# comment\n```\n~~~~\n# still\n~~~\n# code\n~~~~\n```x``` inline\n## Real\nend"
    )
    assert [path for path, _ in sections(text)] == ["T", "T > Real"]


def test_front_matter_is_text() -> None:
    text = "---\ntitle: x\n# no heading\n---\n# Real\nend"
    assert [path for path, _ in sections(text)] == ["", "Real"]


def test_the_title_is_the_first_heading_without_markup() -> None:
    assert parse_markdown("x\n## The **bold** [link](http://x) `code` ##\n# Z").title == (
        "The bold link code"
    )
    assert parse_markdown("#\n# snake_case C#").title == "snake_case C#"
    assert parse_markdown("no heading").title == ""
