from __future__ import annotations

import pytest
from tests.library.samples import corpus, settings

import leafward
from leafward.settings import ModelSettings


def test_a_plan_needs_no_key_and_costs_nothing_without_a_model() -> None:
    free = leafward.plan(corpus(), settings=settings())
    assert free.strategy == "model-free"
    assert (free.plan.calls, free.money) == (0, 0.0)


def test_a_plan_with_a_model_has_a_price_where_it_is_known() -> None:
    unknown = leafward.plan(corpus(), model="openai:no-such-model", settings=settings())
    assert unknown.plan.calls > 0
    assert unknown.money is None
    priced = settings().model_copy(
        update={"models": ModelSettings(price_prompt=1.0, price_completion=2.0)}
    )
    known = leafward.plan(corpus(), model="openai:no-such-model", settings=priced)
    expected = (known.plan.prompt_tokens + 2 * known.plan.completion_tokens) / 1e6
    assert known.money == pytest.approx(expected)
    local = leafward.plan(corpus(), model="local:smollm2-135m", settings=settings())
    assert local.money == 0.0
