"""Asking every method for the needs compared on, and keeping what it answered."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from leafward.concurrency import map_drained
from leafward.evaluate.experiments.folder import file_name
from leafward.library.training.setting import Setting
from leafward.models import Stop
from leafward.protocols import ChatModel, Progress
from leafward.training.answers import Answer, AnswerFile, Method
from leafward.training.folder import RunFolder
from leafward.training.policy_file import read_policy_file
from leafward.training.recipe import OtherSpec
from leafward.training.report import BEFORE, TRAINED
from leafward.training.sharing import without_folders
from leafward.types import Episode, Need, Rewrite, Usage
from leafward.writing import Environment, Style
from leafward.writing.framing import ANSWER, END_ANSWER, key_of
from leafward.writing.instructions import EXAMPLES
from leafward.writing.methods import make_writer
from leafward.writing.writers import ExpressionWriter

if TYPE_CHECKING:
    from leafward.models.causal import CausalModel

FREE = {
    "need": "the need as it is",
    "all-words": "AND of all its words",
    "three-words": "AND of the first three words of its intervention, where it names one",
}
"""Methods that cost nothing, with what they write."""

_AT_ONCE = 25
"""Needs between two writes to the disk."""

_IN_FLIGHT = 8
"""Calls to another model at once."""

Ask = Callable[[Sequence[Need]], list[Answer]]
Opened = Callable[[OtherSpec], ChatModel]


@dataclass(frozen=True, slots=True)
class Comparing:
    """Answers of all methods of a recipe; ``load`` loads the start or a checkpoint into torch,
    ``chat`` opens another model."""

    setting: Setting
    load: Callable[[Path | None], CausalModel]
    chat: Opened
    progress: Progress
    stop: Stop

    def free(self) -> Iterator[Method]:
        """What costs nothing; of SQL there is no such thing."""
        if self.setting.style.syntax == "sql":
            return
        for label, about in FREE.items():
            if self.setting.style.syntax == "text":
                about = about.removeprefix("AND of ")
            yield self._method(label, about, {"method": label}, partial(self._free, label))

    def start(self) -> Iterator[Method]:
        """The model before training: asked as the policy will be, and with our examples."""
        style, shots = self.setting.style, len(EXAMPLES[self.setting.style.syntax])
        told = f"{without_folders(self.setting.recipe.model)} before training"
        loaded: list[CausalModel] = []

        def asked(style: Style) -> Ask:
            if not loaded:
                loaded.append(self.load(None))
            return self._greedy(loaded[0], style)

        for label, shown, about in (
            (BEFORE, style, f"{told}, asked as the policy is"),
            ("few-shot", replace(style, shots=shots), f"{told}, with our {shots} examples"),
        ):
            key = {"method": label, "model": self.setting.recipe.model, **_told(shown)}
            yield self._method(label, about, key, partial(asked, shown))

    def trained(self, folder: Path) -> Method:
        """The policy in a folder."""
        policy = read_policy_file(folder)
        step = 0 if policy is None else policy.step
        key = {"method": TRAINED, "step": step, **_told(self.setting.style)}
        about = f"the policy of step {step}"
        return self._method(
            TRAINED, about, key, lambda: self._greedy(self.load(folder), self.setting.style)
        )

    def others(self) -> Iterator[Method]:
        """Other models, by prompt."""
        for label, other in self.setting.recipe.compare.others.items():
            key = {"method": label, **other.model_dump()}
            how = "prefilled" if other.prefilled else "unaided"
            about = f"{without_folders(other.model)}, {other.method}, {how}"
            yield self._method(label, about, key, partial(self._other, other))

    def _method(
        self, label: str, about: str, key: Mapping[str, object], asker: Callable[[], Ask]
    ) -> Method:
        """Answers to all needs; only those that are not kept yet are asked for."""
        recipe, needs = self.setting.recipe, self.setting.needs.compared
        shared: dict[str, object] = {
            "engine": recipe.engine.model_dump(mode="json", exclude={"concurrency"}),
            "reward": recipe.compare.cutoff or recipe.reward,
            "max_tokens": recipe.rollout.max_tokens,
            "stop": recipe.prompt.stop,
        }
        path = RunFolder(recipe.out).compare / f"{file_name(label)}.jsonl"
        file = AnswerFile(path, {**shared, **key})
        by_id = {need.id: need for need in needs}
        missing = [by_id[each] for each in file.missing(list(by_id))]
        if missing:
            self._fill(label, file, missing, asker())
        return Method(label, about, {each: file.answers[each] for each in by_id})

    def _fill(self, label: str, file: AnswerFile, missing: Sequence[Need], ask: Ask) -> None:
        stage = f"comparing: {label}"
        self.progress.start(stage, len(missing))
        for start in range(0, len(missing), _AT_ONCE):
            self.stop.check()
            part = missing[start : start + _AT_ONCE]
            file.add(ask(part))
            self.progress.advance(stage, len(part))
        self.progress.finish(stage)

    def _greedy(self, model: CausalModel, style: Style) -> Ask:
        from leafward.training.drawing import draw

        recipe, environment = self.setting.recipe, self.setting.comparing(style)

        def ask(needs: Sequence[Need]) -> list[Answer]:
            drawn = draw(
                model,
                style,
                needs,
                lambda texts, asked: self._judged(environment, texts, asked),
                count=1,
                max_tokens=recipe.rollout.max_tokens,
                temperature=0.0,
                stops=recipe.prompt.stop,
            )
            return [
                Answer.of(episode, Usage(1, len(prompt), completion_tokens=len(completion)))
                for episode, prompt, completion in zip(
                    drawn.episodes, drawn.prompts, drawn.completions, strict=True
                )
            ]

        return ask

    def _free(self, label: str) -> Ask:
        return self._written(make_writer(label, self._plain(), _no_model))

    def _other(self, other: OtherSpec) -> Ask:
        style = replace(self._plain(), reasoning=other.reasoning, prefilled=other.prefilled)
        chat = self.chat(other)
        return self._written(
            make_writer(other.method, style, lambda: chat, max_tokens=other.max_tokens)
        )

    def _written(self, writer: ExpressionWriter) -> Ask:
        """Judge what a writer writes; a malformed completion stays one."""
        style = self._plain()
        environment = self.setting.comparing(style)

        async def rewrites(needs: Sequence[Need]) -> list[Rewrite]:
            return await map_drained(writer.write, needs, limit=_IN_FLIGHT)

        def ask(needs: Sequence[Need]) -> list[Answer]:
            written = self.setting.call(lambda: rewrites(needs))
            texts = [_completion(rewrite, style.syntax) for rewrite in written]
            episodes = self._judged(environment, texts, needs)
            return [
                Answer.of(replace(episode, rewrite=_both(rewrite, episode.rewrite)), rewrite.usage)
                for episode, rewrite in zip(episodes, written, strict=True)
            ]

        return ask

    def _plain(self) -> Style:
        return replace(self.setting.style, reasoning=False, prefilled=False, shots=0)

    def _judged(
        self, environment: Environment, texts: Sequence[str], needs: Sequence[Need]
    ) -> list[Episode]:
        return self.setting.call(lambda: environment.step(texts, needs))


def _completion(rewrite: Rewrite, syntax: str) -> str:
    """The completion that says a rewrite; an empty one where its own was malformed."""
    if not rewrite.well_formed:
        return ""
    return f"{ANSWER}{json.dumps({key_of(syntax): rewrite.expression})}{END_ANSWER}"


def _both(written: Rewrite, judged: Rewrite) -> Rewrite:
    """What was written, with what the engine said of it."""
    return judged if written.well_formed else written


def _told(style: Style) -> dict[str, object]:
    """What of a style decides answers."""
    return asdict(style)


def _no_model() -> ChatModel:
    raise AssertionError("a method that costs nothing asked for a model")
