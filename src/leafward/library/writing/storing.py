"""Answers of models that wrote expressions: an engine need have no index to keep them in."""

from __future__ import annotations

from leafward.library.keeping import keep_calls
from leafward.settings import Settings
from leafward.store import CallCache

FILE = "writing.sqlite"
DAYS = 90


def kept_answers(settings: Settings) -> CallCache | None:
    """A cache in the user's cache folder, so that no answer is paid twice; None where nothing can
    be kept."""
    return keep_calls(settings, FILE, days=DAYS, what="models")
