"""What a checkpoint says of itself beside its weights: how its policy is asked."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from leafward.errors import WeightsError
from leafward.evaluate.files import write_lines
from leafward.protocols import SearchEngine
from leafward.training.recipe import Recipe
from leafward.writing import Style

POLICY = "leafward.json"


class PolicyFile(BaseModel):
    """``leafward.json`` in a checkpoint. A policy is asked as it was trained."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    syntax: str
    reasoning: bool
    shots: int
    prefilled: bool
    max_tokens: int
    reward: str = ""
    start: str = ""
    step: int = 0

    @classmethod
    def of(cls, style: Style, *, max_tokens: int, reward: str, start: str) -> PolicyFile:
        """What is kept of a style; the schema of a database is its engine's to tell."""
        return cls(
            syntax=style.syntax,
            reasoning=style.reasoning,
            shots=style.shots,
            prefilled=style.prefilled,
            max_tokens=max_tokens,
            reward=reward,
            start=start,
        )

    def style(self, engine: SearchEngine) -> Style:
        """The style for an engine, which need not be the one it was trained on."""
        return Style.of(
            engine, reasoning=self.reasoning, shots=self.shots, prefilled=self.prefilled
        )

    def write(self, folder: Path) -> None:
        """Write it into a checkpoint."""
        write_lines(folder / POLICY, [self.model_dump_json(indent=2)])


def policy_of(style: Style, recipe: Recipe) -> PolicyFile:
    """What is kept of a run's style and recipe."""
    return PolicyFile.of(
        style,
        max_tokens=recipe.rollout.max_tokens,
        reward=recipe.reward,
        start=recipe.model,
    )


def read_policy_file(folder: Path) -> PolicyFile | None:
    """What a checkpoint says of itself; None where it was not trained here.

    Raises:
        WeightsError: it is there and cannot be read.
    """
    try:
        return PolicyFile.model_validate_json((folder / POLICY).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError, ValidationError) as error:
        raise WeightsError(
            f"{folder / POLICY} cannot be read: {error}",
            hint="copy the checkpoint again from its run",
        ) from error
