"""What is shared is read once, and nothing else changes by it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.training.tiny import make_checkpoint, needs_torch

from leafward.models.causal import CausalModel, generate, load_causal
from leafward.types import Message

torch: Any = pytest.importorskip("torch", reason="torch is not installed (extra train)")
pytestmark = needs_torch

PROMPTS = [[5, 6, 7, 8, 9], [5, 6, 7, 1, 2, 3, 4], [5, 6, 7, 1, 2]]
COMPLETIONS = [[10, 11, 12], [13], [14, 15], [16, 17, 18, 19], [20, 21], [22]]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> CausalModel:
    folder = make_checkpoint(tmp_path_factory.mktemp("tiny"))
    return load_causal(str(folder), device="cpu", threads=1)


def plain(model: CausalModel, prompt: list[int], completion: list[int]) -> Any:
    """Log-probabilities of a completion, read whole and alone."""
    whole = torch.tensor([[*prompt, *completion]])
    logits = model.model(input_ids=whole).logits[0, len(prompt) - 1 : -1]
    chances = (logits / 0.7).log_softmax(-1)
    return chances.gather(-1, torch.tensor(completion)[:, None])[:, 0]


@pytest.mark.parametrize("prompts", [PROMPTS, PROMPTS[:1], [[1, 2], [3, 4, 5]], [[1, 2], [1, 2]]])
def test_probabilities_and_gradients_are_those_of_whole_sequences(
    model: CausalModel, prompts: list[list[int]]
) -> None:
    completions = COMPLETIONS[: 2 * len(prompts)]
    model.model.zero_grad()
    found, mask = model.log_probabilities(prompts, completions, temperature=0.7)
    (found * mask).sum().backward()
    gradients = [weight.grad.clone() for weight in model.model.parameters()]
    model.model.zero_grad()
    for place, completion in enumerate(completions):
        one = plain(model, prompts[place // 2], completion)
        assert torch.allclose(one, found[place][: len(completion)], atol=1e-5)
        one.sum().backward()
    for mine, weight in zip(gradients, model.model.parameters(), strict=True):
        assert torch.allclose(mine, weight.grad, atol=1e-4)
    assert mask.sum(1).tolist() == [len(each) for each in completions]


def test_greedy_completions_are_those_of_transformers(model: CausalModel) -> None:
    drawn = generate(model, PROMPTS, max_tokens=6)
    for prompt, mine in zip(PROMPTS, drawn, strict=True):
        theirs = model.model.generate(
            torch.tensor([prompt]), max_new_tokens=6, do_sample=False, pad_token_id=model.pad
        )[0, len(prompt) :]
        assert mine.tokens == theirs.tolist()


def test_a_seed_draws_the_same_whatever_was_drawn_before(model: CausalModel) -> None:
    def draw(seed: int) -> list[list[int]]:
        found = generate(model, PROMPTS, count=3, max_tokens=5, temperature=1.0, seed=seed)
        return [each.tokens for each in found]

    one = draw(1)
    torch.manual_seed(99)
    assert one == draw(1) != draw(2)
    assert len({tuple(tokens) for tokens in one}) > 3


def test_a_completion_ends_at_a_stop_string_or_at_the_longest_length(model: CausalModel) -> None:
    free = generate(model, PROMPTS[:1], max_tokens=8)[0]
    assert not free.finished
    assert len(free.tokens) == 8
    sign = free.text[2]
    stopped = generate(model, PROMPTS[:1], max_tokens=8, stop=(sign,))[0]
    assert stopped.finished
    assert sign in stopped.text
    assert sign not in model.decode(stopped.tokens[:-1])
    asked = iter([False, True])
    broken = generate(model, PROMPTS[:1], max_tokens=8, abandoned=lambda: next(asked))[0]
    assert len(broken.tokens) == 2


def test_the_end_token_ends_a_completion_and_is_no_text(
    model: CausalModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    end = next(iter(model.ends))
    said = iter([[65], [end], [66]])
    monkeypatch.setattr("leafward.models.causal.sampling._draw", lambda *_: next(said))
    (drawn,) = generate(model, PROMPTS[:1], max_tokens=8)
    assert (len(drawn.tokens), len(drawn.text), drawn.finished) == (2, 1, True)


def test_a_last_turn_of_the_assistant_is_gone_on_with(model: CausalModel) -> None:
    asked = [Message("system", "s"), Message("user", "ü?")]
    tokens = model.encode([*asked, Message("assistant", "so")])
    text = model.tokenizer.decode(tokens)
    assert text == (
        "<|im_start|>system\ns<|im_end|>\n<|im_start|>user\nü?<|im_end|>\n<|im_start|>assistant\nso"
    )
    assert tokens[: len(model.encode(asked))] == model.encode(asked)


def test_what_is_saved_is_loaded_again(model: CausalModel, tmp_path: Path) -> None:
    model.save(tmp_path / "again")
    again = load_causal(f"checkpoint:{tmp_path / 'again'}", device="cpu", threads=1)
    assert (tmp_path / "again" / "model.safetensors").is_file()
    for mine, theirs in zip(model.model.parameters(), again.model.parameters(), strict=True):
        assert torch.equal(mine, theirs)
    assert again.encode([Message("user", "x")]) == model.encode([Message("user", "x")])
