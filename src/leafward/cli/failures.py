"""From an exception to one line, a hint and an exit code."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from typing import NoReturn

import typer

from leafward.cli.clean import one_line
from leafward.cli.exits import Exit, exit_code
from leafward.cli.flags import Common
from leafward.errors import Interrupted, LeafwardError, QuerySyntaxError


def guarded(action: Callable[[], None], common: Common) -> None:
    """Run a command; whatever it raises ends in an exit code and at most two lines on stderr."""
    _prepare(common)
    try:
        action()
        sys.stdout.flush()  # a reader that went away is noticed here and not at exit
    except LeafwardError as error:
        _fail(error, error.message, error.hint, exit_code(error), common, error.retryable)
    except BrokenPipeError:
        _silence()
        raise typer.Exit(Exit.BROKEN_PIPE) from None
    except KeyboardInterrupt:
        stopped = Interrupted("interrupted", hint="every answer that was paid for is kept")
        _fail(stopped, stopped.message, stopped.hint, Exit.INTERRUPTED, common)
    except OSError as error:
        hint = "check the path, your rights and the free space"
        _fail(error, f"{type(error).__name__}: {error}", hint, Exit.FAILED, common)
    except (typer.Exit, typer.Abort):
        raise
    except Exception as error:  # noqa: BLE001 - the last resort: a bug must not print a page
        hint = "this is a bug in Leafward; --debug shows where"
        _fail(error, f"{type(error).__name__}: {error}", hint, Exit.FAILED, common)


def _prepare(common: Common) -> None:
    """Quiet where that is wished for; a sign that the terminal cannot show ends no command."""
    if common.quiet:
        import logging

        logging.getLogger("leafward").setLevel(logging.ERROR)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def _fail(
    error: BaseException,
    message: str,
    hint: str,
    code: Exit,
    common: Common,
    retryable: bool = False,
) -> NoReturn:
    if common.debug:
        import traceback

        traceback.print_exception(error, file=sys.stderr)
    if common.json:
        _print_json(error, message, hint, code, retryable)
    else:
        print(f"leafward: {_place(error)}{one_line(message)}", file=sys.stderr)
        if hint:
            print(f"  hint: {one_line(hint)}", file=sys.stderr)
    raise typer.Exit(code)


def _place(error: BaseException) -> str:
    """The column of a malformed expression, as it stands before the message; else empty."""
    if isinstance(error, QuerySyntaxError) and error.column is not None:
        return f"column {error.column}: "
    return ""


def _print_json(error: BaseException, message: str, hint: str, code: Exit, retryable: bool) -> None:
    """The shape is :class:`leafward.cli.shapes.ErrorOut`, written without importing pydantic."""
    import json

    told = {
        "kind": type(error).__name__,
        "message": message,
        "hint": hint,
        "retryable": retryable,
        "exit_code": int(code),
        "column": getattr(error, "column", None),
    }
    print(json.dumps({"error": told}), file=sys.stderr)


def _silence() -> None:
    """Point stdout at nothing, so that the interpreter's own flush at exit finds no closed pipe."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
