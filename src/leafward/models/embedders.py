"""From a specification to an embedding model."""

from __future__ import annotations

from pathlib import Path

from leafward.models.budget import Budget, check_prices
from leafward.models.kept_embedder import KeptEmbedder
from leafward.models.meter import Meter
from leafward.models.prices import find_prices
from leafward.models.providers import find_endpoint
from leafward.models.stop import Stop
from leafward.protocols import CallCache, Embedder
from leafward.settings import ModelSettings


def open_embedder(
    spec: str,
    settings: ModelSettings,
    *,
    cache: CallCache | None = None,
    budget: Budget | None = None,
    meter: Meter | None = None,
    stop: Stop | None = None,
    cache_dir: Path | None = None,
    offline: bool = False,
) -> Embedder:
    """Open ``minilm``, ``lexical`` or ``PROVIDER:MODEL`` (any OpenAI-compatible endpoint).

    The local ones cost nothing; batches of documents that ``minilm`` embedded are kept all the
    same, for they take time.

    Raises:
        SettingsError: an unknown provider, a missing key, or a limit on money without prices.
        WeightsError, MissingExtra: a local model is not there, or cannot be run.
    """
    if spec == "minilm":
        from leafward.models.minilm import MiniLmEmbedder

        local = MiniLmEmbedder.open(cache_dir=cache_dir, offline=offline, threads=settings.threads)
        return local if cache is None else KeptEmbedder(local, cache)
    if spec == "lexical":
        from leafward.models.lexical import LexicalEmbedder

        return LexicalEmbedder()
    from leafward.models.openai_embedder import OpenAIEmbedder

    endpoint = find_endpoint(spec, settings)
    # Embeddings have no completion, so that one price is enough.
    priced = settings.model_copy(update={"price_completion": settings.price_completion or 0.0})
    prices = find_prices(spec, priced, free=endpoint.free)
    check_prices(budget, spec, prices)
    return OpenAIEmbedder(
        endpoint,
        settings,
        prices=prices,
        cache=cache,
        budget=budget,
        meter=meter,
        stop=stop,
    )
