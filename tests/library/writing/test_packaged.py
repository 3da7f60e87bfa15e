"""A query writer with a packaged model, as it runs on a machine without a key."""

from __future__ import annotations

import pytest
from tests.writing.fakes import FakeEngine

from leafward.errors import MissingExtra, WeightsError
from leafward.library.writing import QueryWriter
from leafward.settings import Settings
from leafward.writing.framing import ANSWER, THINK

MODEL = "smollm2-135m"


@pytest.mark.real_model
def test_a_small_model_goes_on_with_the_answer_that_was_begun() -> None:
    engine = FakeEngine("text", {})
    settings = Settings(offline=True)
    try:
        with QueryWriter(
            engine, f"local:{MODEL}", reasoning=False, prefilled=True, max_tokens=32,
            settings=settings,
        ) as writer:  # fmt: skip
            written = writer.write("yoga against low back pain", k=0, candidates=2)
    except (WeightsError, MissingExtra) as error:
        pytest.skip(f"{error.message}; {error.hint}")
    assert written.usage.calls == 2
    texts = [candidate.rewrite.expression for candidate in written.candidates]
    assert any(texts)
    assert not any(tag in text for text in texts for tag in (ANSWER, THINK, '{"query"'))
