"""What is installed, which models answer, what is missing and how to get it."""

from __future__ import annotations

import asyncio
import importlib.util
import sqlite3
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version

from leafward.errors import LeafwardError
from leafward.library.reports import Check, DoctorReport
from leafward.library.session import Session
from leafward.models.registry import MODELS, find
from leafward.settings import Settings
from leafward.types import Message, Sampling

_EXTRAS = {
    "embed": ("onnxruntime", "tokenizers"),
    "local": ("xllamacpp",),
    "docs": ("pypdf", "trafilatura"),
    "eval": ("ir_measures", "matplotlib"),
    "cluster": ("sklearn",),
    "faiss": ("faiss",),
}
_NEEDED = "3.37.0"  # STRICT tables


def doctor(settings: Settings | None = None) -> DoctorReport:
    """Check this installation; asks the configured models one short question each.

    Only what the configuration needs can fail: an extra or a model that is not in use is reported
    as absent, with the command that gets it, and counts as fine.
    """
    settings = settings or Settings()
    checks = [*_runtime(), *_extras(settings), *_weights(settings), *_models(settings)]
    return DoctorReport(tuple(checks))


def _runtime() -> Iterator[Check]:
    from leafward import __version__

    yield Check("leafward", True, f"{__version__}, Python {sys.version.split()[0]}")
    enough = sqlite3.sqlite_version_info >= tuple(map(int, _NEEDED.split(".")))
    hint = "" if enough else f"use a Python that is linked against SQLite {_NEEDED} or newer"
    yield Check("sqlite", enough, sqlite3.sqlite_version, hint)
    for package in ("tantivy", "openai"):
        yield Check(package, True, version(package))


def _extras(settings: Settings) -> Iterator[Check]:
    wanted = {"embed": settings.embedder == "minilm", "local": _is_local(settings.model)}
    for extra, modules in _EXTRAS.items():
        missing = [name for name in modules if importlib.util.find_spec(name) is None]
        hint = f"pip install 'leafward[{extra}]'" if missing else ""
        detail = f"not installed: {', '.join(missing)}" if missing else _versions(modules)
        ok = not missing or not wanted.get(extra, False)
        yield Check(f"extra {extra}", ok, detail, hint)


def _versions(modules: tuple[str, ...]) -> str:
    return ", ".join(f"{name} {_version(name)}" for name in modules)


def _version(module: str) -> str:
    named = {"sklearn": "scikit-learn", "faiss": "faiss-cpu", "ir_measures": "ir-measures"}
    try:
        return version(named.get(module, module))
    except PackageNotFoundError:  # installed from elsewhere, without metadata
        return "(unknown version)"


def _weights(settings: Settings) -> Iterator[Check]:
    for name in MODELS:
        wanted = settings.embedder == name or settings.model == f"local:{name}"
        try:
            path = find(name, cache_dir=settings.cache_dir)
        except LeafwardError as error:
            needed = wanted and settings.offline  # else it is pulled when it is first used
            yield Check(f"weights {name}", not needed, error.message, error.hint)
        else:
            yield Check(f"weights {name}", True, str(path))


def _models(settings: Settings) -> Iterator[Check]:
    if not settings.model:
        yield Check(
            "model", True, "none configured: embeddings judge", "--model openai:MODEL or local:NAME"
        )
    else:
        yield asyncio.run(_chat_answers(settings))
    yield _embedder_answers(settings)


async def _chat_answers(settings: Settings) -> Check:
    session = Session(settings, settings.model, settings.embedder, None)
    try:
        chat = session.chat
        assert chat is not None
        question = Message("user", "Answer with the one word: ready")
        answer = await chat.complete([question], sampling=Sampling(max_tokens=64))
    except LeafwardError as error:
        return Check("model", False, f"{settings.model}: {error.message}", error.hint)
    finally:
        await session.aclose()
    return Check("model", True, f"{settings.model} answers ({answer.usage.tokens} tokens)")


def _embedder_answers(settings: Settings) -> Check:
    session = Session(settings, None, settings.embedder, None)
    try:
        if settings.embedder == "minilm":
            find("minilm", cache_dir=settings.cache_dir)  # a check must not download anything
        vectors = session.embedder.embed(["ready"], role="query")
    except LeafwardError as error:
        return Check("embedder", False, f"{settings.embedder}: {error.message}", error.hint)
    return Check("embedder", True, f"{settings.embedder} answers ({vectors.shape[1]} dimensions)")


def _is_local(model: str | None) -> bool:
    return model is not None and model.startswith("local:")
