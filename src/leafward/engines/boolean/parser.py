"""PubMed's query language: text to a tree, with every error on its column; no recursion."""

from __future__ import annotations

import re
from collections.abc import Sequence

from leafward.engines.analysis import valid
from leafward.engines.boolean.fields import Field, read_tag, tag_problem
from leafward.engines.boolean.groups import Group
from leafward.engines.boolean.nodes import Dates, Node
from leafward.engines.boolean.ovid import refuse_foreign
from leafward.engines.boolean.ranges import is_range, read_range
from leafward.engines.boolean.tokens import Kind, Token, tokenize
from leafward.engines.boolean.words import Placed, make_term
from leafward.errors import QuerySyntaxError

MAX_LENGTH = 20_000
"""Characters of an expression."""

MAX_TERMS = 1_000
"""Terms of an expression."""

MAX_NESTING = 64
"""Parentheses inside parentheses."""

MAX_LEVELS = 100
"""Parentheses, and changes between OR and AND or NOT, inside each other.

tantivy executes a query on the stack of its thread, which ends the process where it overflows.
"""

_SHORTER = "search for fewer things at once"


def parse(expression: str) -> Node:
    """Read an expression.

    Raises:
        QuerySyntaxError: it is not in PubMed's language, or beyond one of the limits.
    """
    if len(expression) > MAX_LENGTH:
        raise QuerySyntaxError(
            f"the expression is longer than {MAX_LENGTH} characters",
            column=MAX_LENGTH + 1,
            hint=_SHORTER,
        )
    text = valid(expression)
    refuse_foreign(text)
    return _Parser(text).run()


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._lines = "\n" in text
        self._tokens = tokenize(text)
        self._at = 0
        self._terms = 0
        self._groups = [Group(0)]

    def run(self) -> Node:
        while (token := self._tokens[self._at]).kind is not Kind.END:
            if token.kind is Kind.OPERATOR:
                self._operate(token)
            elif token.kind is Kind.OPEN:
                self._open(token)
            elif token.kind is Kind.CLOSE:
                self._close(token)
            elif token.kind is Kind.TAG:
                raise _misplaced_tag(token, self._tokens[self._at - 1] if self._at else None)
            else:
                self._operand(token)
        if len(self._groups) > 1:
            column = self._groups[-1].start + 1
            hint = "write a ) where the group ends"
            raise QuerySyntaxError("this parenthesis is not closed", column=column, hint=hint)
        return self._finished(self._groups[0], "there is nothing to search for")

    def _operate(self, token: Token) -> None:
        group = self._groups[-1]
        if group.operator is not None:
            raise _two_operators(group.operator, token)
        if group.first is None:
            hint = "write A NOT B" if token.text.upper() == "NOT" else f"take {token.text} out"
            message = f"{token.text} has nothing to its left"
            raise QuerySyntaxError(message, column=token.column, hint=hint)
        group.operator = token
        self._at += 1

    def _open(self, token: Token) -> None:
        if len(self._groups) > MAX_NESTING:
            message = f"more than {MAX_NESTING} parentheses inside each other"
            raise QuerySyntaxError(message, column=token.column, hint=_SHORTER)
        self._check_line(token.start)
        self._groups.append(Group(token.start))
        self._at += 1

    def _close(self, token: Token) -> None:
        if len(self._groups) == 1:
            hint = "take it out, or write the ( that it belongs to"
            raise QuerySyntaxError(
                "this parenthesis closes nothing", column=token.column, hint=hint
            )
        group = self._groups.pop()
        node = self._finished(group, "there is nothing in these parentheses")
        self._at += 1
        self._add(node, group.start + 1, group.levels)

    def _finished(self, group: Group, empty: str) -> Node:
        if group.operator is not None:
            token = group.operator
            message, hint = f"{token.text} has nothing to its right", f"take {token.text} out"
            raise QuerySyntaxError(message, column=token.column, hint=hint)
        node = group.node()
        if node is None:
            raise QuerySyntaxError(empty, column=group.start + 1, hint="give a word to search for")
        return node

    def _add(self, node: Node, column: int, levels: int = 0) -> None:
        self._groups[-1].add(node, levels)
        if self._groups[-1].levels > MAX_LEVELS:
            message = f"more than {MAX_LEVELS} groups and changes of operator inside each other"
            hint = "put what is joined by the same operator side by side"
            raise QuerySyntaxError(message, column=column, hint=hint)

    def _operand(self, token: Token) -> None:
        self._check_line(token.start)
        self._terms += 1
        if self._terms > MAX_TERMS:
            message = f"more than {MAX_TERMS} terms"
            raise QuerySyntaxError(message, column=token.column, hint=_SHORTER)
        quoted = token.kind is Kind.PHRASE
        words = _words_of_phrase(token) if quoted else self._run()
        self._at += quoted
        tag = self._tag()
        if tag is Field.DATE:
            self._add(self._dates(words, token), token.column)
        else:
            term = make_term(words, quoted=quoted, field=tag, column=token.column)
            self._add(term, token.column)

    def _run(self) -> list[Placed]:
        """Plain words up to an operator, a tag, a quote or a parenthesis."""
        words: list[Placed] = []
        while (token := self._tokens[self._at]).kind is Kind.WORD:
            if words:
                self._check_line(token.start)
            words.append((token.text, token.column))
            self._at += 1
        return words

    def _tag(self) -> Field | None:
        token = self._tokens[self._at]
        if token.kind is not Kind.TAG:
            return None
        found = read_tag(token.text)
        if found is None:
            message, hint = tag_problem(token.text)
            raise QuerySyntaxError(message, column=token.column, hint=hint)
        self._at += 1
        return found

    def _dates(self, words: Sequence[Placed], token: Token) -> Dates:
        """A date or a range; ``"2000"[dp] : "2010"[dp]`` has its second half still to be read."""
        text = "".join(word for word, _ in words)
        colon = self._tokens[self._at]
        if colon.kind is Kind.WORD and colon.text.startswith(":") and not is_range(text):
            text += colon.text
            self._at += 1
            if colon.text == ":" and self._tokens[self._at].kind in (Kind.WORD, Kind.PHRASE):
                text += self._tokens[self._at].text.strip()
                self._at += 1
            if self._tag() not in (None, Field.DATE):
                raise QuerySyntaxError(
                    "a range of dates with two tags", column=colon.column, hint="use [dp] for both"
                )
        return read_range(text, token.column)

    def _check_line(self, start: int) -> None:
        """Refuse an operand on a new line without an operator: strategies are lists of lines."""
        if not self._lines or not self._at:
            return
        group, before = self._groups[-1], self._tokens[self._at - 1]
        if group.operator is not None or before.kind is Kind.OPEN:
            return
        if "\n" in self._text[before.end : start]:
            raise QuerySyntaxError(
                "a new line begins here without an operator",
                column=start + 1,
                hint="give one expression: join the lines with AND or OR",
            )


def _words_of_phrase(token: Token) -> list[Placed]:
    found = re.finditer(r"\S+", token.text)
    return [(match.group(), token.column + 1 + match.start()) for match in found]


def _misplaced_tag(token: Token, before: Token | None) -> QuerySyntaxError:
    shown = f"[{token.text[:40]}]"
    if before is not None and before.kind is Kind.CLOSE:
        hint = "write the tag after each term inside the parentheses"
        return QuerySyntaxError(
            f"{shown} stands after a parenthesis", column=token.column, hint=hint
        )
    if before is not None and before.kind is Kind.TAG:
        return QuerySyntaxError(
            f"{shown} is a second tag", column=token.column, hint="give each term one tag"
        )
    return QuerySyntaxError(
        f"{shown} has no term before it", column=token.column, hint="write the tag after a term"
    )


def _two_operators(first: Token, second: Token) -> QuerySyntaxError:
    both = f"{first.text.upper()} {second.text.upper()}"
    hint = "write NOT alone" if both == "AND NOT" else "keep one of the two"
    return QuerySyntaxError(
        f"{second.text} stands right after {first.text}", column=second.column, hint=hint
    )
