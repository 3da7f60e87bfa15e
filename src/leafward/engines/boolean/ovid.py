"""Constructs of other search languages, which PubMed's would silently misread as words."""

from __future__ import annotations

import re

from leafward.errors import QuerySyntaxError

_CODES = (
    "ab|af|au|dm|dq|dt|dv|fs|fx|hw|id|jn|jw|kf|kw|la|lg|mp|nm|ot|ox|pt|px|rf|rn|rs|sd|sh|ti|tn|"
    "tw|ui|xm|xs|yr"
)
_END = r"""(?=[\s()\[\]"“”„″.,;:]|$)"""

# Runs of word characters begin only where a word does, so that no text takes quadratic time.
_FOREIGN = re.compile(
    rf"""
    (?P<skip> ["“”„″][^"“”„″]*["“”„″] (?!\s*/) | \[[^\[\]]*\] )
  | (?P<heading> (?i:\bexp)\s+ (?: "[^"]*"\s* | [^\s()\[\]"/][^()\[\]"/\n]{{0,200}} ) /
               | "[^"]*"\s*/ | (?<![\w'-]) \w[\w'-]{{2,}} / {_END}
               | (?<!\w) \w{{3,}} /[a-z]{{2}} \s+ \[ (?!(?i:mesh|mh|maj|ti|tw|all)) )
  | (?P<adjacency> (?i:\badj\d*) \b )
  | (?P<suffix> (?<=[\w)*$?"]) \.(?:{_CODES}) (?:,(?:{_CODES}))* \.? {_END} )
  | (?P<lines> (?i:\b(?:or|and)) /\d | \b(?i:limit)\s+\d+\s+(?i:to)\b )
  | (?P<dollar> (?<!\w) \w{{3,}} \$ )
  | (?P<wildcard> \b\w{{1,40}}[?\#]\w )
  | (?P<embase> (?i:\b(?:near|next)) /\d | (?<=[\w)*'"]) : (?:ti|ab|kw|de)(?:,(?:ti|ab|kw))* {_END}
              | ['"\w] /exp\b )
  | (?P<history> (?<!\w)\#\d )
    """,
    re.VERBOSE,
)

_SUSPECT = re.compile(r"[/$?#]|\.[a-z]{2}|:[takd]|adj|limit", re.IGNORECASE)
"""What every foreign construct has a part of; most expressions have none, and end here."""

_LINES = re.compile(r"\d+( (and|or|not) \d+)+", re.ASCII)

_EXPLAINED = {
    "heading": ("Ovid's subject heading", 'write "Heading"[mh] for exp Heading/ or Heading/'),
    "adjacency": ("Ovid's adjacency", 'write a phrase, "breast feeding"[tiab], or use AND'),
    "suffix": ("Ovid's field suffix", "write word[tiab] after each term for word.ti,ab."),
    "lines": ("Ovid's reference to earlier lines", "write these lines here, in parentheses"),
    "dollar": ("Ovid's truncation", "write word* for word$"),
    "wildcard": ("Ovid's wildcard", "write out each spelling and join them with OR"),
    "embase": ("Embase's or the Cochrane Library's syntax", "write word[tiab], or use AND"),
    "history": (
        "a line of a search history, which one expression does not have",
        "write that line here, in parentheses",
    ),
}


def refuse_foreign(text: str) -> None:
    """Point at the first construct of Ovid, Embase or a search history.

    Raises:
        QuerySyntaxError: there is one; the hint names the language and what PubMed writes.
    """
    if _SUSPECT.search(text) is None:
        return
    for match in _FOREIGN.finditer(text):
        kind = match.lastgroup
        if kind is None or kind == "skip":
            continue
        what, instead = _EXPLAINED[kind]
        start = match.start() + len(match.group()) - len(match.group().lstrip())
        raise QuerySyntaxError(
            f"{match.group().strip()[:40]!r} is {what}",
            column=start + 1,
            hint=f"this engine reads PubMed's language; {_name(kind)}{instead}",
        )


def refuse_line_numbers(words: list[str], column: int) -> None:
    """Refuse ``1 or 2 or 3``, which joins lines of an Ovid search and not numbers.

    Raises:
        QuerySyntaxError: the words are nothing but numbers and lower-case operators.
    """
    if _LINES.fullmatch(" ".join(words)):
        what, instead = _EXPLAINED["lines"]
        raise QuerySyntaxError(
            f"{' '.join(words)[:40]!r} is {what}",
            column=column,
            hint=f"this engine reads PubMed's language, not Ovid's; {instead}",
        )


def _name(kind: str) -> str:
    return "" if kind in ("embase", "history") else "this is Ovid's: "
