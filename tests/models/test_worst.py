from __future__ import annotations

import pytest

from leafward.models.worst import upper_tokens, worst_case
from leafward.tokens import estimate_tokens
from leafward.types import Message, Sampling

ENGLISH = (
    "The trajectory diverges after four hundred steps because the learned model compounds its own"
    " errors; averaging an ensemble of rollouts keeps them within bounds."
)


@pytest.mark.parametrize(
    ("text", "tokens"),  # the larger count of Qwen2.5's and SmolLM2's vocabularies
    [
        (ENGLISH, 28),
        ("0123456789" * 4, 40),
        ("知识检索需要推理", 17),
        ("🙂🙃" * 5, 25),
        ("x = [1, 2, 3];" * 2, 22),
        ("IL-6, HLA-B27 and TNFRSF1A in CD4+ T cells", 22),
        (r"\frac{\partial^2 u}{\partial t^2} = c^2", 18),
    ],
)
def test_bounds_real_vocabularies(text: str, tokens: int) -> None:
    assert upper_tokens(text) >= tokens


def test_is_not_wildly_above_an_estimate() -> None:
    assert upper_tokens(ENGLISH) < 2.2 * estimate_tokens(ENGLISH)


def test_worst_case_counts_prompt_schema_and_completion() -> None:
    bare = worst_case([Message("user", "hi")], None, Sampling(max_tokens=10), None)
    schema = worst_case([Message("user", "hi")], {"type": "object"}, Sampling(max_tokens=10), None)
    assert (bare.calls, bare.completion_tokens, bare.money) == (1, 10, None)
    assert schema.prompt_tokens > bare.prompt_tokens + 5
