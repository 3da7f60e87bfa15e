"""Zero-shot rewriters: a better query, a hypothetical document, or a query with its answer."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, StringConstraints

from leafward.protocols import ChatModel
from leafward.structured import Answer, ask
from leafward.tokens import cut_tokens, estimate_messages
from leafward.types import Query, Rewrite, Sampling
from leafward.writing import prompts

ANSWER_TOKENS = 400
SAFETY = 1.15  # estimates of prompt tokens are that far off at most
REPEATS = 5
"""How often query2doc repeats the query before a passage that is some thirty times as long, so that
its terms keep their weight with BM25 (the paper's n)."""

_Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class Rewriter(Protocol):
    """Writes the expression that an engine executes."""

    async def rewrite(self, query: Query) -> Rewrite:
        """Rewrite a query.

        Raises:
            ModelError, BudgetExceeded, Interrupted: as :meth:`leafward.protocols.ChatModel`.
        """


class RewrittenQuery(BaseModel):
    """What the model is asked for."""

    model_config = ConfigDict(title="rewritten_query")

    reasoning: str = ""
    rewritten: _Text


class Passage(BaseModel):
    """What the model is asked for."""

    model_config = ConfigDict(title="passage")

    passage: _Text


_Shape = TypeVar("_Shape", bound=BaseModel)


class PlainRewriter:
    """Reasons about the need, then says it in the words of the documents that meet it."""

    def __init__(self, chat: ChatModel) -> None:
        self._chat = chat

    async def rewrite(self, query: Query) -> Rewrite:
        """Rewrite a query."""
        answer = await _asked(self._chat, prompts.REWRITE, query, RewrittenQuery)
        return Rewrite(answer.value.rewritten, answer.value.reasoning, answer.usage)


class Hyde:
    """A hypothetical document instead of the query (Gao et al., HyDE, ACL 2023).

    The paper averages the embeddings of several sampled documents and the query; this is one
    document, at temperature 0, so that a repeat costs nothing.
    """

    def __init__(self, chat: ChatModel) -> None:
        self._chat = chat

    async def rewrite(self, query: Query) -> Rewrite:
        """Rewrite a query."""
        answer = await _asked(self._chat, prompts.HYDE, query, Passage)
        return Rewrite(answer.value.passage, usage=answer.usage)


class Query2Doc:
    """The query followed by a passage that answers it (Wang et al., query2doc, EMNLP 2023).

    For BM25 the query stands :data:`REPEATS` times before the passage. The paper shows the model
    four examples from its training set; this is zero-shot.
    """

    def __init__(self, chat: ChatModel) -> None:
        self._chat = chat

    async def rewrite(self, query: Query) -> Rewrite:
        """Rewrite a query."""
        answer = await _asked(self._chat, prompts.QUERY2DOC, query, Passage)
        passage = answer.value.passage
        return Rewrite(
            f"{query.text}\n{passage}",
            usage=answer.usage,
            words="\n".join([query.text] * REPEATS + [passage]),
        )


async def _asked(
    chat: ChatModel, instruction: str, query: Query, shape: type[_Shape]
) -> Answer[_Shape]:
    """Ask about a query, whose beginning is kept where all of it does not fit the context."""
    bare = prompts.messages(instruction, replace(query, text=""))
    fixed = SAFETY * estimate_messages(bare)
    room = max(int((chat.context_tokens - ANSWER_TOKENS - fixed) / SAFETY), 16)
    shortened = replace(query, text=cut_tokens(query.text, room))
    return await ask(
        chat,
        prompts.messages(instruction, shortened),
        shape,
        sampling=Sampling(max_tokens=ANSWER_TOKENS),
    )
