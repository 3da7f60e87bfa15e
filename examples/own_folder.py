"""Index a folder of your own files and ask a question, without any key.

    python examples/own_folder.py FOLDER "question" [EMBEDDER]

The index goes beside the folder and is reused: nothing is built where nothing has changed.
"""

from __future__ import annotations

import sys
from pathlib import Path

import leafward


def main(folder: Path, question: str, embedder: str = "minilm") -> None:
    with leafward.build(folder, folder.with_suffix(".leafward"), embedder=embedder) as index:
        report = index.build_report
        print(f"{report.documents} passages under {report.nodes} nodes, {report.depth} deep")
        for problem in report.problems:
            print(f"left out: {problem}")
        for rank, hit in enumerate(index.search(question, k=5), start=1):
            trail = " › ".join(step.name for step in hit.path)
            print(f"{rank}. {hit.score:.3f}  {hit.title or hit.doc_id}\n   {trail}")


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    main(Path(sys.argv[1]), *sys.argv[2:])
