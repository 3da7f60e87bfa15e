"""What can be said of a statement before SQLite sees it, with the column."""

from __future__ import annotations

from leafward.engines.sql.limits import SqlLimits
from leafward.engines.sql.words import Token, tokens
from leafward.errors import QuerySyntaxError

_HINT = "write one SELECT statement in SQLite's SQL"
_BEGINNINGS = ("select", "with", "values")


def check_statement(sql: str, limits: SqlLimits) -> list[Token]:
    """The tokens of a text that may be one reading statement.

    Raises:
        QuerySyntaxError: it is empty, too long, several statements, or begins otherwise.
    """
    if len(sql) > limits.characters:
        raise QuerySyntaxError(
            f"the statement has more than {limits.characters:,} characters",
            column=limits.characters + 1,
            hint="write a shorter one",
        )
    for column, character in enumerate(sql, start=1):
        if character == "\0" or "\ud800" <= character <= "\udfff":
            raise QuerySyntaxError(
                "a character that no text holds", column=column, hint="take it out"
            )
    read = list(tokens(sql))
    if not read or read[0].text == ";":
        raise QuerySyntaxError("the statement is empty", column=1, hint=_HINT)
    if read[0].name not in _BEGINNINGS and read[0].text != "(":
        raise QuerySyntaxError(
            f"a statement that begins with {read[0].text[:20]!r} is refused: the database is only"
            " read",
            column=read[0].start + 1,
            hint=_HINT,
        )
    _check_single(read)
    return read


def _check_single(read: list[Token]) -> None:
    ends = [number for number, token in enumerate(read) if token.text == ";"]
    after = next((token for token in read[ends[0] :] if token.text != ";"), None) if ends else None
    if after is not None:
        raise QuerySyntaxError(
            "a second statement follows the first", column=after.start + 1, hint=_HINT
        )
    parameter = next((token for token in read if token.text in "?:@$" and not token.quoted), None)
    if parameter is not None:
        raise QuerySyntaxError(
            "a parameter without a value", column=parameter.start + 1, hint="write the value itself"
        )
