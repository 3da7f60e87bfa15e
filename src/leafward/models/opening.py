"""From a specification to a chat model with all its layers."""

from __future__ import annotations

from pathlib import Path

from leafward.models.budget import Budget, Budgeted, check_prices
from leafward.models.cache import Cached
from leafward.models.causal.sources import checkpoint_folder, fingerprint, is_checkpoint
from leafward.models.layers import OpenChat
from leafward.models.limits import Limited
from leafward.models.meter import Meter, Metered
from leafward.models.openai_chat import OpenAIChat
from leafward.models.prices import FREE, Prices, find_prices
from leafward.models.providers import find_endpoint
from leafward.models.retry import Retrying
from leafward.models.stop import Stop, Stoppable
from leafward.protocols import CallCache, ChatModel
from leafward.settings import ModelSettings

LOCAL = "local:"


def open_chat(
    spec: str,
    settings: ModelSettings,
    *,
    cache: CallCache | None = None,
    budget: Budget | None = None,
    meter: Meter | None = None,
    stop: Stop | None = None,
    cache_dir: Path | None = None,
    offline: bool = False,
) -> OpenChat:
    """Open ``PROVIDER:MODEL``, ``local:NAME_OR_GGUF_PATH`` or ``checkpoint:PATH`` (the path of a
    checkpoint in Hugging Face's layout will do alone); close it with ``aclose``.

    From the outside in: answers come from the cache, no call is made after a stop, what fails is
    tried again, calls keep the provider's limits, each attempt is reserved in the budget and
    counted.

    Raises:
        SettingsError: an unknown provider, a missing key, or a limit on money without prices.
        WeightsError, MissingExtra: a local model is not there, or cannot be run.
    """
    base_url = ""
    prices: Prices | None
    model: ChatModel
    if spec.startswith(LOCAL):
        from leafward.models.local import open_local_chat

        prices = find_prices(spec, settings, free=True) or FREE
        model = open_local_chat(
            spec.removeprefix(LOCAL), settings, cache_dir=cache_dir, offline=offline
        )
    elif is_checkpoint(spec):
        from leafward.models.transformers_chat import open_transformers_chat

        prices = find_prices(spec, settings, free=True) or FREE
        base_url = fingerprint(checkpoint_folder(spec))  # it may be trained on
        model = open_transformers_chat(spec, settings)
    else:
        endpoint = find_endpoint(spec, settings)
        base_url = endpoint.public_url
        prices = find_prices(spec, settings, free=endpoint.free)
        check_prices(budget, spec, prices)
        model = OpenAIChat(endpoint, settings, prices=prices, cache=cache)
    return layered(
        model,
        settings,
        prices=prices,
        base_url=base_url,
        cache=cache,
        budget=budget,
        meter=meter,
        stop=stop,
    )


def layered(
    model: ChatModel,
    settings: ModelSettings,
    *,
    prices: Prices | None = None,
    base_url: str = "",
    cache: CallCache | None = None,
    budget: Budget | None = None,
    meter: Meter | None = None,
    stop: Stop | None = None,
) -> OpenChat:
    """Wrap any chat model in the layers of :func:`open_chat`; for models of your own, and tests."""
    stop = stop or Stop()
    if meter is not None:
        model = Metered(model, meter, prices)
    if budget is not None:
        model = Budgeted(model, budget, prices, stop=stop)
    limited = Limited(model, settings, stop=stop)
    outer = Stoppable(Retrying(limited, settings, stop=stop), stop)
    return outer if cache is None else Cached(outer, cache, base_url=base_url, meter=meter)
