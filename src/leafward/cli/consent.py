"""The bill before the spending: what a build will cost, and whether that is wanted."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from leafward.cli.output import note, told_money
from leafward.errors import Interrupted, SettingsError

if TYPE_CHECKING:
    from leafward.library import PlanReport
    from leafward.settings import BudgetSettings, ModelSettings, Settings

_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def may_cost(settings: Settings) -> bool:
    """Whether a build with these settings may spend money.

    A model in this process costs nothing, nor does a server of one's own: a provider that is free,
    or any server on this machine, unless prices are given for it.
    """
    specs = [spec for spec in (settings.model, settings.embedder) if spec and ":" in spec]
    return any(_may_cost(spec, settings.models) for spec in specs)


def _may_cost(spec: str, models: ModelSettings) -> bool:
    from leafward.models import PROVIDERS

    name = spec.partition(":")[0]
    if name in ("local", "checkpoint"):
        return False
    if models.price_prompt or models.price_completion:
        return True
    provider = PROVIDERS.get(name)
    ours = provider is not None and provider.free
    return not ours and not _is_loopback(models.base_url)


def told_probe_bound(settings: Settings) -> str:
    """What the routing probe may add to the bill, as a line."""
    search = settings.search
    most = settings.build.probe_documents * search.beam * search.iterations
    return f"the routing probe at the end may take up to {most:,} calls more (--no-probe: none)"


def confirm_calls(settings: Settings, calls: int, *, yes: bool, quiet: bool) -> None:
    """Tell how many calls an evaluation may make, and go on only where they are accepted.

    Raises:
        SettingsError, Interrupted: as :func:`confirm`.
    """
    if not calls or not may_cost(settings):
        return
    note(
        f"about {calls:,} model calls at most; stored answers are not paid again",
        quiet=quiet and yes,
    )
    confirm(settings.budget, yes=yes, what="this evaluation", question="Go on?")


def told_plan(report: PlanReport) -> list[str]:
    """The bill as lines: a row for each stage, then the sum."""
    rows: list[tuple[str, int, int, int]] = [
        (stage.name, stage.calls, stage.prompt_tokens, stage.completion_tokens)
        for stage in report.plan.stages
    ]
    plan = report.plan
    rows.append(("in all", plan.calls, plan.prompt_tokens, plan.completion_tokens))
    width = max(len(row[0]) for row in rows)
    head = f"{'':{width}}  {'calls':>9}  {'tokens in':>12}  {'tokens out':>12}"
    lines = [f"{name:{width}}  {c:>9,}  {i:>12,}  {o:>12,}" for name, c, i, o in rows]
    money = told_money(report.money)
    return [head, *lines, f"{'money':{width}}  {money}"]


def confirm(
    budget: BudgetSettings, *, yes: bool, what: str = "this build", question: str = "Build it?"
) -> None:
    """Go on only where the bill is accepted: by ``--yes``, by a budget, or by a person.

    Never waits for an answer that cannot come: without a terminal a budget is what consents.

    Raises:
        SettingsError: nobody can be asked.
        Interrupted: the person said no.
    """
    if yes:
        return
    if not _asks():
        if _limited(budget):
            return
        raise SettingsError(
            f"{what} may cost money, and there is no terminal to ask on",
            hint="add --yes, or a limit such as --budget-money 1 or --budget-tokens 1000000",
        )
    if not _agreed(question):
        raise Interrupted("not begun", hint="nothing was spent; --yes skips this question")


def _limited(budget: BudgetSettings) -> bool:
    return any(limit is not None for limit in (budget.calls, budget.tokens, budget.money))


def _is_loopback(url: str | None) -> bool:
    from urllib.parse import urlsplit

    return url is not None and urlsplit(url).hostname in _LOOPBACK


def confirm_loss(question: str, *, yes: bool) -> None:
    """Ask before something is thrown away.

    Raises:
        SettingsError: nobody can be asked.
        Interrupted: the person said no.
    """
    if yes:
        return
    if not _asks():
        raise SettingsError("there is no terminal to ask on", hint="add --yes")
    if not _agreed(question):
        raise Interrupted("nothing was changed", hint="--yes skips this question")


def _asks() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def _agreed(question: str) -> bool:
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")
