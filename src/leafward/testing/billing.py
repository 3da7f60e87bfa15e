"""Counts the tokens of a call from its real text, and what of its prompt a prefix cache held."""

from __future__ import annotations

import hashlib
from collections import OrderedDict

from leafward.testing.chat import ChatRequest, Reply
from leafward.testing.stats import Bill
from leafward.testing.words import count_tokens

_PER_MESSAGE = 4  # role and separators, as chat templates add them
_PER_ANSWER = 3
_BLOCK = 256  # characters; about the 64 tokens that servers cache by
_KEEP = 200_000  # blocks, oldest out first


class PrefixCache:
    """Remembers prompts block by block, each under the hash of all text up to its end."""

    def __init__(self) -> None:
        self._blocks: OrderedDict[bytes, None] = OrderedDict()

    def seen(self, model: str, text: str) -> int:
        """Characters at the start of a prompt that earlier prompts had too; remembers it."""
        running = hashlib.blake2b(model.encode("utf-8", "surrogatepass") + b"\0", digest_size=12)
        known, unbroken = 0, True
        for end in range(_BLOCK, len(text) + 1, _BLOCK):
            running.update(text[end - _BLOCK : end].encode("utf-8", "surrogatepass"))
            digest = running.digest()
            unbroken = unbroken and digest in self._blocks
            if unbroken:
                known = end
            self._blocks[digest] = None
            self._blocks.move_to_end(digest)
        while len(self._blocks) > _KEEP:
            self._blocks.popitem(last=False)
        return known


def prompt_tokens(request: ChatRequest) -> int:
    """Tokens of the messages with what a chat template adds."""
    each = (_PER_MESSAGE + count_tokens(content) for _, content in request.messages)
    return _PER_ANSWER + sum(each)


def bill(request: ChatRequest, reply: Reply, cache: PrefixCache) -> Bill:
    """What an answer costs, in tokens."""
    prompt = prompt_tokens(request)
    known = cache.seen(request.model, request.prompt)
    cached = min(count_tokens(request.prompt[:known]), prompt - 1)
    said = reply.text + (reply.refusal or "")
    completion = reply.completion_tokens
    return Bill(prompt, cached, count_tokens(said) if completion is None else completion)
