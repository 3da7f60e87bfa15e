"""The ready rules, on prompts of several shapes and on those that Leafward makes."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leafward.search.judges.letter_prompt import letter_messages
from leafward.search.judges.prompts import listwise_messages
from leafward.testing import ChatRequest, Noise, Reply, Rule, rules
from leafward.testing.rules.clusters import partition
from leafward.testing.rules.summaries import TOPICS, levels
from leafward.tree import prompts
from leafward.tree.levels import LEVELS, Entry
from leafward.types import Message, Query

MakeRequest = Callable[..., ChatRequest]
Answer = Callable[[Callable[[ChatRequest], Any], ChatRequest], Any]

CELLS = "Stem cells divide in the bone marrow, and cells that divide too often become tumours."
TAX = "Income tax is levied on income; income below a threshold is free of tax."


def plain_request(messages: Sequence[Message]) -> ChatRequest:
    """The request of a provider without schemas: only the prompt says what is asked."""
    return ChatRequest("m", tuple((m.role, m.content) for m in messages), {})


def overlap(query: str, candidate: str) -> float:
    return 0.9 if "gold" in candidate else 0.1


@pytest.mark.parametrize(
    "prompt",
    [
        f"[4] {CELLS}\n[7] {TAX}",
        f"Passage 4: {CELLS}\n\nPassage 7: {TAX}",
        f'<doc id="4">\n{CELLS}\n</doc>\n<doc id="7">\n{TAX}\n</doc>',
        f"4. {CELLS}\n7. {TAX}\n\nAnswer in JSON.",
        json.dumps({"id": 4, "text": CELLS}) + "\n" + json.dumps({"id": 7, "text": TAX}),
        json.dumps({"passages": [{"id": 4, "text": CELLS}, {"id": 7, "text": TAX}]}),
        f"[4] {json.dumps(CELLS)}\n[7] {json.dumps(TAX)}",
    ],
)
def test_summaries_read_any_list_of_passages(
    request_of: MakeRequest, answer_of: Answer, prompt: str
) -> None:
    answer = answer_of(rules.summaries, request_of("summaries", prompt))
    assert [entry["id"] for entry in answer["passages"]] == [4, 7]
    assert [entry["summaries"] for entry in answer["passages"]] == [levels(CELLS), levels(TAX)]


@given(st.text(max_size=300))
def test_summaries_keep_to_their_lengths(text: str) -> None:
    for summary, (fewest, most) in zip(levels(text), LEVELS, strict=True):
        assert fewest <= len(summary.split()) <= most, summary


def test_related_passages_share_broad_summaries() -> None:
    one, other = levels(CELLS), levels("Nerve cells do not divide, unlike other cells.")
    assert one[:2] == other[:2]
    assert one[2:] != other[2:]
    assert one[0] in TOPICS and "cells" in one[2].split()


def test_clusters_hold_every_line_once_within_the_range(
    request_of: MakeRequest, answer_of: Answer
) -> None:
    lines = [
        f"{word} number{n} ({n + 1})" for word in ("cells", "taxes", "stars") for n in range(5)
    ]
    prompt = "Make between 3 and 5 clusters.\n" + "\n".join(lines)
    answer = answer_of(rules.clusters, request_of("clusters", prompt))
    assert 3 <= len(answer["clusters"]) <= 5
    keywords = [keyword for cluster in answer["clusters"] for keyword in cluster["keywords"]]
    assert sorted(keywords) == sorted(line.rpartition(" ")[0] for line in lines)
    names = [cluster["name"] for cluster in answer["clusters"]]
    assert len(set(names)) == len(names)


@given(
    st.dictionaries(st.text(min_size=1, max_size=20), st.integers(1, 50), min_size=1, max_size=40),
    st.integers(1, 16),
)
def test_partitions_tile_and_have_as_many_parts(lines: dict[str, int], parts: int) -> None:
    found = partition(list(lines.items()), parts)
    assert len(found) == min(parts, len(lines)) and all(found)
    assert sorted(line for part in found for line in part) == sorted(lines.items())


def test_partitions_keep_shared_words_together_and_balance() -> None:
    lines = [(f"{word} x{n}", 1) for n in range(6) for word in ("cells", "stars")]
    found = partition(lines, 2)
    assert {frozenset(text.split()[0] for text, _ in part) for part in found} == {
        frozenset({"cells"}),
        frozenset({"stars"}),
    }


def test_descriptions_come_from_the_children_and_differ_from_neighbours(
    request_of: MakeRequest, answer_of: Answer
) -> None:
    prompt = f"[1] {json.dumps(CELLS)}\n[2] {json.dumps('cells of the heart muscle')}"
    alone = answer_of(rules.describe_group, request_of("describe_group", prompt))
    assert alone["name"].startswith("cells") and "marrow" in alone["description"]
    beside = f'Sibling groups: ["cells and more"]\n{prompt}'
    answer = answer_of(rules.describe_group, request_of("describe_group", beside))
    assert "cells" not in answer["name"].split() and "cells" in answer["description"]


def test_queries_come_from_the_passage(request_of: MakeRequest, answer_of: Answer) -> None:
    answer = answer_of(rules.query, request_of("query", f"Write a query.\n[1] {TAX}"))
    assert answer["query"].split()[:2] == ["income", "tax"]


def test_the_oracle_scores_every_candidate(request_of: MakeRequest, answer_of: Answer) -> None:
    request = request_of("slate_scores", 'Query: what?\n[12] a gold text\n[3] "nothing"')
    answer = answer_of(rules.oracle_judge(overlap), request)
    assert [(entry["id"], entry["score"]) for entry in answer["scores"]] == [(12, 90), (3, 10)]


def test_noise_is_that_of_the_formula() -> None:
    exact = Noise(contrast=0.5, slate=0.0, node=0.0).apply([0.2, 0.4, 0.9], "slate")
    assert exact == pytest.approx([0.2 - 0.15, 0.4 - 0.05, 1.0])
    slate = Noise(contrast=0.0, slate=0.2, node=0.0, seed=1).apply([0.4, 0.6], "slate")
    assert slate[1] - slate[0] == pytest.approx(0.2) and slate[0] != pytest.approx(0.4)
    many = [Noise(0.0, 0.0, 0.1, seed).apply([0.5], "slate")[0] for seed in range(2000)]
    mean = sum(many) / len(many)
    deviation = math.sqrt(sum((score - mean) ** 2 for score in many) / len(many))
    assert mean == pytest.approx(0.5, abs=0.01) and deviation == pytest.approx(0.1, abs=0.01)


@given(st.lists(st.floats(0, 1), max_size=20), st.text(max_size=5), st.integers(0, 3))
def test_noise_stays_in_range_and_repeats(relevance: list[float], key: str, seed: int) -> None:
    noise = Noise(seed=seed)
    scores = noise.apply(relevance, key)
    assert all(0 <= score <= 1 for score in scores)
    assert scores == noise.apply(relevance, key)


def test_noise_depends_on_prompt_and_seed(request_of: MakeRequest, answer_of: Answer) -> None:
    request = request_of("slate_scores", "Query: a\n[1] gold\n[2] b\n[3] c\n[4] d")
    other = request_of("slate_scores", "Query: b\n[1] gold\n[2] b\n[3] c\n[4] d")
    rule = rules.noisy_judge(overlap, Noise(seed=1))
    assert answer_of(rule, request) == answer_of(rule, request)
    assert answer_of(rule, request)["scores"] != answer_of(rule, other)["scores"]
    reseeded = rules.noisy_judge(overlap, Noise(seed=2))
    assert answer_of(rule, request)["scores"] != answer_of(reseeded, request)["scores"]


def letter_reply(rule: Callable[[ChatRequest], Reply | None], prompt: str) -> Reply:
    reply = rule(ChatRequest("m", (("user", prompt),), {"logprobs": True, "top_logprobs": 5}))
    assert reply is not None
    return reply


def test_letters_are_a_distribution_with_a_bias_to_the_first() -> None:
    reply = letter_reply(rules.letters(overlap), "Query: q\nA. lead\nB. gold\nC) tin\n")
    assert reply.text == "B"
    chances = {letter: math.exp(value) for letter, value in reply.distributions[0].items()}
    assert sum(chances.values()) == pytest.approx(1.0)
    assert chances["B"] / chances["A"] == pytest.approx(math.exp(0.8 / 0.2))
    biased = rules.letters(overlap, order_bias=2.0)
    assert letter_reply(biased, "Query: q\nA. lead\nB. gold\nC. tin").text == "A"
    assert letter_reply(biased, "Query: q\nA. gold\nB. lead\nC. tin").text == "A"


def test_rules_pass_on_what_is_not_theirs(request_of: MakeRequest) -> None:
    request = request_of("something", "[1] text")
    every: list[Rule] = [rules.summaries, rules.clusters, rules.describe_group, rules.query]
    every += [rules.oracle_judge(overlap), rules.letters(overlap)]
    assert [rule(request) for rule in every] == [None] * len(every)


def test_canned_answers_by_text_and_in_turn(request_of: MakeRequest) -> None:
    rule = rules.canned({"blue": "sky", "red": {"name": "fire"}, "odd": Reply("", refusal="no")})
    assert rule(request_of("x", "so blue")) == Reply("sky")
    assert rule(request_of("x", "red and more")) == Reply('{"name": "fire"}')
    assert rule(request_of("x", "odd")) == Reply("", refusal="no")
    assert rule(request_of("x", "green")) is None
    turns = rules.in_turn(["one", "two"], kind="query")
    asked = [turns(request_of(kind, "?")) for kind in ("query", "x", "query", "query")]
    assert asked == [Reply("one"), None, Reply("two"), None]


def test_leafwards_summary_prompt_is_understood(answer_of: Answer) -> None:
    request = plain_request(prompts.summaries([("Cells", CELLS), ("", TAX)]))
    assert request.kind == "summaries"
    answer = answer_of(rules.summaries, request)
    assert [entry["id"] for entry in answer["passages"]] == [1, 2]
    assert answer["passages"][1]["summaries"] == levels(TAX)


def test_leafwards_cluster_prompts_are_understood(answer_of: Answer) -> None:
    found = [
        Entry(text, (0,), 3) for text in ("stem cells", 'the "best" tax (old)', "from 2 to 9 stars")
    ]
    request = plain_request(prompts.clusters(found, 2, 3))
    assert request.kind == "clusters"
    answer = answer_of(rules.clusters, request)
    keywords = [keyword for cluster in answer["clusters"] for keyword in cluster["keywords"]]
    assert len(answer["clusters"]) == 2 and sorted(keywords) == sorted(e.text for e in found)
    names = [("Stars: bright ones", "of the sky"), ("Tax", "and money")]
    request = plain_request(prompts.place(names, found[1:]))
    assert request.kind == "clusters"
    answer = answer_of(rules.clusters, request)
    by_name = {cluster["name"]: cluster["keywords"] for cluster in answer["clusters"]}
    assert by_name == {"Stars: bright ones": ["from 2 to 9 stars"], "Tax": ['the "best" tax (old)']}


def test_leafwards_description_prompt_is_understood(answer_of: Answer) -> None:
    request = plain_request(prompts.describe([CELLS, "cells [2] of hearts"], ["cells"], "book"))
    assert request.kind == "describe_group"
    answer = answer_of(rules.describe_group, request)
    assert "cells" not in answer["name"] and "hearts" in answer["description"]


def test_leafwards_letter_prompt_is_understood() -> None:
    seen: list[tuple[str, str]] = []

    def score(query: str, candidate: str) -> float:
        seen.append((query, candidate))
        return 0.5

    messages = letter_messages(Query("q", "Why?\nReally.", "helpful"), ["one", "two (3)"])
    body = {"logprobs": True, "top_logprobs": 20}
    request = ChatRequest("m", tuple((m.role, m.content) for m in messages), body)
    reply = rules.letters(score)(request)
    assert reply is not None and reply.text == "A"
    assert seen == [("Why?\nReally.", "one"), ("Why?\nReally.", "two (3)")]


def test_leafwards_judge_prompt_is_understood(answer_of: Answer) -> None:
    seen: list[tuple[str, str]] = []

    def score(query: str, candidate: str) -> float:
        seen.append((query, candidate))
        return 0.25

    texts = ["one\n[7] not an entry", 'two "quoted"\n\nand more', "Query: three"]
    request = plain_request(listwise_messages(Query("q", "Why?\nQuery: because"), texts))
    assert request.kind == "slate_scores"
    answer = answer_of(rules.oracle_judge(score), request)
    assert [entry["id"] for entry in answer["scores"]] == [0, 1, 2]
    assert seen == [("Why?\nQuery: because", text) for text in texts]
