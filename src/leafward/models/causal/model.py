"""Reading prompts and completions with a torch model, what they share only once.

Prompts of one style begin alike, and a group of completions has one prompt. Every token is read
once: the common beginning, then the rest of each prompt over the keys and values of the beginning,
then the completions over those of their prompt. Gradients flow back through all of it, so that the
result is that of reading each sequence whole, for a fraction of the work.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from leafward.models.causal.quiet import quiet
from leafward.types import Message

Tokens = list[int]
Tensor = Any
"""A torch.Tensor, which is not imported for its name."""


@dataclass(slots=True)
class Read:
    """Prompts that were read: ``cache`` of keys and values, ``logits`` ``[n, vocabulary]`` of what
    comes next, ``mask`` ``[n, length]`` of the tokens that count, ``lengths`` ``[n]``."""

    cache: Any
    logits: Tensor
    mask: Tensor
    lengths: Tensor

    def keep(self, rows: list[int]) -> None:
        """Let go of all other rows."""
        import torch

        places = torch.tensor(rows, device=self.mask.device)
        self.cache.batch_select_indices(places)
        self.mask, self.lengths = self.mask[places], self.lengths[places]

    def repeat(self, times: int) -> Read:
        """Each prompt ``times`` in a row; this object is used up."""
        if times > 1:
            self.cache.batch_repeat_interleave(times)
        return Read(
            self.cache,
            self.logits.repeat_interleave(times, 0),
            self.mask.repeat_interleave(times, 0),
            self.lengths.repeat_interleave(times, 0),
        )


class CausalModel:
    """A model with its tokenizer. It stays in evaluation mode, so that the probabilities that are
    differentiated are those that were sampled from."""

    def __init__(self, model: Any, tokenizer: Any) -> None:
        self.model = model
        self.tokenizer = tokenizer
        ends = {tokenizer.eos_token_id, *_listed(model.generation_config.eos_token_id)}
        self.ends = frozenset(end for end in ends if end is not None)
        """Tokens after which a completion is over."""
        self.pad: int = min(self.ends, default=0)
        accepted = inspect.signature(model.forward).parameters
        self._cache_name = "cache" if "cache" in accepted else "past_key_values"  # the older name

    @property
    def device(self) -> Any:
        """Where it computes."""
        return self.model.device

    @property
    def context_tokens(self) -> int:
        """Prompt and completion together may not be longer than this."""
        return int(self.model.config.max_position_embeddings)

    def text(self, turns: Sequence[Message]) -> str:
        """A conversation in the model's chat template, up to where the model goes on.

        A last turn of the assistant is the beginning of its answer.
        """
        prefill = turns[-1].content if turns[-1].role == "assistant" else ""
        asked = turns[:-1] if prefill else turns
        text: str = self.tokenizer.apply_chat_template(
            [{"role": turn.role, "content": turn.content} for turn in asked],
            tokenize=False,
            add_generation_prompt=True,
        )
        return text + prefill

    def encode(self, turns: Sequence[Message]) -> Tokens:
        """A conversation as tokens; see :meth:`text`."""
        tokens: Tokens = self.tokenizer(self.text(turns), add_special_tokens=False)["input_ids"]
        return tokens

    def decode(self, tokens: Sequence[int]) -> str:
        """Tokens as text, without special ones."""
        text: str = self.tokenizer.decode(
            tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False
        )
        return text

    def read(self, prompts: Sequence[Tokens]) -> Read:
        """Read prompts of at least two tokens each."""
        import torch
        from transformers import DynamicCache

        cache = DynamicCache(config=self.model.config)
        shared = _common(prompts)
        if shared:
            self._forward([prompts[0][:shared]], cache, keep=1)
            cache.batch_repeat_interleave(len(prompts))
        width = max(map(len, prompts)) - shared
        rows = [[self.pad] * (width - len(each) + shared) + each[shared:] for each in prompts]
        lengths = torch.tensor([len(each) for each in prompts], device=self.device)
        places = torch.arange(shared, shared + width, device=self.device)
        mask = places >= (shared + width - (lengths - shared))[:, None]
        beginning = mask.new_ones(len(prompts), shared)
        mask = torch.cat([beginning, mask], 1).long()
        positions = (mask.cumsum(1) - 1).clamp(min=0)[:, shared:]
        logits = self._forward(rows, cache, mask=mask, positions=positions, keep=1)
        return Read(cache, logits[:, -1], mask, lengths)

    def follow(self, read: Read, rows: Sequence[Sequence[int]], seen: Tensor) -> Tensor:
        """Logits ``[n, length, vocabulary]`` after each token of rows of one length.

        Args:
            seen: ``[n, length]`` of the tokens that count; they are added to ``read``.
        """
        import torch

        offset = read.mask.sum(1, keepdim=True)
        read.mask = torch.cat([read.mask, seen.long()], 1)
        positions = offset + (seen.long().cumsum(1) - 1).clamp(min=0)
        return self._forward(rows, read.cache, mask=read.mask, positions=positions)

    def log_probabilities(
        self, prompts: Sequence[Tokens], completions: Sequence[Tokens], *, temperature: float = 1.0
    ) -> tuple[Tensor, Tensor]:
        """Natural-log probabilities ``[n, length]`` of the tokens of completions, with their mask.

        The first completions belong to the first prompt, equally many to each. Probabilities are
        those at ``temperature``, from which the tokens were sampled.
        """
        import torch

        read = self.read(prompts).repeat(len(completions) // len(prompts))
        width = max(map(len, completions))
        tokens = torch.tensor(
            [[*each, *[self.pad] * (width - len(each))] for each in completions],
            device=self.device,
        )
        counts = torch.tensor([len(each) for each in completions], device=self.device)
        mask = torch.arange(width, device=self.device) < counts[:, None]
        logits = read.logits[:, None]
        if width > 1:
            after = self.follow(read, tokens[:, :-1].tolist(), mask[:, :-1])
            logits = torch.cat([logits, after], 1)
        chances = (logits.float() / temperature).log_softmax(-1)
        return chances.gather(-1, tokens[..., None])[..., 0], mask

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write weights, configuration and tokenizer in Hugging Face's layout."""
        from transformers.utils import logging

        with quiet(logging):
            self.model.save_pretrained(folder, safe_serialization=True)
            self.tokenizer.save_pretrained(folder)

    def _forward(
        self,
        rows: Sequence[Sequence[int]],
        cache: Any,
        *,
        mask: Tensor | None = None,
        positions: Tensor | None = None,
        keep: int = 0,
    ) -> Tensor:
        import torch

        return self.model(
            input_ids=torch.tensor(rows, device=self.device),
            attention_mask=mask,
            position_ids=positions,
            use_cache=True,
            logits_to_keep=keep,
            **{self._cache_name: cache},
        ).logits


def _common(prompts: Sequence[Tokens]) -> int:
    """How many tokens all prompts begin with; fewer than the shortest has, so that each is asked
    for what comes next. A single prompt shares nothing."""
    if len(prompts) < 2:
        return 0
    most = min(map(len, prompts)) - 1
    return next((n for n in range(most) if len({each[n] for each in prompts}) > 1), most)


def _listed(value: int | list[int] | None) -> list[int]:
    return value if isinstance(value, list) else [] if value is None else [value]
