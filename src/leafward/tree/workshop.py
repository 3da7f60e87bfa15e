"""What every builder works with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from leafward.protocols import Embedder, Progress, Vectors
from leafward.settings import BuildSettings
from leafward.tree.asker import Asker
from leafward.tree.describer import Describer
from leafward.tree.extractive import extractive
from leafward.tree.pool import Pool
from leafward.tree.report import Tally
from leafward.tree.signposts import Signposts
from leafward.tree.splitter import Splitter
from leafward.tree.summaries import Five, Passage, Summariser
from leafward.tree.text import clean
from leafward.tree.words import headline
from leafward.types import Document


@dataclass
class Workshop:
    """Documents, vectors, settings and tools of one build with a model."""

    documents: Sequence[Document]
    vectors: Vectors
    settings: BuildSettings
    embedder: Embedder
    asker: Asker
    tally: Tally
    progress: Progress
    extracted: set[int] = field(default_factory=set)

    @cached_property
    def signposts(self) -> Signposts:
        return Signposts(self.documents, self.vectors)

    @cached_property
    def splitter(self) -> Splitter:
        return Splitter(self.settings)

    @cached_property
    def summariser(self) -> Summariser:
        return Summariser(self.asker, self.settings, self.tally, self.progress)

    @cached_property
    def describer(self) -> Describer:
        return Describer(self.asker, self.settings, self.signposts, self.tally, self.progress)

    async def document_pool(self) -> Pool:
        """Every document as an item, summarised by the model or, where that fails, extracted."""
        most = self.summariser.document_tokens
        found = await self.summariser.summarise([Passage.of(d, most) for d in self.documents])
        self.extracted |= {number for number, five in enumerate(found) if five is None}
        summaries = tuple(
            five or extractive(self.signposts.lexicon, number, self.documents[number])
            for number, five in enumerate(found)
        )
        return pool_of(self.documents, summaries, self.vectors)


def pool_of(documents: Sequence[Document], summaries: Sequence[Five], vectors: Vectors) -> Pool:
    """Documents as items; a prompt shows each by its title and most specific summary."""
    return Pool(
        children=tuple(document.id for document in documents),
        signs=tuple(
            f"{clean(headline(document))}: {five[-1]}"
            for document, five in zip(documents, summaries, strict=True)
        ),
        summaries=tuple(summaries),
        members=tuple(np.arange(len(documents))[:, None]),
        vectors=vectors,
        height=0,
    )
