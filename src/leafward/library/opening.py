"""The two ways to an :class:`Index`: build one, open one."""

from __future__ import annotations

from pathlib import Path

from leafward.library.building import Builder
from leafward.library.index import Index
from leafward.library.portal import Portal
from leafward.library.session import Session, index_path
from leafward.library.sources import OnProblem, Source, read_source
from leafward.models import Meter, Stop
from leafward.protocols import Progress, Silent
from leafward.settings import Settings
from leafward.store import Snapshot, Store


def build(
    source: Source,
    path: str | Path,
    *,
    model: str | None = None,
    embedder: str | None = None,
    settings: Settings | None = None,
    on_problem: OnProblem = "skip",
    chunk_tokens: int = 300,
    force: bool = False,
    probe: bool = True,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> Index:
    """Build an index over a folder, file or documents, publish it, and open it.

    Building again over the same corpus with the same settings costs nothing; after a failure or
    an interrupt the same call goes on where it ended, for nothing is paid twice.

    Args:
        source: a BEIR folder, a folder of .txt .md .html .pdf, a .jsonl or .csv file, or documents.
        path: the index directory, made where there is none.
        model: chat model such as ``openai:gpt-5-mini`` or ``local:qwen2.5-coder-1.5b``; without one
            (here and in the settings) the tree is built from embeddings alone.
        embedder: ``minilm`` (packaged), ``lexical`` (no download) or ``PROVIDER:MODEL``.
        on_problem: ``skip`` reports unreadable input in ``report.problems``, ``refuse`` raises.
        force: build even where the index already holds this very build.
        probe: measure how well the finished tree leads to its own documents.
        stop: set it from elsewhere to end after the calls in flight (Ctrl-C does).

    Raises:
        CorpusError, SettingsError: the input or a setting is wrong.
        BudgetExceeded, Interrupted, ModelError: the build stopped; run it again to go on.
        IndexBusy: another process is writing to this index.
    """
    stop = stop or Stop()
    portal = Portal(on_interrupt=stop.set)
    try:
        return portal.call(
            lambda: abuild(
                source,
                path,
                model=model,
                embedder=embedder,
                settings=settings,
                on_problem=on_problem,
                chunk_tokens=chunk_tokens,
                force=force,
                probe=probe,
                progress=progress,
                stop=stop,
            )
        )
    finally:
        portal.close()


async def abuild(
    source: Source,
    path: str | Path,
    *,
    model: str | None = None,
    embedder: str | None = None,
    settings: Settings | None = None,
    on_problem: OnProblem = "skip",
    chunk_tokens: int = 300,
    force: bool = False,
    probe: bool = True,
    progress: Progress | None = None,
    stop: Stop | None = None,
    meter: Meter | None = None,
) -> Index:
    """Async twin of :func:`build`; ``meter`` can be read while it runs."""
    settings = settings or Settings()
    corpus = read_source(source, on_problem=on_problem, chunk_tokens=chunk_tokens)
    where = index_path(path)
    with Store.create(where) as store:
        session = Session(
            settings,
            model or settings.model,
            embedder or settings.embedder,
            store.calls,
            stop or Stop(),
            meter or Meter(),
        )
        try:
            builder = Builder(store, session, progress or Silent(), probe=probe)
            report = await builder.run(corpus, force=force)
        finally:
            await session.aclose()
    return Index(where, *_opened(where, model, embedder, settings), report=report)


def open_index(
    path: str | Path,
    *,
    model: str | None = None,
    embedder: str | None = None,
    settings: Settings | None = None,
    stop: Stop | None = None,
) -> Index:
    """Open a published index for searching; any number of processes may, also during a build.

    Args:
        model: chat model for the judge; without one (here and in the settings) embeddings judge.
        embedder: must give the vectors that the index was built with, which is the default.
        stop: set it from elsewhere to end searches after the calls in flight (Ctrl-C does).

    Raises:
        IndexNotFound: there is no finished build at ``path``.
    """
    where = index_path(path)
    return Index(where, *_opened(where, model, embedder, settings or Settings(), stop))


def _opened(
    path: Path,
    model: str | None,
    embedder: str | None,
    settings: Settings,
    stop: Stop | None = None,
) -> tuple[Store, Snapshot, Session]:
    store = Store.open(path)
    try:
        snapshot = store.snapshot()
    except BaseException:
        store.close()
        raise
    chosen = model or settings.model, embedder or snapshot.meta.embedder
    return store, snapshot, Session(settings, *chosen, store.calls, stop or Stop())
