"""Search results as a person reads them: rank, title, score, the way there, the first reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leafward.cli.clean import one_line
from leafward.cli.output import told_usage

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from leafward.types import SearchHit, SearchResult

_REASON = 240

_STOPS = {
    "exhausted": "nothing was left to read",
    "expansions": "all expansions used",
    "tokens": "token limit",
    "money": "money limit",
    "calls": "call limit",
    "deadline": "deadline",
    "settled": "the best had settled",
    "failures": "the judge kept failing",
}


def told_hit(rank: int, hit: SearchHit) -> RenderableType:
    """A hit as a small table: rank and score beside title, path and reason."""
    from rich.table import Table

    row = Table.grid(padding=(0, 1))
    row.add_column(justify="right", width=3, style="bold")
    row.add_column(ratio=1, overflow="fold")
    row.add_column(justify="right", width=7, style="green")
    row.expand = True
    row.add_row(str(rank), _about(hit), f"{hit.score:.3f}")
    return row


def _about(hit: SearchHit) -> Text:
    from rich.text import Text

    text = Text(one_line(hit.title) or one_line(hit.doc_id), style="bold")
    trail = [one_line(step.name) for step in hit.path if step.name][1:]
    text.append(f"\n{' › '.join([*trail, one_line(hit.doc_id)])}", style="not bold dim")
    reason = next((reason for reason in reversed(hit.reasons) if reason.strip()), "")
    if reason:
        text.append(f"\n{one_line(reason, _REASON)}", style="not bold italic")
    return text


def told_end(result: SearchResult) -> str:
    """What it cost and why it ended, in one line."""
    parts = [told_usage(result.usage), f"stopped: {told_stop(result.stop)}"]
    if result.degraded:
        parts.append("degraded: some judgements were lost, results may be incomplete")
    return " · ".join(parts)


def told_stop(stop: str) -> str:
    """Why a search ended, in words."""
    return _STOPS.get(stop, stop)
