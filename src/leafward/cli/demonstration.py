"""What ``leafward demo`` does, step by step."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from leafward.cli.building import Job, build_index
from leafward.cli.flags import Building, Common
from leafward.cli.output import print_rich, print_shape

if TYPE_CHECKING:
    from leafward.cli.shapes import DemoAnswerOut
    from leafward.library import Index, IndexReport
    from leafward.settings import Settings
    from leafward.types import SearchResult

QUESTIONS = (
    "How do I run some code whatever happens, even after a failure?",
    "How does Python clean up memory I no longer need?",
    "How do I write a number in base sixteen?",
)
"""Asked in words that the pages which answer them do not use, and within an embedding's reach."""

_HITS = 3

_KEEP = "leafward demo --keep demo.leafward   keeps the index"
_NEXT = """\
  leafward index FOLDER my.leafward    your own .txt .md .html .pdf files
  --model openai:NAME                  a language model walks the tree; an embedding answers
                                       questions like these, but none that need reasoning
  leafward doctor                      what is installed, and what is missing"""


class Demonstration:
    """A build over Python's language reference and a few searches in it."""

    def __init__(self, settings: Settings, common: Common, index: Path, *, kept: bool) -> None:
        self._settings = settings
        self._common = common
        self._index = index
        self._kept = kept
        self._aloud = not common.json

    def run(self) -> None:
        """Build, show a little of the tree, ask, and say what to try next."""
        from leafward.library import open as open_index

        report = self._build()
        with open_index(self._index, settings=self._settings) as index:
            if self._aloud:
                self._show_tree()
            answers = [self._answer(index, question) for question in QUESTIONS]
        if self._aloud:
            self._say_next()
        else:
            self._print_json(report, answers)

    def _build(self) -> IndexReport:
        from leafward.corpus import language_reference

        documents = language_reference().documents
        self._say(
            f"Corpus: Python's own language reference, {len(documents)} passages from "
            "pydoc_data, as it came with this Python.\n"
            f"Embedding model: {self._settings.embedder}. Language model: "
            f"{self._settings.model or 'none, and no key'}.\n"
        )
        quiet = self._common.quiet or self._common.json
        job = Job(documents, self._index, self._settings, Building(), quiet=quiet)
        report = build_index(job)
        self._say(
            f"{'Found' if report.up_to_date else 'Built'} a tree of {report.nodes} nodes, "
            f"{report.depth} deep, over {report.documents} passages in {report.seconds:.1f} s. "
            "Its first level:\n"
        )
        return report

    def _show_tree(self) -> None:
        from leafward.cli.outline import outline
        from leafward.cli.tree_text import tree_text
        from leafward.store import Store

        with Store.open(self._index) as store:
            print_rich(tree_text(outline(store.snapshot(), depth=1)))

    def _answer(self, index: Index, question: str) -> DemoAnswerOut:
        from leafward.cli.convert import search_out
        from leafward.cli.shapes import DemoAnswerOut

        result = index.search(question, k=_HITS)
        if self._aloud:
            self._show(question, result)
        return DemoAnswerOut(question=question, **dict(search_out(result)))

    def _show(self, question: str, result: SearchResult) -> None:
        from leafward.cli.commands.search import print_result

        print(f"\n? {question}\n")
        print_result(result, quiet=False)

    def _say_next(self) -> None:
        ask = f'leafward search {self._index} "your question"'
        print("\nTry next:")
        print(f"  {ask if self._kept else _KEEP}\n{_NEXT}")

    def _print_json(self, report: IndexReport, answers: list[DemoAnswerOut]) -> None:
        from leafward.cli.shapes import DemoOut

        print_shape(
            DemoOut(
                index=str(self._index),
                kept=self._kept,
                embedder=self._settings.embedder,
                documents=report.documents,
                nodes=report.nodes,
                depth=report.depth,
                answers=answers,
            )
        )

    def _say(self, text: str) -> None:
        if self._aloud:
            print(text)
