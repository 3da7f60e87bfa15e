"""A tree built and searched by a model behind any OpenAI-compatible server, within a budget.

python examples/compatible_server.py http://localhost:11434/v1 qwen3    (Ollama, vLLM, …)
python examples/compatible_server.py                                    (a scripted server)
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import leafward
from leafward.corpus import language_reference
from leafward.settings import BudgetSettings, BuildSettings, ModelSettings
from leafward.testing import ScriptedServer, rules, word_overlap

QUESTION = "How do I make my own class work with square brackets?"


def main(base_url: str, model: str) -> None:
    settings = leafward.Settings(
        model=f"openai:{model}",
        embedder="lexical",
        models=ModelSettings(base_url=base_url),
        build=BuildSettings(strategy="top-down", probe_documents=0),
        budget=BudgetSettings(calls=400, tokens=2_000_000),
    )
    documents = language_reference().documents[:120]
    bill = leafward.plan(documents, settings=settings)
    print(f"planned: {bill.plan.calls} calls, {bill.plan.prompt_tokens:,} tokens in")
    with (
        tempfile.TemporaryDirectory() as scratch,
        leafward.build(documents, Path(scratch) / "docs.leafward", settings=settings) as index,
    ):
        used = index.build_report.usage
        print(f"used:    {used.calls} calls, {used.prompt_tokens:,} tokens in")
        for hit in index.search(QUESTION, k=3):
            print(f"{hit.score:.3f}  {hit.title}  ({' › '.join(step.name for step in hit.path)})")
            print(f"       {hit.reasons[-1] if hit.reasons else ''}")


if __name__ == "__main__":
    if len(sys.argv) == 3:
        main(sys.argv[1], sys.argv[2])
    else:
        script = [rules.summaries, rules.clusters, rules.describe_group]
        with ScriptedServer(rules=[*script, rules.oracle_judge(word_overlap)]) as server:
            main(server.base_url, "scripted")
