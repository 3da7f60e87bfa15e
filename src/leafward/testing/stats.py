"""What a scripted server has seen: the evidence for "never paid twice" and "never overshot"."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass
class KindStats:
    """Counts of one kind of request; the four ways to end sum to ``requests - in flight``.

    ``answered`` got their answer, ``rejected`` a status of 400 or more, ``lost`` were worked on
    (and billed) but never delivered whole: a fault broke them off, or the client went away.
    Tokens are those billed, ``lost`` ones included.
    """

    requests: int = 0
    answered: int = 0
    rejected: int = 0
    lost: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0


@dataclass
class Stats:
    """Everything counted so far.

    ``prompts`` maps the hash of a prompt to the times it was asked, ``paid`` to the times it was
    billed. ``in_flight`` requests have arrived and are not ended yet. ``errors`` holds what
    rules raised. ``/v1/models`` and ``/stats`` themselves are not counted.
    """

    kinds: dict[str, KindStats] = field(default_factory=dict)
    faults: dict[str, int] = field(default_factory=dict)
    prompts: dict[str, int] = field(default_factory=dict)
    paid: dict[str, int] = field(default_factory=dict)
    lost_tokens: int = 0
    in_flight: int = 0
    peak_in_flight: int = 0
    errors: list[str] = field(default_factory=list)

    @property
    def requests(self) -> int:
        return sum(kind.requests for kind in self.kinds.values())

    @property
    def answered(self) -> int:
        return sum(kind.answered for kind in self.kinds.values())

    @property
    def lost(self) -> int:
        return sum(kind.lost for kind in self.kinds.values())

    @property
    def tokens(self) -> int:
        """Prompt and completion tokens billed."""
        return sum(kind.prompt_tokens + kind.completion_tokens for kind in self.kinds.values())

    @property
    def paid_calls(self) -> int:
        """Calls billed."""
        return sum(self.paid.values())

    @property
    def paid_twice(self) -> int:
        """Calls billed beyond the first of each prompt."""
        return self.paid_calls - len(self.paid)

    def to_json(self) -> dict[str, Any]:
        """The answer of ``GET /stats``: the fields and the totals."""
        totals = ("requests", "answered", "lost", "tokens", "paid_calls", "paid_twice")
        return asdict(self) | {name: getattr(self, name) for name in totals}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Stats:
        """Read back what :meth:`to_json` gave."""
        kinds = {name: KindStats(**kind) for name, kind in value["kinds"].items()}
        rest = ("faults", "prompts", "paid", "lost_tokens", "in_flight", "peak_in_flight", "errors")
        return cls(kinds, **{name: value[name] for name in rest})


@dataclass(frozen=True)
class Bill:
    """Tokens charged for one answer."""

    prompt: int
    cached: int
    completion: int

    @property
    def total(self) -> int:
        return self.prompt + self.completion


class Ledger:
    """Keeps the counts; written by the server's thread, read by any."""

    def __init__(self) -> None:
        self._lock = threading.Condition()
        self._stats = Stats()

    def arrive(self, kind: str, key: str) -> int:
        """Count a request in; returns how often its prompt was asked before."""
        with self._lock:
            stats = self._stats
            stats.kinds.setdefault(kind, KindStats()).requests += 1
            stats.in_flight += 1
            stats.peak_in_flight = max(stats.peak_in_flight, stats.in_flight)
            before = stats.prompts.get(key, 0)
            stats.prompts[key] = before + 1
            self._lock.notify_all()
            return before

    def charge(self, kind: str, key: str, bill: Bill) -> None:
        """Bill an answer that has been made, whether or not it will be delivered."""
        with self._lock:
            counts = self._stats.kinds[kind]
            counts.prompt_tokens += bill.prompt
            counts.cached_tokens += bill.cached
            counts.completion_tokens += bill.completion
            self._stats.paid[key] = self._stats.paid.get(key, 0) + 1

    def end(self, kind: str, *, how: str, lost: Bill | None = None) -> None:
        """Count a request out as "answered", "rejected" or "lost"."""
        with self._lock:
            counts = self._stats.kinds[kind]
            setattr(counts, how, getattr(counts, how) + 1)
            self._stats.in_flight -= 1
            self._stats.lost_tokens += lost.total if lost else 0
            self._lock.notify_all()

    def fault(self, name: str) -> None:
        with self._lock:
            self._stats.faults = dict(Counter(self._stats.faults) + Counter([name]))

    def error(self, message: str) -> None:
        with self._lock:
            self._stats.errors.append(message)

    def snapshot(self) -> Stats:
        """A copy that no longer changes."""
        with self._lock:
            return Stats.from_json(self._stats.to_json())

    def reset(self) -> None:
        """Start counting anew; what is in flight stays in flight."""
        with self._lock:
            self._stats = Stats(in_flight=self._stats.in_flight)

    def wait(self, requests: int, timeout: float) -> bool:
        """Block until so many requests have arrived; False where the timeout came first."""
        with self._lock:
            return self._lock.wait_for(lambda: self._stats.requests >= requests, timeout)
