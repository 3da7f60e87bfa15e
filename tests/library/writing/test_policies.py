"""A trained checkpoint is asked as it was trained."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.training.tiny import make_checkpoint, needs_torch
from tests.writing.fakes import FakeEngine

from leafward import QueryWriter
from leafward.errors import WeightsError
from leafward.library.writing.policies import policy_of
from leafward.settings import ModelSettings, Settings
from leafward.training.policy_file import POLICY, PolicyFile
from leafward.writing import Style

STYLE = Style("pubmed", reasoning=False, prefilled=True)
TRAINED = PolicyFile.of(STYLE, max_tokens=3, reward="literature@200", start="local:x")


def test_other_models_have_no_policy_file(tmp_path: Path) -> None:
    assert policy_of(None) is None
    assert policy_of("openai:gpt-5-mini") is None
    with pytest.raises(WeightsError, match=r"no config\.json"):
        policy_of(f"checkpoint:{tmp_path}")
    (tmp_path / "config.json").touch()
    assert policy_of(str(tmp_path)) is None
    (tmp_path / POLICY).write_text("{")
    with pytest.raises(WeightsError, match="cannot be read"):
        policy_of(str(tmp_path))


@needs_torch
def test_a_checkpoint_brings_its_style_and_length(tmp_path: Path) -> None:
    folder = make_checkpoint(tmp_path / "best", texts=('3 of 20"}', '20 of 20"}'))
    TRAINED.write(folder)
    settings = Settings(models=ModelSettings(threads=1))
    with QueryWriter(FakeEngine(), str(folder), settings=settings) as writer:
        assert writer.style == STYLE
        written = writer.write("aspirin")
    assert written.well_formed
    assert written.expression in ("3 of 20", "20 of 20")
    assert written.usage.completion_tokens == 1
    with QueryWriter(FakeEngine(), str(folder), style=Style("pubmed"), settings=settings) as other:
        assert other.style == Style("pubmed")
