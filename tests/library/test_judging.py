from __future__ import annotations

import pytest

from leafward.library.judging import JudgeName, resolve_judge


@pytest.mark.parametrize(
    ("asked", "model", "expected"),
    [
        ("auto", None, "embedding"),
        ("auto", "local:smollm2-135m", "fused"),
        ("auto", "openai:gpt-5-mini", "listwise"),
        ("letters", "openai:gpt-5-mini", "letters"),
        ("embedding", "openai:gpt-5-mini", "embedding"),
    ],
)
def test_what_auto_means(asked: JudgeName, model: str | None, expected: str) -> None:
    assert resolve_judge(asked, model) == expected
