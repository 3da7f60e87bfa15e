"""Five summaries of a document made from its own key phrases, where no model made them."""

from __future__ import annotations

from itertools import islice

from leafward.tree.levels import LEVELS
from leafward.tree.lexicon import Lexicon
from leafward.tree.text import clean, cut_words
from leafward.tree.words import headline
from leafward.types import Document


def extractive(lexicon: Lexicon, index: int, document: Document) -> tuple[str, ...]:
    """Key phrases by TF-IDF, as many as each level has words for; broad to specific.

    A document without content words is summarised by its title, first words or id.
    """
    phrases = list(islice(lexicon.document_phrases(index), LEVELS[-1][1]))
    plain = clean(headline(document)) or document.id
    return tuple(_fill(phrases, most) or cut_words(plain, most) for _, most in LEVELS)


def _fill(phrases: list[str], most: int) -> str:
    taken: list[str] = []
    room = most
    for phrase in phrases:
        words = phrase.count(" ") + 1
        if words <= room:
            taken.append(phrase)
            room -= words
        if not room:
            break
    return ", ".join(taken)
