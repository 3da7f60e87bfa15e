"""The values that every layer speaks: frozen dataclasses without behaviour that does I/O."""

from leafward.types.corpus import Document, Hit, MetaValue, Qrel, Query, Ranking
from leafward.types.evaluation import Collection, Outcome, Qrels
from leafward.types.invariants import depth_limit, tree_problems
from leafward.types.models import (
    NO_USAGE,
    Completion,
    JsonSchema,
    JsonValue,
    Message,
    Sampling,
    TokenLogprob,
    Usage,
)
from leafward.types.search import (
    Candidate,
    Judgement,
    PathStep,
    SearchHit,
    SearchResult,
    Slate,
    Step,
    StopReason,
    Trace,
)
from leafward.types.tree import Branch, Node, Tree, number
from leafward.types.writing import Episode, Flaw, FlawKind, Need, Rewrite, Score

__all__ = [
    "NO_USAGE",
    "Branch",
    "Candidate",
    "Collection",
    "Completion",
    "Document",
    "Episode",
    "Flaw",
    "FlawKind",
    "Hit",
    "JsonSchema",
    "JsonValue",
    "Judgement",
    "Message",
    "MetaValue",
    "Need",
    "Node",
    "Outcome",
    "PathStep",
    "Qrel",
    "Qrels",
    "Query",
    "Ranking",
    "Rewrite",
    "Sampling",
    "Score",
    "SearchHit",
    "SearchResult",
    "Slate",
    "Step",
    "StopReason",
    "TokenLogprob",
    "Trace",
    "Tree",
    "Usage",
    "depth_limit",
    "number",
    "tree_problems",
]
