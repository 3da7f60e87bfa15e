"""A checkpoint in Hugging Face's layout as a chat model: ``--model PATH``."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from leafward.errors import ModelRejected
from leafward.models.causal import CausalModel, generate, load_causal
from leafward.models.causal.sampling import Sampled
from leafward.models.schemas import with_schema_in_prompt
from leafward.protocols import DEFAULT_SAMPLING
from leafward.settings import ModelSettings
from leafward.types import Completion, JsonSchema, Message, Sampling, Usage


class TransformersChat:
    """A chat model that torch runs in this process; calls wait for each other.

    A schema stands in the prompt, and is not enforced; ``top_logprobs`` gives none.
    """

    def __init__(self, name: str, model: CausalModel, context_tokens: int) -> None:
        self.name = name
        self.context_tokens = context_tokens
        self._model: CausalModel | None = model
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="leafward-torch")

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: JsonSchema | None = None,
        sampling: Sampling = DEFAULT_SAMPLING,
    ) -> Completion:
        """Answer once, in a worker thread; goes on with a last turn of the assistant.

        A cancelled call is taken out of the queue, or broken off at its next token.

        Raises:
            ModelRejected: the prompt is longer than the context, or the model was closed.
        """
        if self._model is None:
            raise ModelRejected(f"{self.name} was closed", hint="open it again")
        turns = with_schema_in_prompt(messages, schema) if schema is not None else messages
        prompt = self._model.encode(turns)
        room = min(sampling.max_tokens, self.context_tokens - len(prompt))
        if room < 1:
            raise ModelRejected(
                f"the prompt has {len(prompt):,} tokens, {self.name} reads "
                f"{self.context_tokens:,} with its answer",
                of_request=True,
                hint="make the prompt shorter",
            )
        drawn = await self._drawn(self._model, prompt, room, sampling)
        usage = Usage(calls=1, prompt_tokens=len(prompt), completion_tokens=len(drawn.tokens))
        text = _without_stop(drawn.text, sampling.stop)
        return Completion(text, usage, "stop" if drawn.finished else "length")

    async def _drawn(
        self, model: CausalModel, prompt: list[int], room: int, sampling: Sampling
    ) -> Sampled:
        abandoned = threading.Event()

        def draw() -> Sampled:
            (drawn,) = generate(
                model,
                [prompt],
                max_tokens=room,
                temperature=sampling.temperature,
                stop=sampling.stop,
                seed=sampling.seed,
                abandoned=abandoned.is_set,
            )
            return drawn

        try:
            return await asyncio.get_running_loop().run_in_executor(self._worker, draw)
        finally:
            abandoned.set()  # reached early where the caller was cancelled

    def close(self) -> None:
        """Let go of the model."""
        self._model = None
        self._worker.shutdown(wait=False, cancel_futures=True)


def open_transformers_chat(spec: str, settings: ModelSettings) -> TransformersChat:
    """Open a checkpoint: ``checkpoint:PATH``, or its path alone.

    Raises:
        MissingExtra: torch or transformers is not installed.
        WeightsError: no model is there, or it cannot be loaded.
    """
    model = load_causal(spec, offline=True, threads=settings.threads)
    return TransformersChat(spec, model, min(settings.context_tokens, model.context_tokens))


def _without_stop(text: str, stop: Sequence[str]) -> str:
    """Text up to the first stop string, as servers give it."""
    ends = [place for string in stop if (place := text.find(string)) >= 0]
    return text[: min(ends)] if ends else text
