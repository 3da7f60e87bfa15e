"""From text to methods; by recursive descent, one function a rule.

method   = { rewriter ">" } term
term     = name [ "(" [ argument { "," argument } ] ")" ]
argument = key "=" ( word | string | method ) | method        (the latter in rrf alone)
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, get_args

from leafward.errors import MethodError, SettingsError
from leafward.evaluate.method.arguments import UnknownArgument, built, read, takes
from leafward.evaluate.method.checking import Rewriting
from leafward.evaluate.method.nodes import (
    Bm25,
    CrossEncoder,
    Dense,
    Hybrid,
    Method,
    Rerank,
    Rewritten,
    Rrf,
    Tree,
    TreePlus,
)
from leafward.evaluate.method.scanning import Token, tokens

_KINDS: Mapping[str, type[Any]] = {
    "bm25": Bm25,
    "dense": Dense,
    "hybrid": Hybrid,
    "tree": Tree,
    "tree++": TreePlus,
    "rrf": Rrf,
    "rerank": Rerank,
    "cross-encoder": CrossEncoder,
}
NAMES = tuple(_KINDS)
"""Every method by name."""

_REWRITERS: Mapping[str, Rewriting] = {name: name for name in get_args(Rewriting)}
_DEEPEST = 16


def parse_method(text: str) -> Method:
    """Read a method.

    Raises:
        MethodError: it cannot be read; with the column and what would be right there.
    """
    parser = _Parser(tokens(text))
    method = parser.method()
    parser.expect_end()
    return method


class _Parser:
    def __init__(self, found: list[Token]) -> None:
        self._tokens = found
        self._next = 0
        self._depth = 0

    def method(self) -> Method:
        """``{ rewriter ">" } term``."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise _wrong(self._peek(), "methods stand too deep in each other", "write less at once")
        name = self._take_name()
        if name.text in _REWRITERS:
            self._take(">", f"{name.text}>METHOD, such as {name.text}>dense")
            method: Method = Rewritten(_REWRITERS[name.text], self.method())
        else:
            method = self._term(name)
        self._depth -= 1
        return method

    def expect_end(self) -> None:
        if self._peek().kind != "end":
            raise _wrong(self._peek(), f"{self._peek().text!r} is too much", "end the method here")

    def _term(self, name: Token) -> Method:
        kind = _KINDS[name.text]
        given: dict[str, Any] = {"of": ()} if kind is Rrf else {}
        if self._at("("):
            self._advance()
            while not self._at(")"):
                self._argument(name.text, kind, given)
                if not self._at(")"):
                    self._take(",", "arguments in parentheses, with commas between them")
            self._advance()
        try:
            made: Method = built(kind, given)
        except SettingsError as error:
            raise _wrong(name, error.message, error.hint) from error
        return made

    def _argument(self, name: str, kind: type[Any], given: dict[str, Any]) -> None:
        key = self._peek()
        if not (key.kind == "word" and self._at("=", ahead=1)):
            if kind is not Rrf:
                raise _wrong(key, f"{name} takes arguments by name", takes(name, kind))
            given["of"] = (*given["of"], self.method())
            return
        self._advance(2)
        if kind is Rrf and key.text == "of":
            raise _wrong(key, "rrf takes its methods without a name", takes(name, kind))
        if key.text in given:
            raise _wrong(key, f"{key.text} is given twice", takes(name, kind))
        given[key.text] = self._value(name, kind, key)

    def _value(self, name: str, kind: type[Any], key: Token) -> Any:
        if key.text == "of" and kind in (Rerank, CrossEncoder):
            return self.method()
        value = self._peek()
        if value.kind not in ("word", "string"):
            raise _wrong(value, f"{key.text} has no value", f"{key.text}=VALUE")
        self._advance()
        try:
            return read(name, kind, key.text, value.text)
        except SettingsError as error:
            at = key if isinstance(error, UnknownArgument) else value
            raise _wrong(at, error.message, error.hint) from error

    # --- tokens

    def _peek(self, ahead: int = 0) -> Token:
        return self._tokens[min(self._next + ahead, len(self._tokens) - 1)]

    def _at(self, mark: str, *, ahead: int = 0) -> bool:
        token = self._peek(ahead)
        return token.kind == "mark" and token.text == mark

    def _advance(self, count: int = 1) -> None:
        self._next += count

    def _take(self, mark: str, hint: str) -> None:
        if not self._at(mark):
            raise _wrong(self._peek(), f"{mark!r} is missing", hint)
        self._advance()

    def _take_name(self) -> Token:
        token = self._peek()
        known = (*NAMES, *_REWRITERS)
        if token.kind != "word" or token.text not in known:
            near = get_close_matches(token.text.lower(), known, n=1)
            what = f"there is no method {token.text}" if token.text else "a method is missing"
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
            raise _wrong(token, what, hint)
        self._advance()
        return token


def _wrong(token: Token, message: str, hint: str) -> MethodError:
    return MethodError(message, column=token.column, hint=hint)
