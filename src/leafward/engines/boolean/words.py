"""What a term may say: truncation, operators that were meant, and ranges that need a tag."""

from __future__ import annotations

import re
from collections.abc import Sequence

from leafward.engines.boolean.fields import Field
from leafward.engines.boolean.nodes import Term
from leafward.engines.boolean.ovid import refuse_line_numbers
from leafward.errors import QuerySyntaxError

MIN_PREFIX = 4
"""Letters or digits before ``*``, as in PubMed."""

TRAILING = ".,;:!?"
"""Punctuation of a sentence, which may follow a truncated word."""

Placed = tuple[str, int]
"""A word and the column on which it begins."""

_RANGE = re.compile(r"\d{4}(/\d+)*:\d{4}(/\d+)*", re.ASCII)


def make_term(words: Sequence[Placed], *, quoted: bool, field: Field | None, column: int) -> Term:
    """Check the words of a term and put them together.

    Raises:
        QuerySyntaxError: nothing to look up, or a word that PubMed's language does not have.
    """
    for word, place in words:
        if "*" in word:
            _check_truncation(word, place)
    text = " ".join(word for word, _ in words)
    if not any(character.isalnum() for character in text):
        raise QuerySyntaxError(
            f"there is nothing to look up in {text[:40]!r}",
            column=column,
            hint="give a word with letters or digits, or take this out",
        )
    if field is not None and field.exact:
        _check_whole(words, field)
    if not quoted:
        _check_run(words, field)
    return Term(text, quoted, field, column)


def _check_truncation(word: str, column: int) -> None:
    stem, star, after = word.rstrip(TRAILING).partition("*")
    last = re.split(r"[\W_]+", stem)[-1]
    if after or not star:
        message, hint = "* stands inside a word", "write * at the end of a word only"
    elif not last:
        message, hint = "* has no word before it", "write the beginning of a word, such as aspirin*"
    elif len(last) < MIN_PREFIX:
        message = f"{last}* is too short"
        hint = f"give at least {MIN_PREFIX} letters before *, or join whole words with OR"
    else:
        return
    raise QuerySyntaxError(message, column=column + len(stem), hint=hint)


def _check_whole(words: Sequence[Placed], field: Field) -> None:
    """A heading or name is one key, of which only the end can be left open."""
    allowed = () if field is Field.ID else words[-1:]
    for word, column in words:
        if "*" in word and (word, column) not in allowed:
            raise QuerySyntaxError(
                f"* stands inside a term with the tag [{field.value}]",
                column=column + word.index("*"),
                hint="write whole ids" if field is Field.ID else "write * at the end of it only",
            )


def _check_run(words: Sequence[Placed], field: Field | None) -> None:
    refuse_line_numbers([word for word, _ in words], words[0][1])
    for word, column in words:
        if _RANGE.fullmatch(word):
            raise QuerySyntaxError(
                "a range of dates needs a tag", column=column, hint=f"write {word[:40]}[dp]"
            )
        if field is not None and word.lower() in ("or", "not"):
            operator = word.upper()
            raise QuerySyntaxError(
                f"{word!r} stands inside a term with the tag [{field.value}]",
                column=column,
                hint=f"write {operator} in capitals, or put the phrase in quotes",
            )
