"""Documents and metadata that a search must leave out, without building another tree.

    python examples/excluding.py

A node whose leaves are all left out is never shown to the judge, and one that has lost most of
them is described by what is left.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import leafward

NOTES = {
    "owls": ("Owls hunt mice at night with silent wings.", "animals", 2021),
    "cats": ("Cats purr when content, and hunt mice at night.", "animals", 2023),
    "bats": ("Bats find insects at night by their echo.", "animals", 2024),
    "ovens": ("An oven bakes bread at two hundred degrees.", "kitchen", 2023),
    "traps": ("A trap with cheese catches mice at night.", "kitchen", 2024),
}
QUESTION = "What catches mice at night?"


def main() -> None:
    documents = [
        leafward.Document(name, text, title=name, metadata={"topic": topic, "year": year})
        for name, (text, topic, year) in NOTES.items()
    ]
    with (
        tempfile.TemporaryDirectory() as scratch,
        leafward.build(documents, Path(scratch) / "notes.leafward", embedder="lexical") as index,
    ):
        searches = {
            "everything": index.search(QUESTION),
            "without cats": index.search(QUESTION, exclude=["cats"]),
            "kitchen only": index.search(QUESTION, where={"topic": "kitchen"}),
            "2023 or 2024": index.search(QUESTION, where={"year": [2023, 2024]}),
        }
        for name, result in searches.items():
            print(f"{name}: {', '.join(hit.doc_id for hit in result)}")


if __name__ == "__main__":
    main()
