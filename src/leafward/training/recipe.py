"""What a training run is: one TOML file, checked before anything is loaded."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from leafward.errors import SettingsError
from leafward.evaluate.experiments.spec import Label
from leafward.writing import make_reward

TrainerName = Literal["plain", "trl", "verl"]
Advantage = Literal["group", "centred"]


def _reward(name: str) -> str:
    try:
        make_reward(name)
    except SettingsError as error:
        raise ValueError(f"{error.message} ({error.hint})") from error
    return name


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class EngineSpec(_Frozen):
    """Who executes expressions: an engine by name, or one that is made of corpora.

    With ``corpora`` the name is ``boolean`` or ``bm25``, and the engine is made in the run's folder
    at its first use; of two documents with one id the first counts.
    """

    name: str
    corpora: tuple[Path, ...] = ()
    concurrency: int = Field(8, ge=1, description="expressions executed at once")

    @model_validator(mode="after")
    def _made_or_named(self) -> EngineSpec:
        if self.corpora and self.name not in ("boolean", "bm25"):
            raise ValueError("an engine made of corpora is named boolean or bm25")
        if not self.corpora and self.name in ("boolean", "bm25"):
            raise ValueError(f"say {self.name}:INDEX, or give corpora to make it of")
        return self


class NeedsSpec(_Frozen):
    """The needs that are trained on; ``watch`` of them are held out to see when to stop."""

    source: Path
    split: str = "train"
    limit: int | None = Field(None, ge=2)
    watch: int = Field(100, ge=1)

    @model_validator(mode="after")
    def _some_left(self) -> NeedsSpec:
        if self.limit is not None and self.limit <= self.watch:
            raise ValueError("all of the limit would be held out: make watch smaller")
        return self


class PromptSpec(_Frozen):
    """How the policy is asked, in training and ever after."""

    reasoning: bool = True
    prefilled: bool = False
    shots: int = Field(0, ge=0)
    stop: bool = Field(
        True, description="end a prefilled answer at its closing quote; False lets the model go on"
    )


class RolloutSpec(_Frozen):
    """What is drawn in a step: ``group`` completions for each of ``needs`` needs."""

    needs: int = Field(4, ge=1)
    group: int = Field(8, ge=2)
    max_tokens: int = Field(500, ge=1)
    temperature: float = Field(0.8, gt=0)
    chunk: int = Field(0, ge=0, description="needs in one backward; 0 is all, fewer save memory")


class UpdateSpec(_Frozen):
    """How the policy moves."""

    steps: int = Field(100, ge=1)
    learning_rate: float = Field(1e-6, gt=0)
    kl: float = Field(0.0, ge=0, description="weight of the divergence from the start")
    measure_kl: int = Field(
        5, ge=1, description="steps between two measurements of the divergence where it weighs 0"
    )
    clip_norm: float = Field(1.0, gt=0)
    advantage: Advantage = "group"


class WatchSpec(_Frozen):
    """Every so many steps: greedy answers to the needs held out, and a checkpoint.

    ``patience`` ends training after so many watches without a better mean reward; 0 never does.
    """

    every: int = Field(10, ge=1)
    patience: int = Field(0, ge=0)
    batch: int = Field(25, ge=1, description="needs answered at once")


class ColdStartSpec(_Frozen):
    """Before the first step: the model's own completions that the reward liked are learned.

    They are drawn under a prompt with ``shots`` examples and learned under the recipe's prompt.
    """

    needs: int = Field(64, ge=1)
    samples: int = Field(8, ge=1)
    shots: int = Field(1, ge=0)
    temperature: float = Field(1.0, gt=0)
    above: float = Field(0.0, description="kept are completions with a higher reward")
    per_need: int = Field(2, ge=1, description="most that are kept of one need")
    epochs: int = Field(1, ge=1)
    batch: int = Field(8, ge=1)
    learning_rate: float = Field(5e-6, gt=0)


class LoraSpec(_Frozen):
    """Low-rank adapters (TRL); merged into the weights at the end."""

    rank: int = Field(16, ge=1)
    alpha: int = Field(32, ge=1)
    dropout: float = Field(0.0, ge=0, lt=1)
    targets: str = "all-linear"


class VerlSpec(_Frozen):
    """The paper's hyper-parameters (query-writing §5), and the machines."""

    critic_learning_rate: float = Field(1e-5, gt=0)
    batch: int = Field(64, ge=1, description="prompts in a step")
    mini_batch: int = Field(16, ge=1)
    micro_batch: int = Field(8, ge=1, description="on each GPU")
    prompt_tokens: int = Field(500, ge=16)
    epochs: int = Field(5, ge=1)
    gpus: int = Field(2, ge=0, description="of each machine")
    machines: int = Field(1, ge=1)
    rollout: str = "vllm"
    gpu_memory: float = Field(0.4, gt=0, lt=1, description="share of a GPU that rollouts may take")
    overrides: tuple[str, ...] = Field((), description="more of Hydra's KEY=VALUE, as they are")

    @model_validator(mode="after")
    def _divisible(self) -> VerlSpec:
        if self.batch % self.mini_batch:
            raise ValueError("batch is no multiple of mini_batch")
        return self


