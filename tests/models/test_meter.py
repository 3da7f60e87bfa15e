from __future__ import annotations

from collections.abc import Sequence

from tests.models.fakes import FakeModel

from leafward.errors import ModelTimeout, RateLimited
from leafward.models import Meter, Prices, layered
from leafward.models.meter import Metered
from leafward.models.worst import worst_case
from leafward.protocols import DEFAULT_SAMPLING
from leafward.settings import ModelSettings
from leafward.types import NO_USAGE, Completion, JsonSchema, Message, Sampling, Usage

PROMPT = [Message("user", "hello")]
COST = Usage(1, 10, 3, 5, 0.25)


def test_adds_up_by_model_and_in_all() -> None:
    meter = Meter()
    meter.add("a", COST)
    meter.add("b", COST)
    meter.add("a", Usage(1, 1, 0, 1, None))
    assert meter.by_model["b"] == COST
    assert meter.by_model["a"].money is None
    assert (meter.total.calls, meter.total.money) == (3, None)
    assert Meter().total == NO_USAGE


async def test_counts_attempts_that_may_have_been_billed() -> None:
    prices = Prices(1.0, 1.0, 2.0)
    meter = Meter()
    model = FakeModel(RateLimited("slow"), ModelTimeout("lost"), Completion("ok", COST))
    layer = layered(model, ModelSettings(retry_wait=0.0), prices=prices, meter=meter)
    await layer.complete(PROMPT)
    assert meter.total == worst_case(PROMPT, None, Sampling(), prices) + COST


async def test_layers_pass_on_name_size_and_closing() -> None:
    model = FakeModel()
    layer = Metered(model, Meter(), None)
    assert (layer.name, layer.context_tokens) == ("fake:model", 8000)
    await layered(layer, ModelSettings()).aclose()
    assert model.closed


class Blocking:
    """A model that is closed without waiting, like one in this process."""

    name = "blocking"
    context_tokens = 100
    closed = False

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: JsonSchema | None = None,
        sampling: Sampling = DEFAULT_SAMPLING,
    ) -> Completion:
        return Completion("ok")

    def close(self) -> None:
        self.closed = True


async def test_a_model_with_a_blocking_close_is_closed_too() -> None:
    model = Blocking()
    await layered(model, ModelSettings()).aclose()
    assert model.closed
