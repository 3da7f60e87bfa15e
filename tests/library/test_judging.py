from __future__ import annotations

import pytest

from leafward.library.judging import resolve_judge, suited
from leafward.settings import JudgeName, SearchSettings


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


def test_embedding_judge_gets_settings_that_suit_it_unless_they_were_set() -> None:
    suited_settings = suited(SearchSettings(beam=3), "embedding")
    assert (suited_settings.alpha, suited_settings.calibrate) == (0.0, False)
    assert (suited_settings.iterations, suited_settings.beam) == (100, 3)
    chosen = SearchSettings(alpha=0.5, iterations=7)
    assert suited(chosen, "embedding").alpha == 0.5
    assert suited(chosen, "embedding").iterations == 7
    assert suited(chosen, "listwise") == chosen
