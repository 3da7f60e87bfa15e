"""Exit codes, and which error ends in which."""

from __future__ import annotations

from enum import IntEnum

from leafward import errors


class Exit(IntEnum):
    """What the shell sees; documented in docs/cli.md."""

    OK = 0
    FAILED = 1
    USAGE = 2
    INPUT = 3
    MODEL = 4
    BUDGET = 5
    INDEX = 6
    INTERRUPTED = 130
    BROKEN_PIPE = 141


MEANING = {
    Exit.OK: "done",
    Exit.FAILED: "an error of the operating system or a bug; or `doctor` found something broken",
    Exit.USAGE: "wrong arguments or settings, or a confirmation that nobody could give",
    Exit.INPUT: "documents or a query that cannot be read",
    Exit.MODEL: "a model that fails, is missing, or needs a package that is not installed",
    Exit.BUDGET: "the next call could have overshot the budget, so it was not made",
    Exit.INDEX: "an index that is missing, damaged, locked, or fails `verify`",
    Exit.INTERRUPTED: "interrupted with Ctrl-C; what was paid is saved",
    Exit.BROKEN_PIPE: "whoever read the output went away, as `head` does",
}

_CODES: tuple[tuple[type[errors.LeafwardError], Exit], ...] = (
    (errors.Interrupted, Exit.INTERRUPTED),
    (errors.BudgetExceeded, Exit.BUDGET),
    (errors.StoreError, Exit.INDEX),
    (errors.CorpusError, Exit.INPUT),
    (errors.QuerySyntaxError, Exit.INPUT),
    (errors.SettingsError, Exit.USAGE),
    (errors.ModelError, Exit.MODEL),
    (errors.WeightsError, Exit.MODEL),
    (errors.MissingExtra, Exit.MODEL),
    (errors.EngineUnavailable, Exit.MODEL),
)


def exit_code(error: errors.LeafwardError) -> Exit:
    """The code for an error; FAILED for a kind that has none of its own."""
    return next((code for kind, code in _CODES if isinstance(error, kind)), Exit.FAILED)
