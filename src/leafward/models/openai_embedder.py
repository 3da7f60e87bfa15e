"""Embeddings over the openai SDK, at any compatible endpoint."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from leafward.errors import UnusableOutput
from leafward.models.budget import Budget
from leafward.models.cache import HIT
from leafward.models.deadline import attempt_seconds, current_deadline
from leafward.models.failures import translate, unreadable
from leafward.models.meter import Meter
from leafward.models.openai_chat import sdk_timeout, sendable
from leafward.models.prices import Prices, with_money
from leafward.models.providers import Endpoint
from leafward.models.retry import retry_blocking
from leafward.models.stop import Stop
from leafward.models.vector_cache import VectorCache
from leafward.models.vectors import Vector, read_embeddings
from leafward.models.worst import upper_tokens
from leafward.protocols import CallCache, Vectors
from leafward.remote.bucket import Bucket
from leafward.settings import ModelSettings
from leafward.tokens import estimate_tokens
from leafward.types import NO_USAGE, Usage

if TYPE_CHECKING:
    from openai import APIError, OpenAI

_BATCH_TEXTS = 128
_BATCH_TOKENS = 100_000  # OpenAI takes 300,000 a request; others less
_PROBE = "leafward"


class OpenAIEmbedder:
    """An embedding model behind OpenAI's protocol; queries and documents are embedded alike.

    Each text is cached under its content hash; what is missing goes out in batches, each reserved
    in the budget and tried again like a chat call.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        settings: ModelSettings,
        *,
        prices: Prices | None = None,
        cache: CallCache | None = None,
        budget: Budget | None = None,
        meter: Meter | None = None,
        stop: Stop | None = None,
    ) -> None:
        self._endpoint = endpoint
        self._settings = settings
        self._prices = prices
        self._cache = VectorCache(cache, model=endpoint.spec, base_url=endpoint.public_url)
        self._budget = budget
        self._meter = meter
        self._stop = stop or Stop()
        self._client: OpenAI | None = None
        self._dimensions: int | None = None
        self._requests = _bucket(settings.requests_per_minute)
        self._tokens = _bucket(settings.tokens_per_minute)

    @property
    def name(self) -> str:
        return self._endpoint.spec

    @property
    def dimensions(self) -> int:
        """Length of its vectors; embeds one word to find out, where nothing was embedded yet."""
        if self._dimensions is None:
            self.embed([_PROBE], role="query")
        assert self._dimensions is not None
        return self._dimensions

    def embed(self, texts: Sequence[str], *, role: Literal["query", "document"]) -> Vectors:
        """Embed texts, ``[n]`` to float32 ``[n, d]`` with unit rows; blocks while it works.

        Raises:
            ModelError: a batch failed for good; batches before it are cached.
            BudgetExceeded: the next batch could overshoot the budget.
            Interrupted: the user asked to stop.
        """
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        found = {text: self._stored(text) for text in dict.fromkeys(texts)}
        missing = [text for text, vector in found.items() if vector is None]
        for batch in _batches(missing):
            found.update(zip(batch, self._embed_batch(batch), strict=True))
        rows = [vector for text in texts if (vector := found[text]) is not None]
        if len({row.size for row in rows}) > 1:
            raise UnusableOutput(
                f"{self.name} gives vectors of different lengths",
                hint="the model changed behind its name: clear its cached answers",
            )
        self._dimensions = rows[0].size
        return np.stack(rows)

    def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def _embed_batch(self, batch: Sequence[str]) -> list[Vector]:
        self._stop.check()
        vectors, usage = retry_blocking(lambda: self._attempt(batch), self._settings, self._stop)
        shares = _shares(usage, [estimate_tokens(text) for text in batch], self._prices)
        for text, vector, share in zip(batch, vectors, shares, strict=True):
            self._cache.put(text, vector, share)
        return vectors

    def _attempt(self, batch: Sequence[str]) -> tuple[list[Vector], Usage]:
        tokens = sum(upper_tokens(text) for text in batch)
        worst = with_money(Usage(calls=1, prompt_tokens=tokens), self._prices)
        self._wait(tokens)
        if self._budget is None:
            return self._metered(batch, worst)
        reservation = self._budget.reserve_blocking(worst, stop=self._stop)
        try:
            vectors, usage = self._metered(batch, worst)
        except BaseException as error:  # an interrupt too: the request may have been sent
            reservation.settle_failure(error)
            raise
        reservation.settle(usage)
        return vectors, usage

    def _metered(self, batch: Sequence[str], worst: Usage) -> tuple[list[Vector], Usage]:
        outcome = self._post(batch)
        if not isinstance(outcome, str):
            failure = translate(outcome, self._endpoint)
            self._count(worst if failure.billed else NO_USAGE)
            raise failure
        answer = read_embeddings(outcome, len(batch))
        if answer is None:
            self._count(worst)
            raise unreadable(self._endpoint, f"not {len(batch)} vectors")
        vectors, tokens = answer
        if tokens is None:
            tokens = worst.prompt_tokens
        usage = with_money(Usage(calls=1, prompt_tokens=tokens), self._prices)
        self._count(usage)
        return vectors, usage

    def _post(self, batch: Sequence[str]) -> str | APIError:
        """The body of the answer, or the SDK's error as a value."""
        import openai

        if self._client is None:
            self._client = openai.OpenAI(
                api_key=self._endpoint.api_key.get_secret_value(),
                base_url=self._endpoint.base_url,
                max_retries=0,
            )
        try:
            return self._client.embeddings.with_raw_response.create(
                model=self._endpoint.model,
                input=[sendable(text) if text.strip() else "-" for text in batch],
                encoding_format="float",
                timeout=sdk_timeout(attempt_seconds(self._settings)),
            ).text
        except openai.APIError as error:
            return error

    def _count(self, usage: Usage) -> None:
        if self._meter is not None and usage != NO_USAGE:
            self._meter.add(self.name, usage)

    def _wait(self, tokens: int) -> None:
        deadline = current_deadline()
        assert deadline is not None, "batches are embedded under a deadline"
        with deadline.paused():
            for bucket, amount in ((self._requests, 1), (self._tokens, tokens)):
                if bucket is not None:
                    while (seconds := bucket.wait(amount)) > 0:
                        self._stop.sleep_blocking(seconds)
                    bucket.take(amount)

    def _stored(self, text: str) -> Vector | None:
        vector = self._cache.get(text)
        if vector is not None:
            self._count(HIT)
        return vector


def _bucket(per_minute: float | None) -> Bucket | None:
    return None if per_minute is None else Bucket(per_minute, clock=time.monotonic)


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for text in texts:
        tokens = estimate_tokens(text)
        if batch and (len(batch) == _BATCH_TEXTS or size + tokens > _BATCH_TOKENS):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += tokens
    if batch:
        yield batch


def _shares(usage: Usage, weights: Sequence[int], prices: Prices | None) -> Iterator[Usage]:
    """Split the tokens of a batch over its texts by estimated length; the sum is exact."""
    total = sum(weights) or 1
    given = seen = 0
    for number, weight in enumerate(weights):
        seen += weight
        last = number == len(weights) - 1
        upto = usage.prompt_tokens if last else usage.prompt_tokens * seen // total
        share = Usage(calls=int(number == 0), prompt_tokens=upto - given)
        given = upto
        yield with_money(share, prices)
