"""What is malformed in any reading of PubMed's language, found before PubMed is asked.

PubMed repairs such expressions in silence, and searches for something else than what was written.
"""

from __future__ import annotations

from leafward.engines.boolean.tokens import Kind, Token, tokenize
from leafward.errors import QuerySyntaxError


def check_structure(expression: str) -> None:
    """Raises QuerySyntaxError for a quote, bracket or parenthesis without its other half, and for
    an operator without one of its sides; everything else is PubMed's to judge."""
    opened: list[Token] = []
    before: Token | None = None
    for token in tokenize(expression):
        if token.kind is Kind.OPERATOR:
            _check_left(token, before)
        elif token.kind in (Kind.CLOSE, Kind.END):
            _check_right(token, before)
        if token.kind is Kind.OPEN:
            opened.append(token)
        elif token.kind is Kind.CLOSE:
            if not opened:
                raise _error("this parenthesis closes nothing", token, "take it out")
            opened.pop()
        before = token
    if opened:
        raise _error("this parenthesis is not closed", opened[-1], "write a ) where the group ends")


def _check_left(token: Token, before: Token | None) -> None:
    if before is None or before.kind is Kind.OPEN:
        raise _error(f"{token.text} has nothing to its left", token, f"take {token.text} out")
    if before.kind is Kind.OPERATOR:
        told = f"{token.text} follows {before.text} directly"
        raise _error(told, token, "keep one of the two")


def _check_right(token: Token, before: Token | None) -> None:
    if before is not None and before.kind is Kind.OPERATOR:
        raise _error(f"{before.text} has nothing to its right", before, f"take {before.text} out")
    if before is not None and before.kind is Kind.OPEN and token.kind is Kind.CLOSE:
        raise _error("there is nothing in these parentheses", before, "give a word to search for")


def _error(message: str, token: Token, hint: str) -> QuerySyntaxError:
    return QuerySyntaxError(message, column=token.column, hint=hint)
