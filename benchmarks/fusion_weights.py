"""How BM25, dense and tree are weighed against each other: chosen on train, shown on test.

    python -m benchmarks.fusion_weights [--queries 150]

Chosen, by mean nDCG@10 over the three training sets (each counts the same; nothing is chosen on
test): the weights of ``hybrid``; and the power with which the adaptive weights of ``tree++``
follow how peaked a source is (0 is fixed weights), on top of the paper's 0.6/0.2/0.2. Shown beside
them: the fixed weights that are best on the same training queries.

The tree is walked by two judges. *embedding* is the zero-key default, whose tree search sees what
dense sees. *simulated* is the noisy oracle of benchmarks/ablation.py, which knows the qrels and
stands in for a language model: it says how weights behave beside a source that is better than the
others and errs as a listwise judge does, and nothing of any language model. The power is chosen on
both together, because a user of ``tree++`` may have either. Differences on test are paired by
query, with 95 % bootstrap intervals and Holm's correction over all rows of a table.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.ablation import NOISE, Floats, simulated
from benchmarks.data import Collection, load, model_free_tree
from benchmarks.machine import save
from leafward.engines import Bm25Engine, DenseEngine
from leafward.evaluate import Measures, bootstrap, compare
from leafward.library.judging import suited
from leafward.library.vectors import leaf_order, node_vectors
from leafward.models import open_embedder
from leafward.protocols import Judge
from leafward.search import EmbeddingJudge, NoisyOracleJudge, search_one
from leafward.search.fusion import adapted, weighted
from leafward.settings import ModelSettings, SearchSettings
from leafward.types import Hit, Query, Ranking, Tree

TRAIN = {"scifact": "train", "strategyqa_facts": "train", "nfcorpus_orig": "dev"}
TEST = dict.fromkeys(TRAIN, "test")
JUDGES = ("embedding", "simulated")
PAPER = (0.6, 0.2, 0.2)
POWERS = (0.0, 0.5, 1.0, 2.0, 3.0, 4.0)
HYBRIDS = tuple((round(share / 10, 1), round(1 - share / 10, 1)) for share in range(1, 10))
FIFTHS = [row for row in itertools.product(range(6), repeat=3) if sum(row) == 5]
FIXED = tuple((tree / 5, bm25 / 5, dense / 5) for tree, bm25, dense in FIFTHS)
DEPTH = 1000
MEASURE = "nDCG@10"

Hits = tuple[Hit, ...]
PerQuery = dict[str, float]


@dataclass(frozen=True, slots=True)
class Found:
    """What every source found for every query of a split, in the order of the queries."""

    collection: Collection
    sources: Mapping[str, Sequence[Hits]]

    def scored(self, fuse: Callable[[Sequence[Hits]], Hits], names: Sequence[str]) -> PerQuery:
        """nDCG@10 by query id of the named sources, fused."""
        columns = [self.sources[name] for name in names]
        run = {
            query.id: Ranking(fuse([column[row] for column in columns])[:10], query.id)
            for row, query in enumerate(self.collection.queries)
        }
        return Measures([MEASURE]).per_query(self.collection.qrels, run)[MEASURE]


def find(name: str, split: str, limit: int | None) -> Found:
    """Every source's best hits for the queries of a split."""
    collection = load(name, split, limit=limit)
    tree = model_free_tree(collection)
    sources = {**flat(collection), **trees(collection, tree)}
    print(f"{name} {split}: {len(collection.queries)} queries", flush=True)
    return Found(collection, sources)


def flat(collection: Collection) -> dict[str, list[Hits]]:
    """BM25 and dense."""
    ids = [document.id for document in collection.documents]
    dense = DenseEngine(collection.vectors, ids, open_embedder("minilm", ModelSettings()))
    with tempfile.TemporaryDirectory() as folder:
        Bm25Engine.build(Path(folder) / "lexical", collection.documents)
        bm25 = Bm25Engine.open(Path(folder) / "lexical")
        words = [bm25.rank(query.text, k=DEPTH).hits for query in collection.queries]
    near = [dense.rank_vector(vector, k=DEPTH).hits for vector in collection.query_vectors]
    return {"bm25": words, "dense": near}


def trees(collection: Collection, tree: Tree) -> dict[str, list[Hits]]:
    """Tree search with each judge."""
    ids = [document.id for document in collection.documents]
    leaves = leaf_order(tree, ids, collection.vectors)
    embedder = open_embedder("minilm", ModelSettings())
    embedding = EmbeddingJudge(embedder, node_vectors(tree, leaves), leaves)
    noise = next(iter(NOISE.values()))
    free = suited(SearchSettings(), "embedding")
    found: dict[str, list[Hits]] = {judge: [] for judge in JUDGES}
    for row, query in enumerate(collection.queries):
        _, relevance = simulated(collection, tree, row)
        oracle = NoisyOracleJudge(partial(known, relevance), noise)
        found["embedding"].append(walked(tree, query, embedding, free))
        found["simulated"].append(walked(tree, query, oracle, SearchSettings()))
    return found


