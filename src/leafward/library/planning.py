"""The bill before the spending."""

from __future__ import annotations

from collections.abc import Sequence

from leafward.corpus import Problem
from leafward.errors import SettingsError
from leafward.library.reports import PlanReport
from leafward.library.sources import OnProblem, Source, read_source
from leafward.models import find_prices
from leafward.protocols import DEFAULT_SAMPLING
from leafward.settings import ModelSettings, Settings
from leafward.tree import Plan
from leafward.tree import plan as plan_tree
from leafward.types import Completion, Document, JsonSchema, Message, Sampling, Usage


def plan(
    source: Source,
    *,
    model: str | None = None,
    settings: Settings | None = None,
    on_problem: OnProblem = "skip",
    chunk_tokens: int = 300,
) -> PlanReport:
    """Tell calls, tokens and money of a build before anything is spent.

    Needs no key and makes no call: the model is only named, for its price.

    Raises:
        CorpusError: nothing can be read at ``source``.
    """
    settings = settings or Settings()
    corpus = read_source(source, on_problem=on_problem, chunk_tokens=chunk_tokens)
    name = model or settings.model
    return plan_documents(corpus.documents, settings, model=name, problems=corpus.problems)


def plan_documents(
    documents: Sequence[Document],
    settings: Settings,
    *,
    model: str | None,
    problems: tuple[Problem, ...] = (),
) -> PlanReport:
    """:func:`plan` for documents that are already read."""
    chat = None if model is None else _Unopened(model, settings.models.context_tokens)
    made = plan_tree(documents, settings.build, chat=chat)
    return PlanReport(
        documents=len(documents),
        strategy=made.strategy,
        model=model,
        plan=made,
        money=price(made, settings.models, model),
        problems=problems,
    )


def price(made: Plan, settings: ModelSettings, model: str | None) -> float | None:
    """Dollars for a plan's tokens; None where the model's prices are unknown."""
    if model is None:
        return 0.0
    prices = find_prices(model, settings, free=model.startswith("local:"))
    if prices is None:
        return None
    return prices.money(
        Usage(prompt_tokens=made.prompt_tokens, completion_tokens=made.completion_tokens)
    )


class _Unopened:
    """A model that is only named: a plan needs its size, not its answers, and no key."""

    def __init__(self, name: str, context_tokens: int) -> None:
        self.name = name
        self.context_tokens = context_tokens

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: JsonSchema | None = None,
        sampling: Sampling = DEFAULT_SAMPLING,
    ) -> Completion:
        raise SettingsError("a plan asks no model", hint="report this: it is a defect of ours")
