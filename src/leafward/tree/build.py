"""Building a tree: documents in, a finished hierarchy with its summaries and its report out."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from leafward.errors import CorpusError, SettingsError
from leafward.protocols import ChatModel, Embedder, Progress, Silent, Vectors
from leafward.settings import BuildSettings, Strategy
from leafward.tree.asker import Asker
from leafward.tree.bottomup import bottom_up
from leafward.tree.extractive import extractive
from leafward.tree.hybrid import hybrid, shares_sources
from leafward.tree.modelfree import ModelFree
from leafward.tree.pool import Child
from leafward.tree.report import Build, Tally
from leafward.tree.signposts import Signposts, root_signpost
from leafward.tree.summaries import Five
from leafward.tree.topdown import TopDown
from leafward.tree.workshop import Workshop
from leafward.types import Branch, Document, Tree, depth_limit, number

_EMBED_BATCH = 512
_SILENT = Silent()


async def build_tree(
    documents: Sequence[Document],
    settings: BuildSettings,
    *,
    chat: ChatModel | None,
    embedder: Embedder,
    vectors: Vectors | None = None,
    progress: Progress = _SILENT,
) -> Build:
    """Build the semantic tree of a corpus (tree-search §2).

    The result depends on documents, settings and the model's answers alone. ``vectors`` are the
    documents' embeddings, float32 ``[n, d]`` with unit rows; they are computed where not given.

    Raises:
        CorpusError: no documents, or two with one id.
        SettingsError: the strategy needs a model and there is none, or vectors do not fit.
        ModelError, BudgetExceeded, Interrupted: the model failed for good; with a call cache the
            same build picks up where it stopped.
    """
    _check(documents)
    strategy = choose_strategy(documents, settings, chat)
    vectors = await _vectors(documents, embedder, vectors, progress)
    progress.start("clustering", len(documents))
    if strategy == "model-free" or chat is None:
        build = await asyncio.to_thread(_model_free, documents, settings, vectors, progress)
    else:
        build = await _with_model(strategy, documents, settings, chat, embedder, vectors, progress)
    progress.finish("clustering")
    return build


def choose_strategy(
    documents: Sequence[Document], settings: BuildSettings, chat: ChatModel | None
) -> Strategy:
    """The strategy that a build will use (tree-search §2.5).

    Without a model, ``auto`` and ``bottom-up`` are the model-free build: groups by embedding.

    Raises:
        SettingsError: ``top-down`` or ``hybrid`` without a model.
    """
    wanted = settings.strategy
    if chat is None:
        if wanted in ("top-down", "hybrid"):
            raise SettingsError(
                f"strategy {wanted} needs a language model, and none is configured",
                hint="name one with --model, or use --strategy model-free",
            )
        return "model-free"
    if wanted != "auto":
        return wanted
    return "hybrid" if shares_sources(documents) else "top-down"


def _check(documents: Sequence[Document]) -> None:
    if not documents:
        raise CorpusError(
            "there are no documents to build a tree of", hint="check the path and its problems"
        )
    ids = sorted(document.id for document in documents)
    twice = next((a for a, b in pairwise(ids) if a == b), None)
    if twice is not None:
        raise CorpusError(
            f"two documents have the id {twice!r}", hint="give every document its own id"
        )


async def _vectors(
    documents: Sequence[Document], embedder: Embedder, given: Vectors | None, progress: Progress
) -> Vectors:
    if given is None:
        given = await _embed(documents, embedder, progress)
    if given.ndim != 2 or len(given) != len(documents) or not np.isfinite(given).all():
        raise SettingsError(
            f"vectors {given.shape} do not fit {len(documents)} documents, or are not finite",
            hint="embed the documents again, in their order",
        )
    return given


async def _embed(documents: Sequence[Document], embedder: Embedder, progress: Progress) -> Vectors:
    progress.start("embedding", len(documents))
    blocks = []
    for lo in range(0, len(documents), _EMBED_BATCH):
        texts = [document.full_text for document in documents[lo : lo + _EMBED_BATCH]]
        blocks.append(await asyncio.to_thread(embedder.embed, texts, role="document"))
        progress.advance("embedding", len(texts))
    progress.finish("embedding")
    return np.concatenate(blocks)


async def _with_model(
    strategy: Strategy,
    documents: Sequence[Document],
    settings: BuildSettings,
    chat: ChatModel,
    embedder: Embedder,
    vectors: Vectors,
    progress: Progress,
) -> Build:
    tally = Tally()
    asker = Asker(chat, tally, limit=settings.concurrency)
    shop = Workshop(documents, vectors, settings, embedder, asker, tally, progress)
    pool = await shop.document_pool()
    room = depth_limit(len(documents), settings.branching)
    progress.start("describing")
    if strategy == "hybrid":
        children = await hybrid(shop, pool, room)
    elif strategy == "bottom-up":
        children = await bottom_up(shop, pool, room)
    else:
        children = await TopDown(shop).grow(pool, room)
    progress.finish("describing")
    return _finished(strategy, documents, children, pool.summaries, shop.extracted, vectors, tally)


def _model_free(
    documents: Sequence[Document], settings: BuildSettings, vectors: Vectors, progress: Progress
) -> Build:
    signposts = Signposts(documents, vectors)
    builder = ModelFree(
        documents, vectors, settings, signposts, lambda n: progress.advance("clustering", n)
    )
    room = depth_limit(len(documents), settings.branching)
    everything = np.arange(len(documents))
    children = builder.grow(everything, room)
    summaries = tuple(
        extractive(signposts.lexicon, index, document) for index, document in enumerate(documents)
    )
    extracted = set(range(len(documents)))
    return _finished("model-free", documents, children, summaries, extracted, vectors, Tally())


def _finished(
    strategy: Strategy,
    documents: Sequence[Document],
    children: Sequence[Child],
    summaries: Sequence[Five],
    extracted: set[int],
    vectors: Vectors,
    tally: Tally,
) -> Build:
    return Build(
        tree=_tree(children, len(documents)),
        summaries={d.id: five for d, five in zip(documents, summaries, strict=True)},
        extractive=frozenset(documents[index].id for index in extracted),
        vectors=vectors,
        report=tally.report(strategy, len(documents), len(extracted)),
    )


def _tree(children: Sequence[Child], documents: int) -> Tree:
    """Put the root on top; an only branch below it becomes the root."""
    while len(children) == 1 and isinstance(children[0], Branch):
        children = children[0].children
    names = [child.name for child in children if isinstance(child, Branch)]
    return number(Branch(*root_signpost(names, documents), tuple(children)))
