from __future__ import annotations

import asyncio
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.models.fakes import FakeModel

from leafward.errors import BudgetExceeded, ModelError, ModelTimeout, RateLimited, SettingsError
from leafward.models import Budget, Meter, Prices, layered, within
from leafward.models.budget import Budgeted
from leafward.models.worst import worst_case
from leafward.settings import BudgetSettings, ModelSettings
from leafward.types import NO_USAGE, Completion, Message, Sampling, Usage

PROMPT = [Message("user", "What is the meaning of this?")]
PRICES = Prices(1.0, 0.1, 4.0)
SAMPLING = Sampling(max_tokens=50)
WORST = worst_case(PROMPT, None, SAMPLING, PRICES)
COST = Usage(1, 10, 0, 5, PRICES.money(Usage(1, 10, 0, 5)))


def budgeted(model: FakeModel, budget: Budget) -> Budgeted:
    return Budgeted(model, budget, PRICES)


async def test_settles_with_what_it_cost() -> None:
    budget = Budget(BudgetSettings(tokens=1000))
    await budgeted(FakeModel(Completion("a", COST)), budget).complete(PROMPT, sampling=SAMPLING)
    assert (budget.spent, budget.reserved) == (COST, NO_USAGE)


@pytest.mark.parametrize(
    ("limits", "limit"),
    [
        (BudgetSettings(calls=0), "calls"),
        (BudgetSettings(tokens=WORST.tokens - 1), "tokens"),
        (BudgetSettings(money=WORST.money and WORST.money * 0.999), "money"),
    ],
)
async def test_refuses_before_the_call_what_could_overshoot(
    limits: BudgetSettings, limit: str
) -> None:
    model = FakeModel(Completion("a", COST))
    with pytest.raises(BudgetExceeded) as caught:
        await budgeted(model, Budget(limits)).complete(PROMPT, sampling=SAMPLING)
    assert (caught.value.limit, model.calls) == (limit, 0)
    assert f"budget.{limit}" in caught.value.hint


async def test_exactly_the_limit_is_allowed() -> None:
    limits = BudgetSettings(calls=1, tokens=WORST.tokens, money=WORST.money)
    model = budgeted(FakeModel(Completion("a", COST)), Budget(limits))
    assert (await model.complete(PROMPT, sampling=SAMPLING)).text == "a"
    with pytest.raises(BudgetExceeded):
        await model.complete(PROMPT, sampling=SAMPLING)


@pytest.mark.parametrize(
    ("failure", "spent"),
    [
        (RateLimited("slow down"), NO_USAGE),
        (ModelTimeout("lost"), WORST),
        (ValueError("a bug: who knows what was sent"), WORST),
    ],
)
async def test_a_failure_counts_in_full_where_it_may_have_been_billed(
    failure: Exception, spent: Usage
) -> None:
    budget = Budget(BudgetSettings())
    with pytest.raises(type(failure)):
        await budgeted(FakeModel(failure), budget).complete(PROMPT, sampling=SAMPLING)
    assert (budget.spent, budget.reserved) == (spent, NO_USAGE)


async def test_a_cancelled_call_counts_in_full() -> None:
    budget = Budget(BudgetSettings())
    meter = Meter()
    model = FakeModel()

    async def forever(messages: object, sampling: object) -> Completion:
        await asyncio.Event().wait()
        raise AssertionError

    model.behaviour = forever
    layers = layered(model, ModelSettings(), prices=PRICES, budget=budget, meter=meter)
    task = asyncio.create_task(layers.complete(PROMPT, sampling=SAMPLING))
    await model.began.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (budget.spent, budget.reserved, meter.total) == (WORST, NO_USAGE, WORST)


async def test_waits_for_reservations_that_are_only_in_the_way() -> None:
    budget = Budget(BudgetSettings(tokens=WORST.tokens + COST.tokens))
    model = FakeModel(Completion("a", COST))
    layer = budgeted(model, budget)
    answers = await asyncio.gather(*(layer.complete(PROMPT, sampling=SAMPLING) for _ in range(2)))
    assert [answer.text for answer in answers] == ["a", "a"]
    assert model.peak == 1


