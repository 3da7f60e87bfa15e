"""A small corpus with clear topics, for the tests of the facade."""

from __future__ import annotations

from leafward.settings import BuildSettings, ModelSettings, Settings
from leafward.types import Document

TOPICS = {
    "rivers": "river water flood bank delta stream current estuary basin tributary",
    "bread": "flour yeast dough oven crust loaf baking salt knead proof",
    "stars": "telescope galaxy nebula orbit planet light mass gravity spectrum dust",
    "engines": "piston valve fuel cylinder torque exhaust gear crank spark oil",
    "law": "court judge appeal contract tort statute evidence jury verdict plea",
}


def corpus(each: int = 12) -> list[Document]:
    """``each`` documents a topic, all different, with topic and number as metadata."""
    documents = []
    for topic, words in TOPICS.items():
        terms = words.split()
        for number in range(each):
            text = " ".join(terms[(number + shift) % len(terms)] for shift in range(6))
            documents.append(
                Document(
                    f"{topic}-{number}",
                    f"{text} in case {number} of {topic}",
                    title=f"{topic.title()} {number}",
                    metadata={"topic": topic, "number": number},
                )
            )
    return documents


def settings(base_url: str | None = None, **build: object) -> Settings:
    """Settings that need no download; with ``base_url`` for a scripted server."""
    models = ModelSettings.model_validate(
        {"base_url": base_url, "api_key": "none" if base_url else None, "total_deadline": 10}
    )
    return Settings(
        embedder="lexical",
        build=BuildSettings.model_validate({"branching": 8, **build}),
        models=models,
    )
