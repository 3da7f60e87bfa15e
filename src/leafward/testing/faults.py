"""Every way in which a model server misbehaves, by name, and when it does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

from leafward.errors import SettingsError
from leafward.testing.words import seeded


class Fault(StrEnum):
    """A fault that can be injected; iterate over it to test against every one."""

    RATE_LIMITED = "429-seconds"  # Retry-After in seconds
    RATE_LIMITED_UNTIL = "429-date"  # Retry-After as an HTTP date
    SERVER_ERROR = "500"
    UNAVAILABLE = "503"
    DROPPED = "dropped-before-answer"
    DROPPED_MIDDLE = "dropped-mid-body"
    STALL = "stall"
    EMPTY = "empty-content"
    REFUSAL = "refusal"
    LENGTH = "length-mid-json"
    WHITESPACE = "endless-whitespace"
    PROSE = "prose-around-json"
    FENCE = "code-fence"
    MISSING_IDS = "missing-ids"
    REPEATED_IDS = "repeated-ids"
    UNKNOWN_IDS = "unknown-ids"
    SCORE_101 = "score-101"
    SCORE_NEGATIVE = "score-negative"
    SCORE_WORD = "score-word"
    SCHEMA_IGNORED = "schema-ignored"
    INVALID_UTF8 = "invalid-utf8"
    GARBAGE = "garbage-body"  # says that it is JSON, and is none
    HTML_PAGE = "html-page"  # a gateway's page, with status 200
    NO_USAGE = "missing-usage"

    @property
    def rejects(self) -> bool:
        """The request is turned away: no answer is made and nothing billed."""
        return self in _REJECTIONS

    @property
    def on_wire(self) -> bool:
        """It strikes whatever was asked, embeddings included; the others change a chat answer."""
        return self in _ON_WIRE

    def strikes(self, kind: str) -> bool:
        """Whether this fault means anything for a kind of request."""
        if self in _IDS:
            return kind in ("summaries", "clusters", "slate_scores")
        if self in _SCORES:
            return kind == "slate_scores"
        return self.on_wire or kind != "embeddings"


_REJECTIONS = frozenset(
    {Fault.RATE_LIMITED, Fault.RATE_LIMITED_UNTIL, Fault.SERVER_ERROR, Fault.UNAVAILABLE}
)
_ON_WIRE = _REJECTIONS | {
    Fault.DROPPED,
    Fault.DROPPED_MIDDLE,
    Fault.STALL,
    Fault.INVALID_UTF8,
    Fault.GARBAGE,
    Fault.HTML_PAGE,
    Fault.NO_USAGE,
}
_IDS = frozenset({Fault.MISSING_IDS, Fault.REPEATED_IDS, Fault.UNKNOWN_IDS})
_SCORES = frozenset({Fault.SCORE_101, Fault.SCORE_NEGATIVE, Fault.SCORE_WORD})


@dataclass(frozen=True)
class Inject:
    """A fault and its schedule; all conditions must hold.

    ``probability`` is drawn per prompt and attempt under ``seed``, so that it does not depend on
    the order in which requests arrive; ``nth`` does: it counts matching requests from 1.
    ``first_attempt_only`` spares prompts that were asked before. ``times`` bounds how often the
    fault strikes. ``kinds`` limits it to kinds of request ("embeddings" is one).
    ``retry_after`` is in seconds, for 429 (where None means 1) and 503 (where None sends none);
    ``stall`` is how long STALL holds the connection before it closes it. Raises SettingsError
    where the schedule makes no sense.
    """

    fault: Fault
    probability: float = 1.0
    seed: int = 0
    nth: Collection[int] | None = None
    first_attempt_only: bool = False
    times: int | None = None
    kinds: Collection[str] | None = None
    retry_after: float | None = None
    stall: float = 3600.0

    def __post_init__(self) -> None:
        if not 0.0 <= self.probability <= 1.0:
            raise SettingsError(
                f"a probability of {self.probability}", hint="use a number from 0 to 1"
            )
        if isinstance(self.kinds, str):  # in which `in` would find parts of words
            raise SettingsError(f"kinds={self.kinds!r}", hint=f"use {{{self.kinds!r}}}")


class Schedule:
    """Decides which fault strikes a request; the first that matches does."""

    def __init__(self, injections: Sequence[Inject]) -> None:
        self._injections = tuple(injections)
        self._seen: Counter[int] = Counter()
        self._struck: Counter[int] = Counter()

    def pick(self, kind: str, key: str, attempt: int) -> Inject | None:
        """The injection for one request, which is thereby counted."""
        for number, inject in enumerate(self._injections):
            if self._matches(number, inject, kind, key, attempt):
                self._struck[number] += 1
                return inject
        return None

    def _matches(self, number: int, inject: Inject, kind: str, key: str, attempt: int) -> bool:
        if inject.kinds is not None and kind not in inject.kinds:
            return False
        if not inject.fault.strikes(kind):
            return False
        self._seen[number] += 1
        if inject.nth is not None and self._seen[number] not in inject.nth:
            return False
        if inject.times is not None and self._struck[number] >= inject.times:
            return False
        if inject.first_attempt_only and attempt > 0:
            return False
        draw = seeded(inject.seed, inject.fault.value, key, attempt).random()
        return draw < inject.probability