async def test_money_needs_prices() -> None:
    budget = Budget(BudgetSettings(money=1.0))
    with pytest.raises(SettingsError) as caught:
        await Budgeted(FakeModel(), budget, None).complete(PROMPT)
    assert "price_prompt" in caught.value.hint


attempts = st.lists(
    st.tuples(
        st.sampled_from(["answer", "billed", "unbilled"]),
        st.floats(0, 1),  # how much of the worst case is used
        st.integers(1, 200),  # max_tokens
        st.integers(0, 4),  # turns of the loop before it ends
    ),
    min_size=1,
    max_size=12,
)
limits = st.builds(
    BudgetSettings,
    calls=st.none() | st.integers(0, 6),
    tokens=st.none() | st.integers(0, 800),
    money=st.none() | st.floats(0, 0.002),
)


@settings(deadline=None, max_examples=60)
@given(attempts, limits)
def test_many_tasks_at_once_never_overshoot(
    plan: list[tuple[str, float, int, int]], bounds: BudgetSettings
) -> None:
    budget = Budget(bounds)
    billed: list[Usage] = []

    def within(usage: Usage) -> bool:
        money = usage.money or 0.0
        return (
            (bounds.calls is None or usage.calls <= bounds.calls)
            and (bounds.tokens is None or usage.tokens <= bounds.tokens)
            and (bounds.money is None or money <= bounds.money + 1e-15)
        )

    async def one(kind: str, share: float, max_tokens: int, turns: int) -> None:
        sampling = Sampling(max_tokens=max_tokens)
        worst = worst_case(PROMPT, None, sampling, PRICES)
        used = Usage(1, int(worst.prompt_tokens * share), 0, int(max_tokens * share))
        used = Usage(1, used.prompt_tokens, 0, used.completion_tokens, PRICES.money(used))
        model = FakeModel()

        async def behave(messages: object, drawn: object) -> Completion:
            for _ in range(turns):
                assert within(budget.spent + budget.reserved)
                await asyncio.sleep(0)
            if kind == "unbilled":
                raise RateLimited("slow down")
            billed.append(used)
            if kind == "billed":
                raise ModelTimeout("lost")
            return Completion("a", used)

        model.behaviour = behave
        try:
            await Budgeted(model, budget, PRICES).complete(PROMPT, sampling=sampling)
        except (BudgetExceeded, ModelError):
            return

    async def everything() -> None:
        await asyncio.gather(*(one(*each) for each in plan))

    asyncio.run(everything())
    assert within(sum(billed, NO_USAGE))
    assert within(budget.spent)
    assert budget.reserved == NO_USAGE


def test_threads_share_a_budget() -> None:
    budget = Budget(BudgetSettings(calls=40))
    made = []

    def work() -> None:
        for _ in range(10):
            try:
                reservation = budget.reserve_blocking(Usage(calls=1))
            except BudgetExceeded:
                return
            made.append(1)
            reservation.settle(Usage(calls=1))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == budget.spent.calls == 40


async def test_limits_of_one_search_hold_beside_the_budget() -> None:
    job, search = Budget(BudgetSettings(calls=3)), Budget(BudgetSettings(calls=1))
    model = FakeModel(*[Completion("a", COST)] * 3)
    chat = budgeted(model, job)
    with within(search):
        await asyncio.ensure_future(chat.complete(PROMPT, sampling=SAMPLING))
        with pytest.raises(BudgetExceeded):
            await chat.complete(PROMPT, sampling=SAMPLING)
    assert (search.spent, job.spent, job.reserved) == (COST, COST, NO_USAGE)
    await chat.complete(PROMPT, sampling=SAMPLING)  # outside they bind nobody
    assert (search.spent.calls, job.spent.calls, model.calls) == (1, 2, 2)


async def test_the_budget_holds_however_wide_the_limits_of_a_search_are() -> None:
    job, search = Budget(BudgetSettings(calls=1)), Budget(BudgetSettings(calls=9))
    chat = budgeted(FakeModel(*[Completion("a", COST)] * 2), job)
    with within(search):
        await chat.complete(PROMPT, sampling=SAMPLING)
        with pytest.raises(BudgetExceeded):
            await chat.complete(PROMPT, sampling=SAMPLING)
    assert (search.spent, search.reserved) == (COST, NO_USAGE)
