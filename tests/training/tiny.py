"""A language model of a few thousand weights, made here from a seed: it loads in no time."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

TEMPLATE = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] "
    "+ '<|im_end|>\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}"
    "{% endif %}"
)


_MISSING = [
    name for name in ("torch", "transformers", "tokenizers", "safetensors") if not find_spec(name)
]

needs_torch = pytest.mark.skipif(
    bool(_MISSING), reason=f"not installed (extra train): {', '.join(_MISSING)}"
)


def make_checkpoint(folder: Path, *, seed: int = 0, texts: tuple[str, ...] = ()) -> Path:
    """Write a random two-layer Llama with a byte-level tokenizer.

    Args:
        texts: become one token each, of which the model says one at random, so that it can be
            taught which.
    """
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    tokenizer = _tokenizer(texts)
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=4096,
        tie_word_embeddings=True,
        eos_token_id=tokenizer.eos_token_id,
        bos_token_id=None,
        pad_token_id=None,
    )
    model = LlamaForCausalLM(config)
    if texts:
        _teach(model, list(range(len(tokenizer) - len(texts), len(tokenizer))))
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _teach(model: Any, said: list[int]) -> None:
    """Make some tokens about equally likely after anything, and all others unlikely."""
    import torch

    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for _ in range(60):
        seen = torch.randint(model.config.vocab_size, (8, 12))
        logits = model(input_ids=seen).logits.log_softmax(-1)
        optimiser.zero_grad()
        (-logits[..., said].mean()).backward()
        optimiser.step()


def _tokenizer(texts: tuple[str, ...]) -> Any:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    inner = Tokenizer(models.BPE({sign: n for n, sign in enumerate(alphabet)}, []))
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    inner.add_special_tokens(["<|im_start|>", "<|im_end|>"])
    inner.add_tokens(list(texts))
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=inner, eos_token="<|im_end|>")
    tokenizer.chat_template = TEMPLATE
    return tokenizer
