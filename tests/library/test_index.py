from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.library.samples import TOPICS, corpus, settings

import leafward
from leafward.errors import CorpusError, IndexNotFound, SettingsError
from leafward.library import Index
from leafward.settings import SearchSettings
from leafward.types import Document

METHODS = ["tree", "bm25", "dense", "hybrid", "tree++", "rrf(bm25, tree)", "rerank(of=bm25)"]
QUERY = "what makes dough rise in the oven"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("library") / "index"
    leafward.build(corpus(), where, settings=settings()).close()
    return where


@pytest.fixture
def index(path: Path) -> Iterator[Index]:
    with leafward.open(path, settings=settings()) as opened:
        yield opened


def test_build_reports_what_it_did(tmp_path: Path) -> None:
    with leafward.build(corpus(), tmp_path / "i", settings=settings()) as index:
        report = index.report
        assert report is not None
        assert report.documents == 60
        assert report.nodes == len(index.tree.nodes)
        assert report.depth == index.tree.depth
        assert report.strategy == index.meta.strategy == "model-free"
        assert report.usage.calls == 0
        assert report.probe is not None
        assert report.probe.reached > 0.9
        assert not report.up_to_date


def test_second_build_is_up_to_date_and_a_change_is_not(tmp_path: Path) -> None:
    documents = corpus()
    leafward.build(documents, tmp_path / "i", settings=settings()).close()
    with leafward.build(documents, tmp_path / "i", settings=settings()) as again:
        assert again.report is not None
        assert again.report.up_to_date
        assert again.report.generation == 1
    changed = [*documents[:-1], Document("law-11", "a new text about courts")]
    with leafward.build(changed, tmp_path / "i", settings=settings()) as third:
        assert third.report is not None
        assert not third.report.up_to_date
        assert third.document("law-11").text == "a new text about courts"
    with leafward.build(changed, tmp_path / "i", settings=settings(), force=True) as forced:
        assert forced.report is not None
        assert forced.report.generation == 3


@pytest.mark.parametrize("method", METHODS)
def test_every_method_finds_the_topic(index: Index, method: str) -> None:
    result = index.search(QUERY, k=5, method=method)
    assert len(result) == 5
    assert [hit.doc_id.split("-")[0] for hit in result][:2] == ["bread", "bread"]
    assert all(hit.title.startswith(hit.doc_id.split("-")[0].title()) for hit in result)
    assert result.usage.calls == 0


def test_tree_hits_explain_themselves(index: Index) -> None:
    (hit,) = index.search(QUERY, k=1)
    assert hit.path[0].name
    assert hit.latent is not None
    assert hit.raw
    leaf = index.tree.leaf_id(index.tree.position_of(hit.doc_id))
    assert [step.node for step in hit.path] == list(index.tree.path(leaf))[:-1]


@pytest.mark.parametrize("method", METHODS)
def test_exclusions_and_filters(index: Index, method: str) -> None:
    first = index.search(QUERY, k=3, method=method)
    best = first.hits[0].doc_id
    without = index.search(QUERY, k=60, method=method, exclude=[best, "unknown"])
    assert best not in {hit.doc_id for hit in without}
    stars = index.search(QUERY, k=60, method=method, where={"topic": ["stars", "law"]})
    assert {hit.doc_id.split("-")[0] for hit in stars} <= {"stars", "law"}
    with pytest.raises(SettingsError, match="colour"):
        index.search(QUERY, method=method, where={"colour": "red"})


def test_everything_excluded_is_an_empty_result(index: Index) -> None:
    result = index.search(QUERY, exclude=list(index.tree.leaves))
    assert len(result) == 0
    assert result.stop == "exhausted"


def test_async_twin_gives_the_same(path: Path, index: Index) -> None:
    async def run() -> list[str]:
        async with leafward.open(path, settings=settings()) as other:
            found = await asyncio.gather(*(other.asearch(QUERY, k=5) for _ in range(4)))
            assert len({tuple(result.hits) for result in found}) == 1
            return [hit.doc_id for hit in found[0]]

    assert asyncio.run(run()) == [hit.doc_id for hit in index.search(QUERY, k=5)]


def test_reading_documents(index: Index) -> None:
    assert index.document("stars-3").title == "Stars 3"
    assert len(index.summaries("stars-3")) in (0, 5)
    with pytest.raises(SettingsError, match="nothing-1"):
        index.document("nothing-1")


@pytest.mark.parametrize("text", ["", "  \n"])
def test_empty_query_is_refused(index: Index, text: str) -> None:
    with pytest.raises(SettingsError):
        index.search(text)


def test_judge_without_its_model_is_refused(index: Index) -> None:
    with pytest.raises(SettingsError, match="language model"):
        index.search(QUERY, judge="listwise")
    with pytest.raises(SettingsError, match="k is 0"):
        index.search(QUERY, k=0)


def test_search_settings_of_one_search(index: Index) -> None:
    few = index.search(QUERY, search=SearchSettings(beam=1, iterations=1))
    assert few.stop == "expansions"
    assert few.trace is not None
    assert len(few.trace.steps) == 1


def test_missing_index_and_missing_corpus(tmp_path: Path) -> None:
    with pytest.raises(IndexNotFound):
        leafward.open(tmp_path / "none", settings=settings())
    with pytest.raises(CorpusError):
        leafward.build(tmp_path / "none", tmp_path / "i", settings=settings())
    with pytest.raises(CorpusError):
        leafward.build([], tmp_path / "i", settings=settings())


def test_candidates_are_decided_by_the_probe(tmp_path: Path) -> None:
    chosen = settings(candidates=("model-free", "auto"))
    with leafward.build(corpus(), tmp_path / "i", settings=chosen) as index:
        assert index.report is not None
        assert index.report.probe is not None


def test_one_document(tmp_path: Path) -> None:
    with leafward.build(corpus()[:1], tmp_path / "i", settings=settings()) as index:
        assert [hit.doc_id for hit in index.search("river")] == ["rivers-0"]
    assert leafward.verify(tmp_path / "i").ok


def test_build_from_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    for topic, words in TOPICS.items():
        (folder / f"{topic}.md").write_text(f"# {topic}\n\n{words}\n\n## More\n\n{words} again\n")
    (folder / "broken.txt").write_bytes(b"\xff\xfe\xfa\x00\xd8")
    with leafward.build(folder, tmp_path / "i", settings=settings()) as index:
        assert index.report is not None
        assert index.report.problems
        assert index.search("telescope and galaxy", k=1).hits[0].doc_id.startswith("stars.md")
