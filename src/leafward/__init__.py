"""Leafward: retrieval for questions where relevance needs reasoning.

    import leafward

    index = leafward.build("papers/", "papers.leafward", model="openai:gpt-5-mini")
    for hit in index.search("why does my rollout diverge after step 400?", k=10):
        print(hit.score, hit.title, hit.path)

Names are loaded when they are first used, so that importing the package stays cheap.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from leafward.errors import LeafwardError
    from leafward.evaluate.experiments.comparing import compare_experiments
    from leafward.library import Index, abuild, build, doctor, open, plan, verify  # noqa: A004
    from leafward.library.engines import open_engine
    from leafward.library.evaluating import aevaluate_method, evaluate_method
    from leafward.library.experimenting import arun_experiment, run_experiment
    from leafward.library.explaining import aexplain, explain
    from leafward.library.writing import QueryWriter, Written, read_needs
    from leafward.settings import Settings
    from leafward.types import Document, Need, SearchHit, SearchResult

__version__ = "0.1.0"

_HOMES = {
    "Document": "leafward.types",
    "Index": "leafward.library",
    "LeafwardError": "leafward.errors",
    "Need": "leafward.types",
    "QueryWriter": "leafward.library.writing",
    "SearchHit": "leafward.types",
    "SearchResult": "leafward.types",
    "Settings": "leafward.settings",
    "Written": "leafward.library.writing",
    "abuild": "leafward.library",
    "aevaluate_method": "leafward.library.evaluating",
    "aexplain": "leafward.library.explaining",
    "arun_experiment": "leafward.library.experimenting",
    "build": "leafward.library",
    "compare_experiments": "leafward.evaluate.experiments.comparing",
    "doctor": "leafward.library",
    "evaluate_method": "leafward.library.evaluating",
    "explain": "leafward.library.explaining",
    "open": "leafward.library",
    "open_engine": "leafward.library.engines",
    "plan": "leafward.library",
    "read_needs": "leafward.library.writing",
    "run_experiment": "leafward.library.experimenting",
    "verify": "leafward.library",
}

__all__ = [
    "Document",
    "Index",
    "LeafwardError",
    "Need",
    "QueryWriter",
    "SearchHit",
    "SearchResult",
    "Settings",
    "Written",
    "__version__",
    "abuild",
    "aevaluate_method",
    "aexplain",
    "arun_experiment",
    "build",
    "compare_experiments",
    "doctor",
    "evaluate_method",
    "explain",
    "open",
    "open_engine",
    "plan",
    "read_needs",
    "run_experiment",
    "verify",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'leafward' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
