"""A document's path through a search, level by level, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leafward.cli.clean import one_line
from leafward.cli.hits import told_stop
from leafward.cli.output import told_usage

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from leafward.library.explaining import Explanation
    from leafward.search.fates import GoldStep, Rival

_NAME = 56
_REASON = 200
_BETTER = 3
_RIVALS = 5

_FATES = {
    "found": "found, at rank {rank}",
    "outranked": "judged, but only at rank {rank}: {count} documents stand before it",
    "passed over": "lost at depth {depth}: “{name}” waited to be expanded until the search ended",
    "unscored": "lost at depth {depth}: the judge left “{name}” out, asked twice",
    "failed": "lost at depth {depth}: the call that would have scored “{name}” failed for good",
    "unfinished": "lost at depth {depth}: “{name}” was being expanded when the search ended",
    "hidden": "excluded or filtered away: no search may show it",
}


def told_explanation(found: Explanation) -> list[str]:
    """What became of the document, its path, and what was preferred to it."""
    path = found.path
    title = one_line(found.names[path.steps[-1].node], _NAME)
    lost = "" if path.lost_at is None else one_line(found.names[path.lost_at], _NAME)
    fate = _FATES[path.fate].format(
        rank=path.rank, depth=path.depth, name=lost, count=path.rival_count
    )
    doc_id = one_line(path.doc_id)
    return [
        title if title == doc_id else f"{title} ({doc_id})",
        f"  {fate}",
        f"  {_told_search(found)}",
        "",
        f"{'root':>6}  {one_line(found.names[0], _NAME)}",
        *(line for step in path.steps for line in _told_step(step, found)),
        *_told_rivals(found),
    ]


def _told_search(found: Explanation) -> str:
    parts = [
        f"{found.judgements:,} slates judged, {found.leaves:,} documents scored",
        f"stopped: {told_stop(found.stop)}",
        "an earlier search, looked at again" if found.reused else told_usage(found.usage),
    ]
    if found.degraded:
        parts.append("degraded: some judgements were lost")
    return " · ".join(parts)


def _told_step(step: GoldStep, found: Explanation) -> Iterator[str]:
    mark = "✗" if step.node == found.path.lost_at else " "
    yield f"{mark} {step.depth:>4}  {one_line(found.names[step.node], _NAME)}"
    if step.score is None:
        yield f"{'':8}{'never shown' if step.relevance is None else 'left without a score'}"
    else:
        yield (
            f"{'':8}score {step.score:.3f}, place {step.place} of {step.of} on its slate"
            f"{_told_better(step, found)}"
        )
    rank = _rank(step, leaf=step is found.path.steps[-1])
    if step.latent is not None and step.relevance is not None:
        yield f"{'':8}latent {step.latent:.3f}, path relevance {step.relevance:.3f}{rank}"
    if step.reason:
        yield f"{'':8}“{one_line(step.reason, _REASON)}”"


def _told_better(step: GoldStep, found: Explanation) -> str:
    if not step.better:
        return ""
    named = [
        f"{one_line(found.names[each.node], 32)} {each.value:.3f}" for each in step.better[:_BETTER]
    ]
    more = (step.place or 0) - 1 - len(named)
    return f"; before it {', '.join(named)}{f' and {more} more' if more > 0 else ''}"


def _rank(step: GoldStep, *, leaf: bool) -> str:
    if step.rank is None:
        return ""
    if leaf:
        return f", rank {step.rank} of {step.among} documents"
    after = "never expanded" if step.expanded is None else f"expanded as number {step.expanded + 1}"
    return f", place {step.rank} of {step.among} on the frontier, {after}"


def _told_rivals(found: Explanation) -> Iterator[str]:
    path = found.path
    if not path.rivals:
        return
    passed = path.fate == "passed over"
    yield ""
    yield (
        "expanded while it waited (path relevance, and its own then):"
        if passed
        else ("ranked before it (path relevance, and its own):")
    )
    yield from _told_few(path.rivals[:_RIVALS], found)
    more = path.rival_count - min(len(path.rivals), _RIVALS)
    if more:
        yield f"  … and {more:,} more"


def _told_few(rivals: Sequence[Rival], found: Explanation) -> Iterator[str]:
    for each in rivals:
        name = one_line(found.names[each.node], _NAME)
        yield f"  {each.value:.3f} against {each.own:.3f}  {name}"
