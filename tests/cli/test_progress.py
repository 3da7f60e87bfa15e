"""Bars on a terminal, lines elsewhere, nothing when quiet."""

from __future__ import annotations

import io

import pytest

from leafward.cli.progress import Bars, Lines, Nothing, display
from leafward.types import NO_USAGE, Usage

SPENT = Usage(calls=3, prompt_tokens=900, completion_tokens=100, money=0.25, cache_hits=2)


class Clock:
    """Time that passes when told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_lines_come_at_begin_end_and_every_ten_seconds(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    lines = Lines(lambda: SPENT, clock=clock)
    lines.start("summaries", 100)
    for _ in range(40):
        clock.now += 0.5
        lines.advance("summaries")
    lines.finish("summaries")
    told = capsys.readouterr().err.splitlines()
    cost = "3 calls · 1,000 tokens · $0.2500 · 2 from the cache"
    assert told == [
        "summaries: 100 to do",
        f"summaries: 20 of 100 · 2.0/s · 40 s left · {cost}",
        f"summaries: 40 of 100 · 2.0/s · 30 s left · {cost}",
        f"summaries: 40 done in 20.0 s · {cost}",
    ]


def test_lines_of_an_unknown_total_tell_the_rate_only(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    lines = Lines(lambda: NO_USAGE, clock=clock)
    lines.start("splits")
    clock.now = 10.0
    lines.advance("splits", 5)
    assert capsys.readouterr().err.splitlines() == ["splits", "splits: 5 · 0.5/s"]


def test_quiet_shows_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with display(quiet=True) as shown:
        shown.start("a", 2)
        shown.advance("a")
        shown.finish("a")
    captured = capsys.readouterr()
    assert isinstance(shown, Nothing)
    assert captured.err == captured.out == ""


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_gets_bars_with_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "140")
    with display(lambda: SPENT, quiet=False) as shown:
        assert isinstance(shown, Bars)
        shown.start("summaries", 4)
        shown.advance("summaries", 4)
        shown.finish("summaries")
    told = terminal.getvalue()
    assert "summaries" in told and "4/4" in told and "$0.2500" in told
    assert told.rstrip("\n").endswith("\x1b[?25h")  # the cursor is back


def test_closing_twice_is_harmless(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", Terminal())
    with display(quiet=False) as shown:
        shown.close()
