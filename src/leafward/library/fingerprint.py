"""What identifies a build and a search, so that a repeat can be told from a change."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence

from leafward.settings import BuildSettings, ModelSettings, SearchSettings
from leafward.types import Document

FORMAT = 1
"""Raised when the same input makes another tree than before."""


def build_fingerprint(
    documents: Sequence[Document],
    settings: BuildSettings,
    *,
    model: str | None,
    embedder: str,
) -> str:
    """SHA-256 over everything that decides a tree; concurrency and probing do not."""
    decisive = settings.model_dump(mode="json", exclude={"concurrency", "probe_documents"})
    head = [FORMAT, decisive, model, embedder]
    return _digest([head], (_document(document) for document in documents))


def search_key(
    query: str,
    settings: SearchSettings,
    *,
    generation: str,
    judge: str,
    relevance: str,
    excluded: Collection[str],
    where: Mapping[str, object],
) -> str:
    """SHA-256 over everything that decides which slates a search makes."""
    limits = {"max_tokens", "max_money", "deadline"}
    decisive = settings.model_dump(mode="json", exclude=limits)
    chosen = {field: sorted(map(repr, _several(wanted))) for field, wanted in where.items()}
    return _digest(
        [[FORMAT, query, decisive, generation, judge, relevance]], [sorted(excluded)], [chosen]
    )


def evaluation_key(
    settings: SearchSettings,
    models: ModelSettings,
    *,
    generation: str,
    model: str | None,
    embedder: str,
) -> str:
    """SHA-256 over what decides the rankings of a method beside the method itself."""
    reached = [models.base_url, models.context_tokens] if model else []
    return _digest(
        [[FORMAT, settings.model_dump(mode="json"), generation, model, embedder, reached]]
    )


def _document(document: Document) -> list[object]:
    return [document.id, document.title, document.text, dict(document.metadata)]


def _several(wanted: object) -> Collection[object]:
    return wanted if isinstance(wanted, (list, tuple, set, frozenset)) else (wanted,)


def _digest(*parts: Iterable[object]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        for item in part:
            text = json.dumps(item, sort_keys=True, ensure_ascii=True)
            digest.update(text.encode())
            digest.update(b"\0")
    return digest.hexdigest()