def known(relevance: Floats, query: Query) -> Floats:
    """The relevance of every node, whatever is asked."""
    return relevance


def walked(tree: Tree, query: Query, judge: Judge, settings: SearchSettings) -> Hits:
    """The hits of one tree search."""
    result = asyncio.run(search_one(tree, query, judge, settings, k=DEPTH))
    return tuple(Hit(hit.doc_id, hit.score) for hit in result)


def fuser(weights: Sequence[float], power: float = 0.0) -> Callable[[Sequence[Hits]], Hits]:
    """Fusion with fixed weights, or with weights that adapt."""
    return lambda sources: weighted(sources, adapted(sources, weights, power=power))


def macro(found: Sequence[Found], fuse: Callable[[Sequence[Hits]], Hits], first: str) -> float:
    """Mean over data sets of mean nDCG@10; ``first`` names the source before BM25 and dense."""
    names = [name for name in (first, "bm25", "dense") if name]
    return float(np.mean([np.mean(list(each.scored(fuse, names).values())) for each in found]))


def choose(train: Sequence[Found]) -> dict[str, dict[str, float]]:
    """Mean nDCG@10 on the training queries of everything there is to choose from."""
    return {
        "hybrid weights": {told(each): macro(train, fuser(each), "") for each in HYBRIDS},
        "power": {
            str(power): float(np.mean([macro(train, fuser(PAPER, power), j) for j in JUDGES]))
            for power in POWERS
        },
        **{
            f"fixed weights, {judge}": {
                told(each): macro(train, fuser(each), judge) for each in FIXED
            }
            for judge in JUDGES
        },
    }


def best(choices: Mapping[str, float]) -> str:
    """The best; of equals the first."""
    return max(choices, key=choices.__getitem__)


def told(weights: Sequence[float]) -> str:
    return "/".join(str(weight) for weight in weights)


def read(text: str) -> tuple[float, ...]:
    return tuple(float(part) for part in text.split("/"))


def hybrid_rows(found: Found, chosen: str, power: float) -> dict[str, PerQuery]:
    """BM25, dense and their fusion."""
    pair = ["bm25", "dense"]
    return {
        "bm25": found.scored(fuser([1.0]), ["bm25"]),
        "dense": found.scored(fuser([1.0]), ["dense"]),
        f"hybrid, fixed {chosen}": found.scored(fuser(read(chosen)), pair),
        "hybrid, adaptive": found.scored(fuser(read(chosen), power), pair),
    }


def tree_rows(found: Found, judge: str, power: float, fixed: str) -> dict[str, PerQuery]:
    """The tree alone and fused."""
    names = [judge, "bm25", "dense"]
    return {
        "tree": found.scored(fuser([1.0]), [judge]),
        f"tree++, fixed {told(PAPER)}": found.scored(fuser(PAPER), names),
        "tree++, adaptive": found.scored(fuser(PAPER, power), names),
        f"tree++, fixed as best on train {fixed}": found.scored(fuser(read(fixed)), names),
    }


def table(rows: Mapping[str, PerQuery], baseline: str) -> dict[str, object]:
    """Means with intervals, and differences to the baseline."""
    others = {name: values for name, values in rows.items() if name != baseline}
    differences = {each.name: each for each in compare(rows[baseline], others)}
    shown: dict[str, object] = {}
    for name, values in rows.items():
        numbers = np.array(list(values.values()))
        shown[name] = {"ndcg": float(numbers.mean()), "interval": asdict(bootstrap(numbers))}
        if name != baseline:
            shown[name] |= {f"against {baseline}": asdict(differences[name])}  # type: ignore[operator]
    return shown


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=150, help="training queries of a set")
    limit = parser.parse_args().queries
    choices = choose([find(name, split, limit) for name, split in TRAIN.items()])
    chosen = {name: best(values) for name, values in choices.items()}
    power = float(chosen["power"])
    test: dict[str, object] = {}
    for name, split in TEST.items():
        found = find(name, split, None)
        rows = hybrid_rows(found, chosen["hybrid weights"], power)
        test[f"{name}, hybrid"] = table(rows, f"hybrid, fixed {chosen['hybrid weights']}")
        for judge in JUDGES:
            fixed = chosen[f"fixed weights, {judge}"]
            rows = tree_rows(found, judge, power, fixed)
            test[f"{name}, tree++, {judge} judge"] = table(rows, f"tree++, fixed {told(PAPER)}")
    result = {"queries_a_training_set": limit, "chosen": chosen, "train": choices, "test": test}
    print(save("fusion_weights", result).read_text())


if __name__ == "__main__":
    main()
