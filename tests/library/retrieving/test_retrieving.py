"""Every method over a real index: without a model, and with a scripted one on loopback."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path

import pytest
from tests.library.samples import corpus, settings

import leafward
from leafward.errors import (
    BudgetExceeded,
    MethodError,
    MissingExtra,
    ModelRejected,
    ModelUnavailable,
    SettingsError,
)
from leafward.evaluate.method import Bm25, parse_method
from leafward.library.retrieving import make_retriever
from leafward.protocols import Retriever
from leafward.search.fusion import weighted
from leafward.settings import BudgetSettings, SearchSettings
from leafward.testing import (
    ChatRequest,
    Constant,
    Fault,
    Inject,
    Reply,
    Script,
    ScriptedServer,
    rules,
    word_overlap,
)
from leafward.types import NO_USAGE, Hit, Query, Ranking

QUERY = Query("q1", "what makes dough rise in the oven", "Relevant: it is about baking.")
FREE = ["bm25", "dense", "hybrid", "tree", "tree++", "rrf(bm25, dense)", "rerank(of=dense)"]
PAID = [
    "tree(iterations=3)",
    "tree++(iterations=3)",
    "rerank(of=bm25, window=6, carry=3, top=12)",
    "hyde>dense",
    "query2doc>bm25",
    "rewrite>tree(iterations=2)",
    "tree++(cheap=rewrite, iterations=2)",
]
PASSAGE = "a telescope sees the galaxy and the nebula"
WRITTEN = {
    "You write search queries": {"reasoning": "stars", "rewritten": PASSAGE},
    "You write": {"passage": PASSAGE},
}


class Watched:
    """A rule that notes the prompts that it sees and answers none."""

    def __init__(self) -> None:
        self.requests: list[ChatRequest] = []

    def __call__(self, request: ChatRequest) -> Reply | None:
        self.requests.append(request)
        return None

    def judged(self) -> list[str]:
        return [each.user for each in self.requests if each.kind == "slate_scores"]


@pytest.fixture
def watched() -> Watched:
    return Watched()


@pytest.fixture
def server(watched: Watched) -> Iterator[ScriptedServer]:
    script = Script(rules=[watched, rules.canned(WRITTEN), rules.oracle_judge(word_overlap)])
    with ScriptedServer(script) as running:
        yield running


@pytest.fixture
async def paid(tmp_path: Path, server: ScriptedServer) -> AsyncIterator[leafward.Index]:
    """An index of its own, whose cache holds no answers yet."""
    await built(tmp_path / "i")
    async with opened(tmp_path / "i", server) as index:
        yield index


async def built(path: Path) -> None:
    async with await leafward.abuild(corpus(), path, settings=settings(), probe=False):
        pass


def opened(
    path: Path, server: ScriptedServer, *, model: str = "openai:scripted", **more: object
) -> leafward.Index:
    chosen = settings(server.base_url)
    return leafward.open(path, model=model, settings=chosen.model_copy(update=more))


def ids(ranking: Ranking) -> list[str]:
    return [hit.doc_id for hit in ranking.hits]


def topics(hits: Sequence[Hit], count: int = 3) -> list[str]:
    return [hit.doc_id.split("-")[0] for hit in hits[:count]]


async def retrieved(
    index: leafward.Index, method: str, query: Query = QUERY, k: int = 10
) -> Ranking:
    return await index.retriever(method).retrieve(query, k=k)


@pytest.mark.parametrize("method", FREE)
async def test_without_a_model_everything_is_free_and_repeatable(
    index: leafward.Index, method: str
) -> None:
    ranking = await retrieved(index, method)
    assert topics(ranking.hits) == ["bread"] * 3
    assert ranking.query_id == "q1"
    assert ranking.usage == NO_USAGE
    assert not ranking.degraded
    scores = [hit.score for hit in ranking.hits]
    assert scores == sorted(scores, reverse=True)
    assert len(set(ids(ranking))) == len(ranking.hits)
    assert await retrieved(index, method) == ranking
    assert (ranking.trace is not None) == method.startswith("tree")
    assert (ranking.judged > 0) == (method.startswith("tree") or "rerank" in method)


@pytest.mark.parametrize("method", FREE)
async def test_exclusions_come_before_the_cut(index: leafward.Index, method: str) -> None:
    best = ids(await retrieved(index, method, k=3))
    without = Query("q1", QUERY.text, excluded_ids=frozenset([*best, "not in the index"]))
    ranking = await retrieved(index, method, without, k=3)
    assert len(ranking.hits) == 3
    assert not set(ids(ranking)) & set(best)


@pytest.mark.parametrize("method", FREE)
async def test_everything_excluded_is_an_empty_ranking(index: leafward.Index, method: str) -> None:
    nothing = Query("q1", QUERY.text, excluded_ids=frozenset(index.tree.leaves))
    ranking = await retrieved(index, method, nothing)
    assert (ranking.hits, ranking.judged, ranking.degraded) == ((), 0, False)


async def test_conditions_on_metadata_hold_for_every_source(index: leafward.Index) -> None:
    for method in FREE:
        retriever = make_retriever(parse_method(method), index, where={"topic": ["stars", "law"]})
        hits = (await retriever.retrieve(QUERY, k=60)).hits
        assert hits or method == "bm25"  # which finds nothing where no word is shared
        assert set(topics(hits, 60)) <= {"stars", "law"}


async def test_fusion_is_that_of_the_sources_by_themselves(index: leafward.Index) -> None:
    parts = [await retrieved(index, method, k=60) for method in ("tree", "bm25", "dense")]
    sources = [part.hits for part in parts]
    expected = weighted(sources, (0.6, 0.2, 0.2))
    assert (await retrieved(index, "tree++", k=60)).hits == expected
    expected = weighted(sources[1:], (0.3, 0.7))
    assert (await retrieved(index, "hybrid(weights=0.3/0.7)", k=60)).hits == expected


async def test_adaptive_weights_change_scores(index: leafward.Index) -> None:
    fixed, adaptive = [await retrieved(index, f"hybrid(adaptive={on})") for on in ("false", "true")]
    assert topics(adaptive.hits) == ["bread"] * 3
    assert fixed.hits != adaptive.hits


async def test_the_depth_of_a_fusion_grows_with_what_is_wanted(index: leafward.Index) -> None:
    shallow = await retrieved(index, "rrf(bm25, dense, depth=1)", k=1)
    assert len(shallow.hits) == 1
    deep = await retrieved(index, "rrf(bm25, dense, depth=1)", k=30)
    assert len(deep.hits) == 30


async def test_tree_settings_of_a_method_are_its_own(index: leafward.Index) -> None:
    short = await retrieved(index, "tree(iterations=1, beam=1)", k=60)
    assert short.trace is not None
    assert len(short.trace.steps) == 1
    again = await retrieved(index, "tree", k=60)
    assert again.trace is not None
    assert len(again.trace.steps) > 1


async def test_a_tree_has_judged_the_leaves_that_it_was_shown(index: leafward.Index) -> None:
    ranking = await retrieved(index, "tree(iterations=2, beam=1)", k=60)
    assert ranking.trace is not None
    shown = {each.node for step in ranking.trace.steps for each in step.slate.candidates}
    leaves = {node for node in shown if index.tree.is_leaf(node)}
    assert 0 < ranking.judged == len(leaves) < len(shown)


def test_search_takes_every_method_and_explains_what_a_judge_saw(index: leafward.Index) -> None:
    for method in FREE:
        result = index.search(QUERY.text, k=3, method=method)
        assert [hit.title.split()[0] for hit in result] == ["Bread"] * 3
        assert all(hit.path for hit in result) == method.startswith("tree")
    assert index.search(QUERY.text, method=Bm25()) == index.search(QUERY.text, method="bm25")


def test_an_unknown_method_is_an_error_with_its_place(index: leafward.Index) -> None:
    with pytest.raises(MethodError, match="column 1: there is no method bm26") as caught:
        index.search("x", method="bm26")
    assert "did you mean bm25" in caught.value.hint
    with pytest.raises(MethodError):
        index.retriever("rerank(")


@pytest.mark.parametrize(
    "method",
    ["hyde>bm25", "tree(judge=listwise)", "rerank(judge=letters)", "tree++(cheap=rewrite)"],
)
async def test_what_needs_a_model_says_so(index: leafward.Index, method: str) -> None:
    with pytest.raises(SettingsError, match="needs a language model") as caught:
        await retrieved(index, method)
    assert "--model" in caught.value.hint


def test_a_cross_encoder_says_what_to_install(
    index: leafward.Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "sentence_transformers", None)
    with pytest.raises(MissingExtra) as caught:
        index.retriever("cross-encoder(model=any/model)")
    assert "leafward[rerank]" in caught.value.hint


# --- with a model


@pytest.mark.parametrize("method", PAID)
async def test_a_query_counts_its_own_usage_and_a_repeat_costs_nothing(
    paid: leafward.Index, server: ScriptedServer, method: str
) -> None:
    ranking = await retrieved(paid, method)
    asked = server.stats()
    assert ranking.usage.calls == asked.answered > 0
    assert ranking.usage.tokens == asked.tokens
    again = await retrieved(paid, method)
    assert server.stats().requests == asked.requests
    assert again.hits == ranking.hits
    assert (again.usage.calls, again.usage.cache_hits) == (0, asked.answered)
    assert not ranking.degraded


async def test_usage_of_queries_in_flight_together_is_kept_apart(
    paid: leafward.Index, server: ScriptedServer
) -> None:
    server.change(latency=Constant(0.005))
    retrievers = [paid.retriever(method) for method in PAID]
    queries = [Query(f"q{n}", f"{QUERY.text} number {n}") for n in range(5)]

    async def one(retriever: Retriever, query: Query) -> Ranking:
        return await retriever.retrieve(query, k=5)

    rankings = await asyncio.gather(*(one(r, q) for r in retrievers for q in queries))
    assert server.stats().peak_in_flight > 1
    assert sum(ranking.usage.calls for ranking in rankings) == server.stats().answered
    assert sum(ranking.usage.tokens for ranking in rankings) == server.stats().tokens
    for ranking in rankings[: len(queries)]:
        assert ranking.trace is not None
        assert ranking.usage.calls + ranking.usage.cache_hits == len(ranking.trace.steps)


async def test_reranking_asks_with_the_prompt_of_tree_search(
    paid: leafward.Index, watched: Watched
) -> None:
    await retrieved(paid, "tree(iterations=2)")
    await retrieved(paid, "rerank(of=bm25, top=8)")
    tree, *_, windows = watched.requests
    assert tree.kind == windows.kind == "slate_scores"
    assert tree.messages[0] == windows.messages[0]
    heads = [each.user.partition("Candidates")[0] for each in (tree, windows)]
    assert heads[0] == heads[1]
    assert "it is about baking" in heads[0]


async def test_reranking_with_so_many_calls(paid: leafward.Index, server: ScriptedServer) -> None:
    ranking = await retrieved(paid, "rerank(of=dense, window=6, carry=3, calls=5)", k=40)
    assert ranking.usage.calls == server.stats().requests == 5
    assert ranking.judged == 6 + 4 * 3
    assert len(ranking.hits) == 40
    shortlist = await retrieved(paid, "dense", k=40)
    assert ids(ranking)[18:] == ids(shortlist)[18:]
    assert ids(ranking)[:18] != ids(shortlist)[:18]


async def test_a_reranker_tells_its_reasons(paid: leafward.Index) -> None:
    result = await paid.asearch(QUERY.text, k=3, method="rerank(of=bm25, top=6)")
    assert all(hit.reasons[-1].startswith("relevance") for hit in result)
    assert result.usage.calls == 1


async def test_letters_have_room_for_26(paid: leafward.Index) -> None:
    with pytest.raises(SettingsError, match="26 letters for 30") as caught:
        paid.retriever("rerank(judge=letters, window=30)")
    assert "window=26" in caught.value.hint
    paid.retriever("rerank(judge=listwise, window=30)")
    paid.retriever("rerank(judge=fused, window=30)")  # which shows its model eight of them


async def test_engines_get_the_rewrite_and_rerankers_the_users_own_words(
    paid: leafward.Index, watched: Watched
) -> None:
    for method in ("hyde>bm25", "hyde>dense", "rewrite>hybrid", "query2doc>dense"):
        assert "stars" in topics((await retrieved(paid, method)).hits), method
    ranking = await retrieved(paid, "hyde>rerank(of=dense, top=5)")
    assert topics(ranking.hits) == ["stars"] * 3
    (prompt,) = watched.judged()
    assert QUERY.text in prompt
    assert PASSAGE not in prompt
    inside = await retrieved(paid, "rerank(of=hyde>dense, top=5)")
    assert inside.hits == ranking.hits


async def test_words_are_looked_up_with_the_query_repeated(paid: leafward.Index) -> None:
    looked_up = Query("q1", "\n".join([QUERY.text] * 5 + [PASSAGE]))
    expected = await retrieved(paid, "bm25", looked_up, k=60)
    assert (await retrieved(paid, "query2doc>bm25", k=60)).hits == expected.hits


async def test_a_tree_behind_a_rewriter_is_walked_with_the_rewrite(
    paid: leafward.Index, watched: Watched
) -> None:
    ranking = await retrieved(paid, "rewrite>tree(iterations=3)")
    assert topics(ranking.hits) == ["stars"] * 3
    assert all(PASSAGE in prompt and QUERY.text not in prompt for prompt in watched.judged())


async def test_cheap_sources_alone_are_rewritten(paid: leafward.Index, watched: Watched) -> None:
    ranking = await retrieved(paid, "tree++(cheap=hyde, iterations=3)", k=60)
    assert all(QUERY.text in prompt and PASSAGE not in prompt for prompt in watched.judged())
    writes = [each for each in watched.requests if each.kind == "other"]
    assert len(writes) == 1  # both engines take the same one
    assert topics(ranking.hits, 1) == ["bread"]
    assert "stars" in topics(ranking.hits, 20)


async def test_the_need_is_told_with_its_definition_of_relevance(
    paid: leafward.Index, watched: Watched
) -> None:
    await retrieved(paid, "rewrite>bm25")
    (request,) = watched.requests
    assert "it is about baking" in request.user


# --- failures


async def test_a_rewrite_that_cannot_be_used_leaves_the_query_as_it_is(
    paid: leafward.Index, server: ScriptedServer
) -> None:
    server.change(rules=[rules.canned({"": "I would rather not"})])
    ranking = await retrieved(paid, "hyde>bm25")
    plain = await retrieved(paid, "bm25")
    assert (ranking.hits, ranking.degraded) == (plain.hits, True)
    assert ranking.usage.calls == 2


async def test_a_provider_that_is_down_is_no_ranking(
    tmp_path: Path, server: ScriptedServer
) -> None:
    await built(tmp_path / "i")
    server.change(faults=[Inject(Fault.SERVER_ERROR)])
    models = settings(server.base_url).models
    impatient = models.model_copy(update={"total_deadline": 0.1, "retry_wait": 0.01})
    async with opened(tmp_path / "i", server, models=impatient) as index:
        for method in ("hyde>bm25", "tree", "rerank(of=bm25, top=5)", "tree++"):
            with pytest.raises(ModelUnavailable):
                await retrieved(index, method, k=5)
            result = await index.asearch(QUERY.text, k=5, method=method)
            assert result.degraded
            assert bool(result.hits) == (method != "tree"), method


async def test_a_provider_that_goes_down_halfway_is_no_ranking(
    tmp_path: Path, server: ScriptedServer
) -> None:
    """What it had judged until then is shown, and not scored."""
    await built(tmp_path / "i")
    server.change(faults=[Inject(Fault.SERVER_ERROR, nth=range(2, 1000))])
    models = settings(server.base_url).models
    impatient = models.model_copy(update={"total_deadline": 0.1, "retry_wait": 0.01})
    async with opened(tmp_path / "i", server, models=impatient) as index:
        method = "rerank(of=dense, window=6, carry=3, top=30)"
        with pytest.raises(ModelUnavailable):
            await retrieved(index, method, k=5)
        shown = await index.asearch(QUERY.text, method=method, relevance=QUERY.relevance)
        assert (shown.stop, len(shown.hits)) == ("failures", 10)
        assert shown.degraded


async def test_a_key_that_is_refused_is_told_at_once(
    paid: leafward.Index, server: ScriptedServer
) -> None:
    server.change(api_key="another")
    for method in ("hyde>bm25", "tree", "rerank(of=bm25)"):
        with pytest.raises(ModelRejected):
            await retrieved(paid, method)


@pytest.mark.parametrize("method", ["tree", "rerank(of=bm25, window=4, carry=2)", "hyde>tree"])
async def test_the_jobs_budget_is_told_and_the_limit_of_a_search_ends_it(
    tmp_path: Path, server: ScriptedServer, method: str
) -> None:
    await built(tmp_path / "i")
    async with opened(tmp_path / "i", server, budget=BudgetSettings(calls=3)) as index:
        with pytest.raises(BudgetExceeded) as caught:
            await retrieved(index, method)
        assert caught.value.whole_job
        assert server.stats().requests == 3
        shown = await index.asearch(QUERY.text, method=method, relevance=QUERY.relevance)
        assert shown.hits
    async with opened(tmp_path / "i", server) as index:
        limited = SearchSettings(max_tokens=3000)
        ranking = await index.retriever(method, search=limited).retrieve(QUERY, k=5)
        assert ranking.usage.tokens <= 3000


async def test_a_deadline_holds_for_rewriters_and_judges_together(
    paid: leafward.Index, server: ScriptedServer
) -> None:
    server.change(latency=Constant(0.2))
    hurried = SearchSettings(deadline=0.02)
    for method in ("hyde>bm25", "rerank(of=bm25)", "hyde>tree++"):
        result = await paid.asearch(QUERY.text, method=method, search=hurried)
        assert result.stop == "deadline", method
        assert result.hits
    assert paid.opened.stragglers


async def test_limits_inside_a_method_are_kept_beside_those_of_the_search(
    paid: leafward.Index,
) -> None:
    method = "tree(max_tokens=100000)"
    narrow = SearchSettings(max_tokens=4_000)
    result = await paid.asearch(QUERY.text, method=method, search=narrow)
    assert result.stop == "tokens"
    assert 0 < result.usage.tokens <= 4_000
    result = await paid.asearch(QUERY.text, method="tree(max_tokens=4000)")
    assert result.stop == "tokens"
