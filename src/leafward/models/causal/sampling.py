"""Drawing completions: many prompts, several for each, one token of all at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from leafward.models.causal.model import CausalModel, Tensor, Tokens


@dataclass(slots=True)
class Sampled:
    """A completion as it was drawn: its last token may reach beyond the stop string.

    ``finished`` is False where it was cut off at the longest length.
    """

    tokens: Tokens = field(default_factory=list)
    text: str = ""
    finished: bool = False


def generate(
    model: CausalModel,
    prompts: Sequence[Tokens],
    *,
    count: int = 1,
    max_tokens: int,
    temperature: float = 0.0,
    stop: Sequence[str] = (),
    seed: int | None = None,
    abandoned: Callable[[], bool] = lambda: False,
) -> list[Sampled]:
    """Draw ``count`` completions for each prompt, those of the first prompt first.

    Args:
        temperature: 0 is greedy.
        stop: a completion ends with the token that completes one of these, which it keeps.
        seed: the same seed draws the same completions on the same machine.
        abandoned: asked before each token; True ends it at once.
    """
    import torch

    drawn = [Sampled() for _ in range(len(prompts) * count)]
    chance = None
    if temperature > 0:
        chance = torch.Generator(model.device)
        _ = chance.seed() if seed is None else chance.manual_seed(seed)
    with torch.no_grad():
        read = model.read(prompts).repeat(count)
        logits, rows = read.logits, drawn
        for number in range(max_tokens):
            tokens = _draw(logits, temperature, chance)
            _append(model, rows, tokens, stop)
            going = [place for place, each in enumerate(rows) if not each.finished]
            if number + 1 == max_tokens or not going or abandoned():
                break
            if len(going) <= len(rows) // 2:  # what is over costs as much as what goes on
                read.keep(going)
                rows = [rows[place] for place in going]
                tokens = [tokens[place] for place in going]
            seen = torch.ones(len(rows), 1, device=model.device)
            logits = model.follow(read, [[token] for token in tokens], seen)[:, -1]
    return drawn


def _draw(logits: Tensor, temperature: float, chance: Any) -> list[int]:
    import torch

    if temperature <= 0:
        best: list[int] = logits.argmax(-1).tolist()
        return best
    weights = (logits.float() / temperature).softmax(-1)
    found: list[int] = torch.multinomial(weights, 1, generator=chance)[:, 0].tolist()
    return found


def _append(
    model: CausalModel, drawn: Sequence[Sampled], tokens: Sequence[int], stop: Sequence[str]
) -> None:
    """Add a token to each completion that is not over yet."""
    for each, token in zip(drawn, tokens, strict=True):
        if each.finished:
            continue
        each.tokens.append(token)
        each.text = model.decode(each.tokens)
        each.finished = token in model.ends or any(string in each.text for string in stop)
