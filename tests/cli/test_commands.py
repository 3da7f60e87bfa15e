"""Every command on a small index, in words and as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import Leafward

from leafward.cli import shapes
from leafward.errors import WeightsError
from leafward.models.registry import find


def shaped(kind: type[shapes.Shape], value: Any) -> Any:
    """The value, once it has been read by its shape without a rest."""
    kind.model_validate(value)
    return value


def test_index_tells_what_it_made(leafward: Leafward, corpus: Path) -> None:
    ran = leafward("index", corpus, "made.leafward", "-e", "lexical", "--branching", 4)
    assert ran.code == 0, ran.err
    assert "12 documents under" in ran.out
    assert "strategy model-free" in ran.out
    assert "routing probe:" in ran.out


def test_index_again_says_that_nothing_changed(leafward: Leafward, corpus: Path) -> None:
    first = leafward("index", corpus, "made.leafward", "-e", "lexical", "--json")
    again = leafward("index", corpus, "made.leafward", "-e", "lexical", "--json")
    told = shaped(shapes.IndexOut, first.json)
    assert (told["documents"], told["up_to_date"]) == (12, False)
    assert told["usage"]["calls"] == 0
    assert told["probe"]["documents"] == 12
    assert shaped(shapes.IndexOut, again.json)["up_to_date"] is True
    assert again.json["generation"] == told["generation"]
    forced = leafward("index", corpus, "made.leafward", "-e", "lexical", "--force", "--json")
    assert forced.json["up_to_date"] is False
    assert forced.json["generation"] > told["generation"]


def test_index_without_probe(leafward: Leafward, corpus: Path) -> None:
    ran = leafward("index", corpus, "i", "-e", "lexical", "--no-probe", "--json")
    assert ran.json["probe"] is None


def test_index_reports_what_it_left_out(leafward: Leafward, tmp_path: Path) -> None:
    source = tmp_path / "broken.jsonl"
    source.write_text('{"_id": "a", "text": "good text"}\nnot json\n{"_id": "b", "text": "more"}\n')
    ran = leafward("index", source, "i", "-e", "lexical", "--json")
    assert [(p["line"], p["kind"]) for p in ran.json["problems"]] == [(2, "broken-line")]
    assert "broken.jsonl:2" in leafward("index", source, "j", "-e", "lexical").out
    refused = leafward("index", source, "k", "-e", "lexical", "--on-problem", "refuse")
    assert refused.code == 3
    assert "broken.jsonl:2" in refused.err


def test_search_is_easy_to_read(leafward: Leafward, index: Path) -> None:
    ran = leafward("search", index, "who hunts mice at night?", "-k", 2)
    assert ran.code == 0, ran.err
    assert "Cats" in ran.out and "Owls" in ran.out
    assert "›" in ran.out
    assert "0 calls" in ran.out and "stopped:" in ran.out


@pytest.mark.parametrize("method", ["tree", "bm25", "dense", "tree++(weights=1/1/1)", "hybrid"])
def test_search_as_json(leafward: Leafward, index: Path, method: str) -> None:
    ran = leafward("search", index, "owls hunt with silent wings", "--method", method, "--json")
    told = shaped(shapes.SearchOut, ran.json)
    assert set(told) == {"hits", "usage", "stop", "degraded"}
    assert set(told["hits"][0]) == {
        "doc_id", "title", "score", "path", "latent", "raw", "reasons"
    }  # fmt: skip
    assert told["hits"][0]["doc_id"] == "owls"
    assert bool(told["hits"][0]["path"]) is method.startswith("tree")
    assert told["degraded"] is False


def test_a_method_that_cannot_be_read_is_told_with_its_column(
    leafward: Leafward, index: Path
) -> None:
    ran = leafward("search", index, "owls", "--method", "rerank(windw=5)")
    assert ran.code == 2
    assert "column 8: rerank has no argument windw" in ran.err
    assert "window" in ran.err


def test_search_keeps_exclusions_and_filters(leafward: Leafward, index: Path) -> None:
    query = "who hunts mice at night?"
    found = leafward("search", index, query, "--exclude", "owls", "--exclude", "cats", "--json")
    ids = [hit["doc_id"] for hit in found.json["hits"]]
    assert ids and not {"owls", "cats"} & set(ids)
    food = leafward("search", index, query, "--where", "kind=food", "--json").json["hits"]
    assert {hit["doc_id"] for hit in food} == {"bread", "cake", "soup"}
    several = leafward(
        "search", index, query, "--where", "number=0", "--where", "number=7", "--json"
    )
    assert {hit["doc_id"] for hit in several.json["hits"]} == {"cats", "glass"}


def test_search_by_an_unknown_field_names_those_there_are(leafward: Leafward, index: Path) -> None:
    ran = leafward("search", index, "x", "--where", "colour=red")
    assert ran.code == 2
    assert "kind" in ran.err and "number" in ran.err


def test_search_with_a_judge_that_needs_a_model(leafward: Leafward, index: Path) -> None:
    ran = leafward("search", index, "x", "--judge", "listwise")
    assert ran.code == 2
    assert "--model" in ran.err


def test_tree_in_three_formats(leafward: Leafward, index: Path) -> None:
    text = leafward("tree", index)
    assert text.code == 0 and "#0, 12 documents" in text.out
    told = shaped(shapes.NodeOut, leafward("tree", index, "--format", "json").json)
    leaves = _leaves(told)
    assert len(leaves) == told["leaves"] == 12
    assert leafward("tree", index, "--json").json == told
    page = leafward("tree", index, "--format", "html").out
    assert page.startswith("<!DOCTYPE html>") and page.count("<code class='quiet'>cats</code>") == 1


def _leaves(node: dict[str, Any]) -> list[str]:
    if node["kind"] == "leaf":
        return [node["doc_id"]]
    return [leaf for child in node["children"] for leaf in _leaves(child)]


def test_tree_below_a_node_and_to_a_depth(leafward: Leafward, index: Path) -> None:
    told = leafward("tree", index, 1, "--depth", 0, "--json").json
    assert told["node"] == 1 and told["children"] == [] and told["hidden"] > 0
    unknown = leafward("tree", index, 999)
    assert unknown.code == 2 and "there is no node 999" in unknown.err


def test_show_prints_a_document_with_its_path(leafward: Leafward, index: Path) -> None:
    ran = leafward("show", index, "owls")
    assert ran.code == 0
    assert ran.out.splitlines()[0] == "Owls"
    assert "path: " in ran.out and "silent wings" in ran.out and "kind: animal" in ran.out
    told = shaped(shapes.DocumentOut, leafward("show", index, "owls", "--json").json)
    assert told["metadata"]["number"] == 2
    assert len(told["path"]) >= 1


def test_show_of_an_unknown_document(leafward: Leafward, index: Path) -> None:
    ran = leafward("show", index, "unicorns")
    assert ran.code == 3
    assert "unicorns" in ran.err and "hint:" in ran.err


def test_verify_says_that_all_is_well(leafward: Leafward, index: Path) -> None:
    assert leafward("verify", index).code == 0
    assert shaped(shapes.VerifyOut, leafward("verify", index, "--json").json) == {
        "ok": True,
        "problems": [],
    }


def test_verify_finds_damage_and_says_how_to_repair_it(leafward: Leafward, corpus: Path) -> None:
    leafward("index", corpus, "hurt", "-e", "lexical", "--no-probe", "-q")
    vectors = next(Path("hurt").rglob("vectors.npy"))
    vectors.write_bytes(vectors.read_bytes()[:-4] + b"\x01\x02\x03\x04")
    ran = leafward("verify", "hurt", "--json")
    told = shaped(shapes.VerifyOut, ran.json)
    assert ran.code == 6
    assert told["ok"] is False and all(problem["repair"] for problem in told["problems"])
    words = leafward("verify", "hurt")
    assert words.code == 6 and "repair:" in words.out


def test_plan_costs_nothing_and_writes_nothing(leafward: Leafward, corpus: Path) -> None:
    ran = leafward(
        "plan", corpus, "--model", "openai:x", "--price-prompt", 1, "--price-completion", 2
    )
    assert ran.code == 0, ran.err
    assert "12 documents, strategy" in ran.out and "$" in ran.out
    asked = ("plan", corpus, "--model", "openai:x", "--json")
    told = shaped(shapes.PlanReportOut, leafward(*asked).json)
    assert told["plan"]["money"] is None  # nobody told the price
    assert told["plan"]["calls"] == sum(stage["calls"] for stage in told["plan"]["stages"]) > 0
    assert list(Path().iterdir()) == []


def test_plan_without_a_model_says_so(leafward: Leafward, corpus: Path) -> None:
    assert "costs nothing" in leafward("plan", corpus).out


def test_cache_counts_and_clears(leafward: Leafward, corpus: Path) -> None:
    leafward("index", corpus, "i", "-e", "lexical", "--no-probe", "-q")
    assert shaped(shapes.CacheOut, leafward("cache", "stats", "i", "--json").json)["answers"] == 0
    refused = leafward("cache", "clear", "i")
    assert refused.code == 2 and "--yes" in refused.err
    assert leafward("cache", "clear", "i", "--yes", "--json").json == {"cleared": 0}


def test_models_lists_what_can_be_pulled(leafward: Leafward, tmp_path: Path) -> None:
    _cache_in(tmp_path)
    told = shaped(shapes.ModelsOut, leafward("models", "list", "--json").json)
    assert {"minilm", "smollm2-135m"} <= {model["name"] for model in told["models"]}
    assert all(model["path"] is None for model in told["models"])
    assert "leafward models pull minilm" in leafward("models", "list").out


def test_models_path_of_what_is_not_here(leafward: Leafward, tmp_path: Path) -> None:
    _cache_in(tmp_path)
    ran = leafward("models", "path", "minilm")
    assert ran.code == 4
    assert "leafward models pull minilm" in ran.err
    unknown = leafward("models", "pull", "gpt-9")
    assert unknown.code == 2 and "minilm" in unknown.err


def test_models_pull_offline_is_refused(leafward: Leafward, tmp_path: Path) -> None:
    _cache_in(tmp_path)
    ran = leafward("models", "pull", "minilm", "--offline")
    assert ran.code == 2 and "offline" in ran.err
    assert not (tmp_path / "cache").exists()


@pytest.mark.real_model
def test_models_path_of_what_is_here(leafward: Leafward) -> None:
    try:
        folder = find("minilm")
    except WeightsError as error:
        pytest.skip(error.hint)
    assert leafward("models", "path", "minilm").out.strip() == str(folder)
    told = shaped(shapes.ModelsOut, leafward("models", "pull", "minilm", "--json").json)
    assert told["models"][0]["path"] == str(folder)


def _cache_in(folder: Path) -> None:
    Path("leafward.toml").write_text(f"cache_dir = {json.dumps(str(folder / 'cache'))}\n")


def test_doctor_tells_what_is_there(leafward: Leafward) -> None:
    ran = leafward("doctor", "-e", "lexical", "--json")
    told = shaped(shapes.DoctorOut, ran.json)
    assert ran.code == 0 and told["ok"] is True
    assert "lexical" in leafward("doctor", "-e", "lexical").out


def test_doctor_fails_where_a_model_does_not_answer(leafward: Leafward) -> None:
    ran = leafward("doctor", "-e", "lexical", "-m", "openai:x")
    assert ran.code == 1
    assert "FAILS   model:" in ran.out and "OPENAI_API_KEY" in ran.out


def test_demo_runs_without_any_download(leafward: Leafward) -> None:
    ran = leafward("demo", "-e", "lexical", "--keep", "kept")
    assert ran.code == 0, ran.err
    assert "Built a tree of" in ran.out and ran.out.count("\n? ") == 3
    assert leafward("verify", "kept").code == 0


def test_demo_as_json_leaves_nothing_behind(leafward: Leafward) -> None:
    told = shaped(shapes.DemoOut, leafward("demo", "-e", "lexical", "--json").json)
    assert len(told["answers"]) == 3 and all(answer["hits"] for answer in told["answers"])
    assert told["kept"] is False and not Path(told["index"]).exists()
