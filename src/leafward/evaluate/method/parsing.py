"""From text to methods; by recursive descent, one function a rule.

method   = { rewriter ">" } term
term     = name [ "(" [ argument { "," argument } ] ")" ]
argument = key "=" ( word | string | method ) | method        (the latter in rrf alone)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any, get_args

from leafward.errors import MethodError, SettingsError
from leafward.evaluate.method.nodes import (
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
    argument_names,
    checked_setting,
)
from leafward.evaluate.method.scanning import Token, tokens
from leafward.settings import SearchSettings

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
        given: dict[str, Any] = {}
        if self._at("("):
            self._advance()
            while not self._at(")"):
                self._argument(name.text, kind, given)
                if not self._at(")"):
                    self._take(",", "arguments in parentheses, with commas between them")
            self._advance()
        try:
            made: Method = _made(kind, given)
        except SettingsError as error:
            raise _wrong(name, error.message, error.hint) from error
        return made

    def _argument(self, name: str, kind: type[Any], given: dict[str, Any]) -> None:
        key = self._peek()
        if not (key.kind == "word" and self._at("=", ahead=1)):
            if kind is not Rrf:
                raise _wrong(key, f"{name} takes arguments by name", _takes(name, kind))
            given["of"] = (*given.get("of", ()), self.method())
            return
        self._advance(2)
        if key.text in given or (kind is Rrf and key.text == "of"):
            raise _wrong(key, f"{key.text} is given twice", _takes(name, kind))
        given[key.text] = self._value(name, kind, key)

    def _value(self, name: str, kind: type[Any], key: Token) -> Any:
        if key.text == "of" and kind in (Rerank, CrossEncoder):
            return self.method()
        value = self._peek()
        if value.kind not in ("word", "string"):
            raise _wrong(value, f"{key.text} has no value", f"{key.text}=VALUE")
        self._advance()
        try:
            return _read(name, kind, key.text, value.text)
        except SettingsError as error:
            at = key if isinstance(error, _UnknownArgument) else value
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


class _UnknownArgument(SettingsError):
    """An argument that the method does not have."""


def _made(kind: type[Any], given: dict[str, Any]) -> Any:
    """The method; settings of tree search are gathered from among its arguments."""
    own = {key: value for key, value in given.items() if key in _own(kind)}
    rest = tuple((key, value) for key, value in given.items() if key not in own and key != "judge")
    if kind is Tree:
        return Tree(search=rest, **own)
    if kind is TreePlus:
        return TreePlus(tree=Tree(given.get("judge", "auto"), rest), **own)
    return kind(**own)


def _own(kind: type[Any]) -> tuple[str, ...]:
    return tuple(name for name in argument_names(kind) if name not in ("search", "tree"))


def _takes(name: str, kind: type[Any]) -> str:
    own = [key for key in _own(kind) if not (kind is Rrf and key == "of")]
    if kind in (Tree, TreePlus):
        own = [*dict.fromkeys([*own, "judge"]), "any setting of tree search (references=5)"]
    takes = f"{name} takes {', '.join(own)}" if own else f"{name} takes no arguments"
    return f"rrf takes methods, and {', '.join(own)}" if kind is Rrf else takes


def _read(name: str, kind: type[Any], key: str, text: str) -> Any:
    if key in _own(kind) and key in _READERS:
        return _READERS[key](key, text)
    if kind is TreePlus and key == "judge":
        return text
    if kind in (Tree, TreePlus) and key in SearchSettings.model_fields:
        return checked_setting(key, None if text == "none" else text)
    raise _UnknownArgument(f"{name} has no argument {key}", hint=_takes(name, kind))


def _integer(key: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise SettingsError(f"{key} cannot be {text}", hint=f"give a whole number, as {key}=20")
    return int(text)


def _optional(key: str, text: str) -> int | None:
    return None if text == "none" else _integer(key, text)


def _boolean(key: str, text: str) -> bool:
    if text not in ("true", "false"):
        raise SettingsError(f"{key} cannot be {text}", hint="say true or false")
    return text == "true"


def _weights(key: str, text: str) -> tuple[float, ...]:
    try:
        weights = tuple(float(part) for part in text.split("/"))
    except ValueError:
        weights = (math.nan,)
    if not all(math.isfinite(weight) for weight in weights):
        raise SettingsError(f"{key} cannot be {text}", hint="numbers with / between: 0.6/0.2/0.2")
    return weights


def _word(key: str, text: str) -> str:
    return text


def _rewriting(key: str, text: str) -> str | None:
    return None if text == "none" else text


_READERS: Mapping[str, Callable[[str, str], Any]] = {
    "weights": _weights,
    "adaptive": _boolean,
    "cheap": _rewriting,
    "depth": _integer,
    "c": _integer,
    "window": _integer,
    "carry": _integer,
    "top": _integer,
    "calls": _optional,
    "judge": _word,
    "model": _word,
}


def _wrong(token: Token, message: str, hint: str) -> MethodError:
    return MethodError(message, column=token.column, hint=hint)
