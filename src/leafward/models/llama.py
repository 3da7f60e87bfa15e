"""llama.cpp in this process: one loaded model, one worker thread, no network port."""

from __future__ import annotations

import logging
import secrets
import sys
import tempfile
import threading
import weakref
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from leafward.errors import MissingExtra, WeightsError
from leafward.models.threads import idle_threads

_log = logging.getLogger(__name__)
_SILENT, _CHATTY = -1, 3  # llama.cpp's verbosity; it writes to stderr
_SOCKET_PATH_LIMIT = 100  # sockaddr_un holds 104 bytes on macOS, 108 on Linux

Chunk = dict[str, Any]
"""A piece of a streamed answer, in OpenAI's shape."""


class Engine:
    """A loaded model that answers one request at a time, in the order in which they come.

    Waiting requests keep the key-value cache of the last prompt, so that prompts which begin alike
    pay for what differs. The model is freed with the last reference to the engine.
    """

    def __init__(self, path: Path, *, context_tokens: int, threads: int | None) -> None:
        try:
            import xllamacpp
        except ImportError as error:
            raise MissingExtra("xllamacpp", "local") from error
        params = _params(xllamacpp, path, context_tokens, threads or idle_threads())
        with _private_address() as address:
            params.hostnames = [address]
            try:
                self._server = xllamacpp.Server(params)
            except RuntimeError as error:
                raise WeightsError(
                    f"llama.cpp cannot load {path} with {context_tokens:,} tokens of context",
                    hint="set models.context_tokens lower, or use another GGUF file; "
                    "the log level DEBUG shows llama.cpp's reasons",
                ) from error
        # Closing a server whose loop has not begun waits for ever: see the loop answer once.
        self._server.handle_metrics()
        self.worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="leafward-llama")

    def stream(self, request: Chunk, abandoned: threading.Event) -> list[Chunk]:
        """Every chunk of the answer; blocks, and breaks off soon after ``abandoned`` is set."""
        chunks: list[Chunk] = []

        def keep(chunk: Chunk) -> bool:
            chunks.append(chunk)
            return abandoned.is_set()

        if not abandoned.is_set():
            self._server.handle_chat_completions({**request, "stream": True}, keep)
        return chunks


_shared: weakref.WeakValueDictionary[tuple[Path, int, int | None], Engine] = (
    weakref.WeakValueDictionary()
)
_sharing = threading.Lock()


def shared_engine(path: Path, *, context_tokens: int, threads: int | None) -> Engine:
    """The engine of this file and these settings, loaded once however often it is opened.

    Raises:
        MissingExtra: xllamacpp is not installed.
        WeightsError: llama.cpp cannot load the file.
    """
    key = (path.resolve(), context_tokens, threads)
    with _sharing:
        engine = _shared.get(key)
        if engine is None:
            engine = Engine(path, context_tokens=context_tokens, threads=threads)
            _shared[key] = engine
        return engine


def _params(library: Any, path: Path, context_tokens: int, threads: int) -> Any:
    params = library.CommonParams()
    params.model.path = str(path)
    params.n_ctx = context_tokens
    params.n_parallel = 1
    params.cpuparams.n_threads = threads
    params.cpuparams_batch.n_threads = threads
    params.cache_ram_mib = 0  # old prompts are not kept beside the one in the context
    params.warmup = False
    params.ui = False
    params.endpoint_slots = False
    params.endpoint_metrics = True  # for the engine's own first question
    # Nobody else may ask: the key is forgotten as soon as the server has it.
    params.api_keys = [secrets.token_urlsafe(32)]
    params.verbosity = _CHATTY if _log.isEnabledFor(logging.DEBUG) else _SILENT
    return params


@contextmanager
def _private_address() -> Iterator[str]:
    """Where llama.cpp's server may listen, which it insists on although we call it directly.

    A socket file that is removed once the server is up; on Windows, loopback.
    """
    if sys.platform == "win32":
        yield "127.0.0.1"
        return
    with tempfile.TemporaryDirectory(prefix="leafward-") as folder:
        socket = f"{folder}/llama.sock"
        yield socket if len(socket) < _SOCKET_PATH_LIMIT else "127.0.0.1"