class OtherSpec(_Frozen):
    """Another model to set the policy beside; see :func:`leafward.writing.methods.make_writer`."""

    model: str
    method: Literal["zero-shot", "few-shot", "hyde"] = "zero-shot"
    reasoning: bool = False
    prefilled: bool = False
    max_tokens: int = Field(200, ge=1)


OWN = frozenset({"need", "all-words", "three-words", "zero-shot", "few-shot", "trained"})
"""Methods that every comparison has."""


class CompareSpec(_Frozen):
    """Needs that decide nothing in training, on which the policy is held against what was before
    it, what costs nothing, and ``others``."""

    source: Path | None = None
    split: str = "dev"
    limit: int | None = Field(400, ge=2)
    cutoff: str = Field("", description="a reward of another cut-off than the training's")
    others: dict[Label, OtherSpec] = {}

    @model_validator(mode="after")
    def _told_apart(self) -> CompareSpec:
        taken = [label for label in self.others if label.casefold() in OWN]
        if taken:
            raise ValueError(f"{taken[0]!r} is the name of a method that is always compared")
        return self


class Recipe(_Frozen):
    """A training run. Paths are relative to the file; ``out`` is ``NAME.run`` beside it unless
    given. ``device`` is ``auto``, ``cpu`` or ``cuda``; ``threads`` those of torch on a CPU, all
    cores unless given."""

    name: str = ""
    trainer: TrainerName = "plain"
    model: str
    engine: EngineSpec
    reward: Annotated[str, AfterValidator(_reward)]
    needs: NeedsSpec
    prompt: PromptSpec = PromptSpec()
    rollout: RolloutSpec = RolloutSpec()
    update: UpdateSpec = UpdateSpec()
    watch: WatchSpec = WatchSpec()
    compare: CompareSpec = CompareSpec()
    cold_start: ColdStartSpec | None = None
    lora: LoraSpec | None = None
    verl: VerlSpec | None = None
    out: Path = Path()
    seed: int = 0
    device: str = "auto"
    threads: int | None = Field(None, ge=1)

    @property
    def verl_spec(self) -> VerlSpec:
        """What is given for verl, else its defaults."""
        return self.verl or VerlSpec()

    @property
    def samples(self) -> int:
        """Completions of a step."""
        return self.rollout.needs * self.rollout.group

    @model_validator(mode="after")
    def _consistent(self) -> Recipe:
        if self.lora is not None and self.trainer != "trl":
            raise ValueError('the plain loop and verl train all weights: lora is for trainer="trl"')
        if self.verl is not None and self.trainer != "verl":
            raise ValueError('the table verl is for trainer="verl"')
        if self.cold_start is not None and self.trainer == "verl":
            raise ValueError("verl starts from a checkpoint: cold-start it with the plain loop")
        if self.prompt.prefilled and self.trainer == "verl":
            raise ValueError("verl's prompts end before the answer: prefilled is not for it")
        return self
