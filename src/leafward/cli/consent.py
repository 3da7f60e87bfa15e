"""The bill before the spending: what a build will cost, and whether that is wanted."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from leafward.cli.output import told_money
from leafward.errors import Interrupted, SettingsError

if TYPE_CHECKING:
    from leafward.library import PlanReport
    from leafward.settings import BudgetSettings, Settings

_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def may_cost(settings: Settings) -> bool:
    """Whether a build with these settings may spend money.

    A local model costs nothing, nor does a server on this machine without given prices.
    """
    model = None if settings.build.strategy == "model-free" else settings.model
    remote = [spec for spec in (model, settings.embedder) if _is_remote(spec)]
    priced = settings.models.price_prompt or settings.models.price_completion
    return bool(remote) and (bool(priced) or not _is_loopback(settings.models.base_url))


def told_plan(report: PlanReport) -> list[str]:
    """The bill as lines: a row for each stage, then the sum."""
    rows = [
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


def confirm(budget: BudgetSettings, *, yes: bool) -> None:
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
            "this build may cost money, and there is no terminal to ask on",
            hint="add --yes, or a limit such as --budget-money 1 or --budget-tokens 1000000",
        )
    if not _agreed("Build it?"):
        raise Interrupted("not built", hint="nothing was spent; --yes skips this question")


def _limited(budget: BudgetSettings) -> bool:
    return any(limit is not None for limit in (budget.calls, budget.tokens, budget.money))


def _is_remote(spec: str | None) -> bool:
    """Packaged models have bare names, local ones begin with ``local:``, others with a provider."""
    return spec is not None and ":" in spec and not spec.startswith("local:")


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
