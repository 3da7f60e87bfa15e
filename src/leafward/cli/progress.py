"""How far a long job is: bars on a terminal, a line now and then elsewhere, or nothing."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self

from leafward.cli.output import told_usage
from leafward.closing import Closing
from leafward.types import NO_USAGE, Usage

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

_LINE_EVERY = 10.0  # seconds between two lines of one stage


class Display(Protocol):
    """A :class:`leafward.protocols.Progress` that is shown while it is open."""

    def start(self, stage: str, total: int | None = None) -> None: ...

    def advance(self, stage: str, count: int = 1) -> None: ...

    def finish(self, stage: str) -> None: ...

    def close(self) -> None:
        """Give the terminal back; harmless when repeated."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


def display(usage: Callable[[], Usage] = lambda: NO_USAGE, *, quiet: bool) -> Display:
    """What suits where stderr goes; ``usage`` tells what the job has cost so far."""
    if quiet:
        return Nothing()
    return Bars(usage) if sys.stderr.isatty() else Lines(usage)


class Nothing(Closing):
    """Shows nothing."""

    def start(self, stage: str, total: int | None = None) -> None:
        pass

    def advance(self, stage: str, count: int = 1) -> None:
        pass

    def finish(self, stage: str) -> None:
        pass

    def close(self) -> None:
        pass


class Bars(Nothing):
    """A bar for each stage, with rate, time left, and what it has cost."""

    def __init__(self, usage: Callable[[], Usage]) -> None:
        from rich import progress as rich_progress

        from leafward.cli.output import console

        self._usage = usage
        self._tasks: dict[str, TaskID] = {}
        self._bars: RichProgress = rich_progress.Progress(
            rich_progress.TextColumn("{task.description}", markup=False),
            rich_progress.BarColumn(bar_width=24),
            rich_progress.MofNCompleteColumn(),
            rich_progress.TextColumn("{task.fields[rate]}", markup=False),
            rich_progress.TimeRemainingColumn(compact=True),
            rich_progress.TextColumn("{task.fields[cost]}", markup=False),
            console=console(stderr=True),
        )
        self._bars.start()

    def start(self, stage: str, total: int | None = None) -> None:
        self._tasks[stage] = self._bars.add_task(stage, total=total, rate="", cost="")

    def advance(self, stage: str, count: int = 1) -> None:
        task = self._tasks[stage]
        speed = self._bars.tasks[self._bars.task_ids.index(task)].speed
        rate = f"{speed:,.1f}/s" if speed else ""
        self._bars.update(task, advance=count, rate=rate, cost=_cost(self._usage()))

    def finish(self, stage: str) -> None:
        task = self._tasks[stage]
        done = self._bars.tasks[self._bars.task_ids.index(task)].completed
        self._bars.update(task, total=done or 1, completed=done or 1, cost=_cost(self._usage()))
        self._bars.stop_task(task)

    def close(self) -> None:
        self._bars.stop()


@dataclass(slots=True)
class _Stage:
    total: int | None
    done: int
    begun: float
    told: float


class Lines(Nothing):
    """A line when a stage begins and ends, and every ten seconds between: for logs."""

    def __init__(
        self, usage: Callable[[], Usage], *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._usage = usage
        self._clock = clock
        self._lock = threading.Lock()
        self._stages: dict[str, _Stage] = {}

    def start(self, stage: str, total: int | None = None) -> None:
        now = self._clock()
        with self._lock:
            self._stages[stage] = _Stage(total, 0, now, now)
        self._say(f"{stage}: {total:,} to do" if total else stage)

    def advance(self, stage: str, count: int = 1) -> None:
        with self._lock:
            state, now = self._stages[stage], self._clock()
            state.done += count
            due = now - state.told >= _LINE_EVERY
            if due:
                state.told = now
        if due:
            self._say(self._state(stage, state, now))

    def finish(self, stage: str) -> None:
        state = self._stages[stage]
        seconds = self._clock() - state.begun
        parts = [f"{stage}: {state.done:,} done in {seconds:,.1f} s", _cost(self._usage())]
        self._say(" · ".join(part for part in parts if part))

    def _state(self, stage: str, state: _Stage, now: float) -> str:
        rate = state.done / max(now - state.begun, 1e-9)
        parts = [f"{stage}: {state.done:,}", f"{rate:,.1f}/s", _cost(self._usage())]
        if state.total:
            left = max(0, state.total - state.done) / rate if rate else 0.0
            parts[0] += f" of {state.total:,}"
            parts.insert(2, f"{left:,.0f} s left")
        return " · ".join(part for part in parts if part)

    def _say(self, line: str) -> None:
        print(line, file=sys.stderr, flush=True)


def _cost(usage: Usage) -> str:
    """Nothing where nothing was asked of a model: most jobs cost nothing."""
    return told_usage(usage) if usage.calls or usage.cache_hits else ""
