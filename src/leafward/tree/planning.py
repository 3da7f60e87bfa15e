"""What a build will ask of the model, estimated before anything is spent (tree-search §2.7)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from leafward.protocols import ChatModel
from leafward.settings import BuildSettings, Strategy
from leafward.tokens import estimate_tokens
from leafward.tree import describer, prompts
from leafward.tree.build import choose_strategy
from leafward.tree.coarse import PASSAGE_MEMBERS
from leafward.tree.hybrid import source_groups
from leafward.tree.levels import LEVELS
from leafward.tree.partition import entry_room
from leafward.tree.report import STAGES, Stage
from leafward.tree.sizes import FILL, Room, message_tokens
from leafward.tree.summaries import Passage, document_tokens, pack
from leafward.types import Document

_MOST_READ = 2_000  # documents that a plan reads; larger corpora are sampled evenly

# What answers look like, in tokens: measured on the prompts' own limits, not on one model.
_PER_WORD = 1.4
_LINE = 6  # quotes, count and line end around a keyword
_SUMMARIES_ANSWER = 75  # five summaries as JSON
_CLUSTER_ANSWER = 50  # name and description of a cluster
_DESCRIPTION_ANSWER = 55
_NEIGHBOUR = 8
_GROUP_HEAD = 55  # name and description of a group as the summariser reads it
_SPREAD = (0.6, 1.0, 1.4)  # sizes of clusters around their mean
_DISTINCT = (0.7, 0.85, 0.95, 1.0, 1.0)  # n items have n^x distinct summaries at a level


@dataclass(frozen=True, slots=True)
class StagePlan:
    """Expected calls and tokens of one stage."""

    name: Stage
    calls: int
    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True, slots=True)
class Plan:
    """Expected cost of a build whose answers are not in the cache, before any repair."""

    strategy: Strategy
    stages: tuple[StagePlan, ...]

    @property
    def calls(self) -> int:
        return sum(stage.calls for stage in self.stages)

    @property
    def prompt_tokens(self) -> int:
        return sum(stage.prompt_tokens for stage in self.stages)

    @property
    def completion_tokens(self) -> int:
        return sum(stage.completion_tokens for stage in self.stages)


def plan(documents: Sequence[Document], settings: BuildSettings, *, chat: ChatModel | None) -> Plan:
    """Estimate a build from its own prompts and a model of the tree's shape; asks nothing.

    Raises:
        SettingsError: as :func:`build_tree`.
    """
    strategy = choose_strategy(documents, settings, chat)
    estimate = _Estimate(settings, Room(chat.context_tokens if chat is not None else 0))
    if strategy != "model-free" and documents:
        estimate.documents(documents)
        estimate.tree(strategy, documents)
    return Plan(strategy, estimate.stages())


class _Estimate:
    """Adds up calls and tokens by stage; fractions are expected values."""

    def __init__(self, settings: BuildSettings, room: Room) -> None:
        self._settings, self._branching, self._room = settings, settings.branching, room
        self._entries = min(settings.cluster_context_tokens, entry_room(settings, room))
        self._spent: dict[Stage, list[float]] = {stage: [0.0, 0.0, 0.0] for stage in STAGES}
        self._child = 0.0

    def stages(self) -> tuple[StagePlan, ...]:
        return tuple(
            StagePlan(name, *(math.ceil(round(value, 6)) for value in spent))
            for name, spent in self._spent.items()
        )

    def documents(self, documents: Sequence[Document]) -> None:
        """Summaries of every distinct document, batched as the build will batch them."""
        distinct = list(dict.fromkeys((d.title, d.text) for d in documents))
        step = max(1, math.ceil(len(distinct) / _MOST_READ))
        most = document_tokens(self._settings, self._room)
        passages = [Passage.of(Document("", text, title), most) for title, text in distinct[::step]]
        scale = len(distinct) / len(passages)
        for batch in pack(passages, self._settings.summary_batch, self._room):
            prompt = message_tokens(prompts.summaries([(p.title, p.text) for p in batch]))
            self._add("summaries", scale, prompt, _SUMMARIES_ANSWER * len(batch))
        titles = sum(estimate_tokens(p.title) if p.title else 14 for p in passages)
        self._child = min(
            describer.CHILD_TOKENS, titles / len(passages) + _words(len(LEVELS) - 1) + _LINE
        )

    def tree(self, strategy: Strategy, documents: Sequence[Document]) -> None:
        if strategy == "bottom-up":
            self._bottom_up(len(documents))
        elif strategy == "hybrid":
            sizes = [len(group) for group in source_groups(documents, self._branching)]
            described = [size for size in sizes if size > 1]
            self._groups(len(described), sum(described) / max(1, len(described)))
            self._summarised(len(described), sum(described) / max(1, len(described)))
            self._grow(len(sizes), 1.0)
        else:
            self._grow(len({(d.title, d.text) for d in documents}), 1.0)

    def _grow(self, items: float, times: float) -> None:
        """The top-down build under ``times`` nodes of so many items each."""
        if items <= self._branching:
            return
        level = self._level(items)
        if level is None:
            groups = math.ceil(items / (FILL * self._branching))
            self._groups(groups * times, items / groups)
            self._summarised(groups * times, items / groups)
            self._grow(groups, times)
            return
        shown = items ** _DISTINCT[level]
        fewest = min(self._settings.min_clusters, self._branching)
        parts = max(fewest, min(self._branching, round(math.sqrt(shown))))
        bare = message_tokens(prompts.clusters([], fewest, self._branching))
        text = shown * _words(level)
        answer = text + shown * 4 + parts * _CLUSTER_ANSWER
        self._add("clustering", times, bare + text + shown * _LINE, answer)
        for share in _SPREAD:
            self._grow(share * items / parts, times * parts / len(_SPREAD))

    def _level(self, items: float) -> int | None:
        for level in reversed(range(len(LEVELS))):
            shown = items ** _DISTINCT[level]
            if shown > self._branching and shown * (_words(level) + _LINE + 1) <= self._entries:
                return level
        return None

    def _bottom_up(self, items: float) -> None:
        while items > self._branching:
            groups = math.ceil(items / (FILL * self._branching))
            self._groups(groups, items / groups)
            items = groups

    def _groups(self, groups: float, size: float) -> None:
        """Descriptions of groups with so many members each."""
        bare = message_tokens(prompts.describe([], [], None))
        near = min(describer.MOST_NEIGHBOURS, max(0, groups - 1))
        prompt = bare + size * (self._child + _LINE) + near * _NEIGHBOUR
        self._add("describing", groups, prompt, _DESCRIPTION_ANSWER)

    def _summarised(self, groups: float, members: float) -> None:
        """Summaries of groups that become items."""
        batch = self._settings.summary_batch
        bare = message_tokens(prompts.summaries([]))
        size = min(groups, batch)
        shown = _GROUP_HEAD + min(members, PASSAGE_MEMBERS) * _words(len(LEVELS) - 1)
        calls = groups / batch if groups > batch else min(groups, 1)
        self._add("summaries", calls, bare + size * shown, size * _SUMMARIES_ANSWER)

    def _add(self, stage: Stage, calls: float, prompt: float, completion: float) -> None:
        """So many calls of one kind, with the tokens of each."""
        for slot, value in enumerate((1.0, prompt, completion)):
            self._spent[stage][slot] += calls * value


def _words(level: int) -> float:
    """Expected tokens of a summary at a level."""
    return _PER_WORD * sum(LEVELS[level]) / 2
