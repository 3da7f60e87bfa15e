"""Words, hashes and token counts of the scripted server; nothing here depends on the run."""

from __future__ import annotations

import hashlib
import random
import re
from collections import Counter
from collections.abc import Iterable

# One match is one token, and together the matches are the text again. Deliberately not
# `leafward.tokens`: a server that counted like its client could not show a wrong estimate.
_TOKEN = re.compile(r" ?(?:[A-Za-z]{1,7}|\d{1,3}|[^\w\s]|[^\W\dA-Za-z]{1,2})|\s+")
_SPACE = r"[\t-\r\x1c-\x1f\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]"  # but " "
_GAP = re.compile(rf"{_SPACE}(?: ?{_SPACE})* ?")
_KNOWN_WORDS = 200_000
_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_STOP_TEXT = """
    a about above after again all also although among an and any are as at be because been
    before being below between both but by can could did do does doing down during each either
    for from further had has have having he her here hers him his how however i if in into is it
    its just may me might more most must my neither no nor not of off on once only or other our
    out over own per same several shall she should since so some such than that the their them
    then there these they this those through thus to too under until up upon us use used using
    very via was we were what when where whether which while who whom why will with within
    without would you your it's don't let one two three
"""
_STOP = frozenset(_STOP_TEXT.split())


def tokens(text: str) -> list[str]:
    """Cut a text into tokens much as a byte-pair vocabulary would; joined they are the text."""
    return _TOKEN.findall(text)


class _WordTokens(dict[str, int]):
    """Tokens by word: prompts are long and repeat their words, and a look-up is fast."""

    def __missing__(self, word: str) -> int:
        if len(self) >= _KNOWN_WORDS:
            self.clear()
        count = self[word] = len(_TOKEN.findall(word))
        return count


_WORD_TOKENS = _WordTokens()


def count_tokens(text: str) -> int:
    """Number of tokens of a text: ``len(tokens(text))``, but fast."""
    if "  " in text:
        return len(_TOKEN.findall(text))
    inside = sum(map(_WORD_TOKENS.__getitem__, text.split()))
    # A space goes with the word behind it; what is left are line ends, and a space at the end.
    alone = text.endswith(" ") and not text[-2:-1].isspace()
    return inside + len(_GAP.findall(text)) + alone


def stable_hash(*parts: object) -> int:
    """64-bit hash of the parts' texts, the same in every process."""
    joined = "\x1f".join(map(str, parts)).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(joined, digest_size=8).digest(), "big")


def seeded(*parts: object) -> random.Random:
    """Random numbers that depend on the parts alone."""
    return random.Random(stable_hash(*parts))


def words(text: str) -> list[str]:
    """Words of a text in order, lower case."""
    return [match.lower() for match in _WORD.findall(text)]


def content_words(text: str) -> list[str]:
    """Words that say what a text is about, in order, with repetition; all words where none do."""
    every = words(text)
    return [word for word in every if word not in _STOP and len(word) > 2] or every


def leading_words(texts: Iterable[str], count: int) -> list[str]:
    """The most frequent content words, ties in order of appearance."""
    counts = Counter(word for text in texts for word in content_words(text))
    return [word for word, _ in counts.most_common(count)]


def plain(text: str) -> str:
    """Letters and digits only, lower case, single spaces: what comparisons of texts work on."""
    return " ".join(re.findall(r"\w+", text.lower()))
