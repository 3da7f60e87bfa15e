from __future__ import annotations

import dataclasses

from tests.library.samples import corpus

from leafward.library.fingerprint import build_fingerprint, search_key
from leafward.settings import BuildSettings, SearchSettings


def test_everything_that_decides_a_tree_is_in_the_fingerprint() -> None:
    documents, settings = corpus(2), BuildSettings()
    base = build_fingerprint(documents, settings, model=None, embedder="lexical")
    same = settings.model_copy(update={"concurrency": 3, "probe_documents": 1})
    assert build_fingerprint(documents, same, model=None, embedder="lexical") == base
    others = [
        build_fingerprint(documents[:-1], settings, model=None, embedder="lexical"),
        build_fingerprint(documents[::-1], settings, model=None, embedder="lexical"),
        build_fingerprint(documents, settings, model="openai:x", embedder="lexical"),
        build_fingerprint(documents, settings, model=None, embedder="minilm"),
        build_fingerprint(documents, BuildSettings(branching=8), model=None, embedder="lexical"),
        build_fingerprint(
            [dataclasses.replace(documents[0], title="T"), *documents[1:]],
            settings,
            model=None,
            embedder="lexical",
        ),
    ]
    assert len({base, *others}) == len(others) + 1


def test_search_keys_differ_by_what_decides_the_slates() -> None:
    def key(**changes: object) -> str:
        arguments: dict[str, object] = {
            "query": "q",
            "settings": SearchSettings(),
            "generation": "g",
            "judge": "listwise",
            "relevance": "",
            "excluded": ["b", "a"],
            "where": {"topic": {"x", "y"}},
        }
        return search_key(**{**arguments, **changes})  # type: ignore[arg-type]

    assert key(excluded=["a", "b"]) == key()
    assert key(settings=SearchSettings(deadline=3)) == key()
    changed = [
        key(query="p"),
        key(settings=SearchSettings(beam=3)),
        key(judge="letters"),
        key(relevance="r"),
        key(excluded=["a"]),
        key(where={"topic": "x"}),
    ]
    assert len({key(), *changed}) == len(changed) + 1
