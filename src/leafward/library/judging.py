"""Which judge searches an index, from what the user asked for and what there is."""

from __future__ import annotations

from dataclasses import dataclass

from leafward.errors import SettingsError
from leafward.protocols import ChatModel, Embedder, Judge, Vectors
from leafward.search.judges.embedding import EmbeddingJudge
from leafward.search.judges.fused import FusedJudge
from leafward.search.judges.letters import LetterJudge
from leafward.search.judges.listwise import ListwiseJudge
from leafward.search.judges.screened import ScreenedJudge
from leafward.settings import JudgeName, SearchSettings

LETTER_WEIGHT, EMBEDDING_WEIGHT = 1.0, 0.5
"""How a small model's letters and the embeddings are fused: the best of those measured on hand-made
slates (two orders, MiniLM at half weight)."""


FUSED_SCREEN = 8
"""How many candidates of a slate a small model reads where nobody says otherwise: it was measured
on that many (letters in two orders, hand-made slates), and on a processor each one takes time."""

EMBEDDING_DEFAULTS = {"alpha": 0.0, "calibrate": False, "iterations": 100}
"""Search settings that suit the embedding judge. A cosine is the same on every slate, so there is
nothing to calibrate, and a leaf's own cosine says more than its path; a judge that costs nothing
may look at more. Chosen on train queries of StrategyQA's facts: with the settings for language
models tree search reaches .58 nDCG@10 there, with these .80, exact dense search .81."""


@dataclass(frozen=True, slots=True)
class Resources:
    """What judges can be made of; vectors are those of the tree (see EmbeddingJudge)."""

    chat: ChatModel | None
    embedder: Embedder
    node_vectors: Vectors
    leaf_vectors: Vectors


def resolve_judge(name: JudgeName, model: str | None) -> JudgeName:
    """What ``auto`` means: embeddings without a model, letters and embeddings for a local one."""
    if name != "auto":
        return name
    if model is None:
        return "embedding"
    return "fused" if model.startswith("local:") else "listwise"


def suited(settings: SearchSettings, judge: JudgeName) -> SearchSettings:
    """Settings with defaults that suit a resolved judge; what was set on purpose stays."""
    if judge != "embedding":
        return settings
    free = {
        field: value
        for field, value in EMBEDDING_DEFAULTS.items()
        if field not in settings.model_fields_set
    }
    return settings.model_copy(update=free)


def make_judge(name: JudgeName, resources: Resources, settings: SearchSettings) -> Judge:
    """The judge of this name.

    Raises:
        SettingsError: it needs a language model, and none is configured.
    """
    chat = resources.chat
    resolved = resolve_judge(name, chat.name if chat else None)
    embedding = EmbeddingJudge(resources.embedder, resources.node_vectors, resources.leaf_vectors)
    if resolved == "embedding":
        return embedding
    if chat is None:
        raise SettingsError(
            f"the {resolved} judge needs a language model",
            hint="name one: --model openai:MODEL, or --model local:qwen2.5-coder-1.5b",
        )
    screen = screened_to(resolved, settings)
    model = _model_judge(resolved, chat, settings.candidate_tokens)
    if screen is not None:
        model = ScreenedJudge(model, embedding, keep=screen)
    if resolved != "fused":
        return model
    return FusedJudge([(model, LETTER_WEIGHT), (embedding, EMBEDDING_WEIGHT)])


def screened_to(resolved: JudgeName, settings: SearchSettings) -> int | None:
    """To how many candidates a slate is cut before a language model reads it; None reads all."""
    return settings.screen or (FUSED_SCREEN if resolved == "fused" else None)


def _model_judge(name: JudgeName, chat: ChatModel, candidate_tokens: int) -> Judge:
    """A language model by itself: numbers from a strong one, letters from a small one."""
    if name == "listwise":
        return ListwiseJudge(chat, candidate_tokens=candidate_tokens)
    return LetterJudge(chat, candidate_tokens=candidate_tokens)
