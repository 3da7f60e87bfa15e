"""A GGUF model in this process as a chat model: ``local:NAME`` or ``local:FILE.gguf``."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

from leafward.closing import Closing
from leafward.errors import ModelRejected, ModelUnavailable, SettingsError, UnusableOutput
from leafward.models.gguf import read_info
from leafward.models.llama import Chunk, Engine, shared_engine
from leafward.models.pull import pull_missing
from leafward.models.registry import MODELS, packaged_model
from leafward.protocols import DEFAULT_SAMPLING
from leafward.settings import ModelSettings
from leafward.types import Completion, JsonSchema, Message, Sampling, TokenLogprob, Usage

DEFAULT_CONTEXT_TOKENS = 8192  # what a machine with 8 GB holds beside a 1.5B model
MAX_TOP_LOGPROBS = 100

_log = logging.getLogger(__name__)


class LocalChat(Closing):
    """A chat model that runs in this process; calls wait for each other."""

    def __init__(self, name: str, engine: Engine, context_tokens: int) -> None:
        self.name = name
        self.context_tokens = context_tokens
        self._engine: Engine | None = engine

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: JsonSchema | None = None,
        sampling: Sampling = DEFAULT_SAMPLING,
    ) -> Completion:
        """Answer once, in a worker thread; a schema becomes a grammar that the answer obeys.

        A cancelled call is taken out of the queue, or broken off at its next token.

        Raises:
            ModelRejected: the prompt is longer than the context, the schema cannot be compiled,
                or the model was closed.
            ModelUnavailable: llama.cpp failed.
        """
        if self._engine is None:
            raise ModelRejected(f"{self.name} was closed", hint="open it again")
        request = _request(messages, schema, sampling)
        abandoned = threading.Event()
        loop = asyncio.get_running_loop()
        engine = self._engine
        try:
            chunks = await loop.run_in_executor(engine.worker, engine.stream, request, abandoned)
        except ValueError as error:  # how xllamacpp reports a template or schema it cannot use
            raise ModelRejected(
                f"{self.name} cannot use this request: {error}",
                of_request=True,
                hint="check the JSON schema, and that the GGUF file holds a chat template",
            ) from error
        finally:
            abandoned.set()  # reached early where the caller was cancelled
        return _completion(self.name, chunks)

    def close(self) -> None:
        """Let go of the model; its memory is freed when nobody else in this process uses it."""
        self._engine = None


def open_local_chat(
    name_or_path: str,
    settings: ModelSettings,
    *,
    cache_dir: Path | None,
    offline: bool,
    announce: Callable[[str], None] = _log.warning,
) -> LocalChat:
    """Open a packaged model by name (pulled first unless ``offline``) or any GGUF file by path.

    The context is the smaller of the model's own and ``settings.context_tokens``, which for local
    models is 8,192 unless it was set.

    Raises:
        SettingsError: neither the name of a packaged chat model nor the path of a file.
        MissingExtra: xllamacpp is not installed.
        WeightsError: the file is missing, broken, or cannot be loaded.
    """
    path = _locate(name_or_path, cache_dir=cache_dir, offline=offline, announce=announce)
    wanted = settings.context_tokens
    if "context_tokens" not in settings.model_fields_set:
        wanted = DEFAULT_CONTEXT_TOKENS
    context_tokens = min(wanted, read_info(path).context_tokens)
    engine = shared_engine(path, context_tokens=context_tokens, threads=settings.threads)
    return LocalChat(f"local:{name_or_path}", engine, context_tokens)


def _locate(
    name_or_path: str, *, cache_dir: Path | None, offline: bool, announce: Callable[[str], None]
) -> Path:
    if name_or_path.endswith(".gguf"):
        return Path(name_or_path).expanduser()
    names = [model.name for model in MODELS.values() if model.kind == "chat"]
    if name_or_path not in names:
        raise SettingsError(
            f"{name_or_path!r} is neither a packaged chat model nor a .gguf file",
            hint=f"local:NAME with one of {', '.join(names)}; or local:PATH/FILE.gguf",
        )
    folder = pull_missing(name_or_path, cache_dir=cache_dir, offline=offline, announce=announce)
    return folder / packaged_model(name_or_path).files[0].name


def _request(
    messages: Sequence[Message], schema: JsonSchema | None, sampling: Sampling
) -> dict[str, Any]:
    request: dict[str, Any] = {
        "messages": [{"role": turn.role, "content": turn.content} for turn in messages],
        "max_tokens": sampling.max_tokens,
        "temperature": sampling.temperature,
        "seed": -1 if sampling.seed is None else sampling.seed,  # -1: drawn anew
        "stop": list(sampling.stop),
        "stream_options": {"include_usage": True},
    }
    if schema is not None:
        shape = {"name": "answer", "schema": dict(schema)}
        request["response_format"] = {"type": "json_schema", "json_schema": shape}
    if sampling.top_logprobs:
        request["logprobs"] = True
        request["top_logprobs"] = min(sampling.top_logprobs, MAX_TOP_LOGPROBS)
    return request


def _completion(name: str, chunks: Sequence[Chunk]) -> Completion:
    """Join the chunks of an answer."""
    text: list[str] = []
    logprobs: list[TokenLogprob] = []
    finish: Literal["stop", "length"] | None = None
    usage = Usage(calls=1)
    for chunk in chunks:
        if "error" in chunk:
            raise _failure(name, chunk["error"])
        for choice in chunk["choices"]:
            text.append(choice["delta"].get("content") or "")
            logprobs += [
                _logprob(item) for item in (choice.get("logprobs") or {}).get("content", ())
            ]
            if choice["finish_reason"]:
                finish = "length" if choice["finish_reason"] == "length" else "stop"
        if "usage" in chunk:
            usage = _usage(chunk["usage"])
    if finish is None:
        raise UnusableOutput(f"{name} broke off its answer", hint="ask again")
    return Completion("".join(text), usage, finish, tuple(logprobs))


def _usage(counts: dict[str, Any]) -> Usage:
    cached = (counts.get("prompt_tokens_details") or {}).get("cached_tokens", 0)
    return Usage(
        calls=1,
        prompt_tokens=counts["prompt_tokens"],
        cached_tokens=cached,
        completion_tokens=counts["completion_tokens"],
    )


def _logprob(item: dict[str, Any]) -> TokenLogprob:
    top: dict[str, float] = {}
    for other in item["top_logprobs"]:
        # Pieces of one character may print alike; the likelier one stands for them.
        top[other["token"]] = max(other["logprob"], top.get(other["token"], other["logprob"]))
    return TokenLogprob(item["token"], item["logprob"], top)


def _failure(name: str, error: dict[str, Any]) -> ModelRejected | ModelUnavailable:
    message = f"{name}: {error.get('message', error)}"
    if error.get("type") == "exceed_context_size_error":
        return ModelRejected(
            message,
            of_request=True,
            hint="set models.context_tokens higher, or make the prompt shorter",
        )
    if 400 <= error.get("code", 500) < 500:
        hint = "the request is wrong: check schema and sampling"
        return ModelRejected(message, of_request=True, hint=hint)
    return ModelUnavailable(message, hint="run again; the log level DEBUG shows llama.cpp's log")
