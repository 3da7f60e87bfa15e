"""How long an attempt at a model call may take."""

from __future__ import annotations

from leafward.remote.deadline import Clock, Deadline, current_deadline, under
from leafward.remote.deadline import attempt_seconds as seconds_within
from leafward.settings import ModelSettings

__all__ = ["Clock", "Deadline", "attempt_seconds", "current_deadline", "under"]


def attempt_seconds(settings: ModelSettings) -> float:
    """How long one attempt may take: its own timeout, or what is left of the call's deadline."""
    return seconds_within(settings.attempt_timeout)
