"""What a query writer wrote, for people and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leafward.cli import writing_shapes as shapes
from leafward.cli.clean import clean, one_line
from leafward.cli.output import note, told_usage
from leafward.cli.shapes import UsageOut
from leafward.cli.told_query import print_table, table_out

if TYPE_CHECKING:
    from leafward.library.writing import Written
    from leafward.types import Flaw
    from leafward.writing.candidates import Candidate

_THOUGHT = 1_000
_SHOWN = 120


def written_out(written: Written, *, run: bool) -> shapes.WrittenOut:
    """The result as it is printed with --json."""
    table = written.table if run else None
    return shapes.WrittenOut(
        engine=written.engine,
        syntax=written.syntax,
        reasoning=written.reasoning,
        expression=written.expression,
        well_formed=written.well_formed,
        problems=_flaws_out(written.problems),
        total=written.total,
        hits=[
            shapes.WrittenHitOut(doc_id=hit.doc_id, title=title, score=hit.score)
            for hit, title in zip(written.hits, written.titles, strict=True)
        ],
        usage=UsageOut.model_validate(written.usage),
        candidates=[_candidate_out(each) for each in written.candidates],
        notes=list(written.notes),
        table=None if table is None else table_out(table),
        failure=written.failure,
    )


def print_written(written: Written, *, k: int, quiet: bool) -> None:
    """The thought, the expression on a line of its own, then what it finds; notes on stderr."""
    if written.reasoning:
        print(f"thought: {one_line(written.reasoning, _THOUGHT)}")
    print(f"expression: {clean(written.expression) or '(none)'}")
    for flaw in written.problems:
        print(f"  problem: {one_line(str(flaw))}")
    if written.table is not None and k:
        print_table(written.table, k)
    elif written.total is not None:
        print(f"found: {written.total:,}")
    if written.table is None:
        _print_hits(written)
    _print_candidates(written)
    for said in written.notes:
        note(one_line(said), quiet=quiet)
    note(told_usage(written.usage), quiet=quiet or not written.usage.calls)
    if written.failure:
        note(f"the engine gave no answer: {one_line(written.failure)}", quiet=False)


def _print_hits(written: Written) -> None:
    width = max((len(hit.doc_id) for hit in written.hits), default=0)
    for hit, title in zip(written.hits, written.titles, strict=True):
        print(f"  {one_line(hit.doc_id):<{width}}  {one_line(title, 100)}".rstrip())


def _print_candidates(written: Written) -> None:
    """Which others were tried, where there were any."""
    if len(written.candidates) < 2:
        return
    print(f"tried {len(written.candidates)}:")
    for each in written.candidates:
        print(f"  {_told_total(each):>9}  {one_line(each.rewrite.expression, _SHOWN)}".rstrip())


def _told_total(candidate: Candidate) -> str:
    if candidate.total is not None:
        return f"{candidate.total:,}"
    if candidate.failure:
        return "no answer"
    if any(flaw.kind == "syntax-error" for flaw in candidate.rewrite.problems):
        return "refused"
    return "–" if candidate.rewrite.expression else "malformed"


def _candidate_out(candidate: Candidate) -> shapes.CandidateOut:
    rewrite = candidate.rewrite
    return shapes.CandidateOut(
        expression=rewrite.expression,
        well_formed=rewrite.well_formed,
        problems=_flaws_out(rewrite.problems),
        total=candidate.total,
    )


def _flaws_out(flaws: tuple[Flaw, ...]) -> list[shapes.FlawOut]:
    return [shapes.FlawOut.model_validate(flaw) for flaw in flaws]
