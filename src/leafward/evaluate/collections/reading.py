"""Reading a test collection from whatever holds one."""

from __future__ import annotations

from pathlib import Path

from leafward.corpus import Corpus, OnProblem, read_corpus, read_qrels, read_queries, splits
from leafward.errors import CorpusError
from leafward.evaluate.collections.bright import is_bright, read_bright
from leafward.evaluate.collections.irds import read_irds
from leafward.evaluate.collections.own import own_file, read_own
from leafward.evaluate.collections.rows import check_documents, check_exclusions
from leafward.types import Collection

IRDS = "irds:"


def read_collection(
    source: str | Path,
    *,
    split: str = "test",
    variant: str = "",
    documents: bool = True,
    on_problem: OnProblem = "refuse",
) -> Collection:
    """Read a BEIR folder, a BRIGHT folder, ``irds:NAME``, or a JSONL file of one's own queries.

    Only queries that the split judges are taken, in the order of the source. A collection with a
    hole in it gives wrong figures, so problems are refused unless asked otherwise; only documents
    without a word are passed over, as everywhere.

    Args:
        split: of a BRIGHT folder the task, such as ``biology``, as BRIGHT itself has it.
        variant: of a BRIGHT folder other queries (``gpt4_reason``) or ``long`` documents.
        documents: leave them unread where an index already holds them.

    Raises:
        CorpusError: nothing there that is a collection, or something in it cannot be read.
        SettingsError, MissingExtra: see :func:`leafward.evaluate.collections.irds.read_irds`.
    """
    name = str(source)
    if name.startswith(IRDS):
        return read_irds(name.removeprefix(IRDS), documents=documents)
    path = Path(source)
    if is_bright(path):
        return read_bright(path, split, variant, documents=documents, on_problem=on_problem)
    if variant:
        raise CorpusError(
            f"only a BRIGHT folder has a variant {variant!r}",
            path=path,
            hint="leave the variant out, or name a folder with documents/ and examples/",
        )
    if splits(path):
        return _read_beir(path, split, documents=documents, on_problem=on_problem)
    if own := own_file(path):
        return read_own(own, split, documents=documents, on_problem=on_problem)
    raise CorpusError("this is no test collection", path=path, hint=_hint(path))


def _read_beir(folder: Path, split: str, *, documents: bool, on_problem: OnProblem) -> Collection:
    qrels: dict[str, dict[str, int]] = {}
    for qrel in read_qrels(folder, split, on_problem=on_problem):
        qrels.setdefault(qrel.query_id, {})[qrel.doc_id] = qrel.relevance
    asked = read_queries(folder, on_problem=on_problem)
    queries = tuple(query for query in asked if query.id in qrels)
    check_exclusions(queries, qrels, folder)
    corpus = read_corpus(folder) if documents else Corpus(())
    check_documents(corpus.problems, on_problem)
    return Collection(folder.resolve().name, split, corpus.documents, queries, qrels)


def _hint(path: Path) -> str:
    accepted = (
        "a BEIR folder (corpus.jsonl, queries.jsonl, qrels/SPLIT.tsv), a BRIGHT folder (documents/,"
        ' examples/), irds:NAME, or a queries.jsonl with "id", "text" and "relevant"'
    )
    return f"name {accepted}" if path.exists() else f"check the spelling; it may be {accepted}"
