"""The JSON that `train` prints; kept as :mod:`leafward.cli.shapes` is."""

from __future__ import annotations

from pydantic import Field

from leafward.cli.shapes import Shape


class TrainingPlanOut(Shape):
    """`leafward train --dry-run --json`."""

    name: str
    trainer: str = Field(description="plain, trl or verl")
    model: str
    engine: str
    reward: str
    out: str = Field(description="folder of the run")
    train_needs: int
    watched_needs: int = Field(description="held out to see when to stop")
    compared_needs: int = Field(description="those of the report, which decide nothing")
    prompt_tokens: int = Field(description="of a prompt, estimated, the mean")
    shared_tokens: int = Field(description="what of a prompt is the same for all needs")
    completions: int = Field(description="of a step")
    steps: int
    steps_done: int
    epochs: float = Field(description="how often each need comes")
    step_tokens: int = Field(description="read and drawn in a step, at most")
    total_completions: int
    seconds: float | None = Field(description="of the steps left; null before the first step")
    command: list[str] = Field(description="starts verl; empty for other trainers")


class TrainedMethodOut(Shape):
    """A method of the comparison; shares and means are over needs with a reward."""

    label: str
    about: str
    needs: int
    found: float | None = Field(description="share of needs with a relevant document found")
    reward: float | None
    format_wrong: float | None


class TrainingOut(Shape):
    """`leafward train --json`."""

    name: str
    out: str
    best: str = Field(description="the policy: `leafward write --model` takes this path")
    report: str
    steps: int
    best_step: int = Field(description="the step whose policy is in `best`")
    methods: list[TrainedMethodOut]
