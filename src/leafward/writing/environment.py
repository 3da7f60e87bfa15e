"""Needs × engine × reward: what a policy acts in. It knows no trainer."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from leafward.errors import SettingsError
from leafward.protocols import SearchEngine
from leafward.types import Episode, Need, Rewrite
from leafward.writing.executing import Executor, execute_for
from leafward.writing.outcomes import Executed, Execution, Failed, Refused
from leafward.writing.parsing import parse_completion
from leafward.writing.rewards import Reward, make_reward
from leafward.writing.rewards.parts import count_found, precision
from leafward.writing.styles import Prompt, Style


class Environment:
    """Scores completions by what the engine finds for the expressions in them.

    The same completions give the same episodes, in any order and any company: the policy is never
    punished for a failure of ours. Such an episode has no score, and :attr:`failures` counts it by
    its reason.
    """

    def __init__(
        self,
        needs: Sequence[Need],
        engine: SearchEngine,
        reward: Reward | str,
        *,
        style: Style | None = None,
        concurrency: int = 8,
        seed: int = 0,
    ) -> None:
        """Check that every need can be scored.

        Args:
            reward: as :func:`leafward.writing.rewards.make_reward` names it, or an object.
            style: how the policy is asked; with reasoning and without examples unless given.
            concurrency: expressions that the engine executes at once.
            seed: decides the order of :meth:`batch`.

        Raises:
            SettingsError: a need without what the reward compares with, ids that are not unique, or
                a style of another syntax than the engine's.
        """
        self.reward = make_reward(reward) if isinstance(reward, str) else reward
        self.style = style or Style.of(engine)
        if self.style.syntax != engine.syntax:
            raise SettingsError(
                f"the style is for {self.style.syntax}, the engine reads {engine.syntax}",
                hint="make the style with the engine's syntax",
            )
        self.needs = tuple(needs)
        self._by_id = _checked(self.needs, self.reward)
        self._seed = seed
        self._order: tuple[int, list[Need]] | None = None
        execute = execute_for(engine, k=self.reward.k, tables=self.reward.needs_gold)
        self._executor = Executor(execute, concurrency=concurrency)
        self.failures: Counter[str] = Counter()

    @property
    def executed(self) -> int:
        """Expressions that were sent to the engine so far; the others were remembered."""
        return self._executor.executed

    def need(self, need_id: str) -> Need:
        """A need by id.

        Raises:
            SettingsError: there is none.
        """
        try:
            return self._by_id[need_id]
        except KeyError:
            raise SettingsError(
                f"the environment has no need {need_id!r}",
                hint="give ids of the needs that it was made with",
            ) from None

    def prompt(self, need: Need | str) -> Prompt:
        """What the policy is asked for a need."""
        return self.style.prompt(self.need(need) if isinstance(need, str) else need)

    def batch(self, number: int, size: int) -> tuple[Need, ...]:
        """The needs of step ``number`` (from 0); a function of the seed, so that training resumes.

        Every need comes once in an epoch, in an order of the epoch's own; a batch may reach into
        the next epoch.
        """
        places = range(number * size, (number + 1) * size)
        return tuple(
            self._epoch(place // len(self.needs))[place % len(self.needs)] for place in places
        )

    async def step(self, completions: Sequence[str], needs: Sequence[Need | str]) -> list[Episode]:
        """Judge completions, the i-th of them for the i-th need; episodes in the same order.

        A completion is what came after the prompt's prefill, with the stop string that ended it.

        Raises:
            SettingsError: there are more of one than of the other, or an unknown id.
            LeafwardError: what no retry and no other expression would change (a damaged index, a
                budget, a refused key).
        """
        asked = [self.need(each) if isinstance(each, str) else each for each in needs]
        if len(asked) != len(completions):
            raise SettingsError(
                f"{len(completions)} completions for {len(asked)} needs",
                hint="give the need of each completion, also where several are for one need",
            )
        rewrites = [self.read(completion) for completion in completions]
        done = await self._executor.run(list(self._expressions(asked, rewrites)))
        episodes = [
            self._episode(need, completion, rewrite, done)
            for need, completion, rewrite in zip(asked, completions, rewrites, strict=True)
        ]
        self.failures.update(episode.failure for episode in episodes if episode.failure)
        return episodes

    async def rewards(
        self, completions: Sequence[str], needs: Sequence[Need | str]
    ) -> list[float | None]:
        """The rewards alone; None where our own failure left nothing to judge by."""
        return [episode.reward for episode in await self.step(completions, needs)]

    def read(self, completion: str) -> Rewrite:
        """Parse a completion as :meth:`step` does."""
        style = self.style
        return parse_completion(
            completion, syntax=style.syntax, reasoning=style.reasoning, prefill=style.prefill
        )

    def _expressions(self, needs: Sequence[Need], rewrites: Sequence[Rewrite]) -> list[str]:
        """What has to be executed: nothing of a completion whose format is wrong."""
        scored = [
            (need, rewrite)
            for need, rewrite in zip(needs, rewrites, strict=True)
            if rewrite.well_formed
        ]
        golds = [need.gold for need, _ in scored] if self.reward.needs_gold else []
        return golds + [rewrite.expression for _, rewrite in scored]

    def _episode(
        self, need: Need, completion: str, rewrite: Rewrite, done: Mapping[str, Execution]
    ) -> Episode:
        if not rewrite.well_formed:
            return Episode(need.id, completion, rewrite, self.reward.malformed())
        gold = done[need.gold] if self.reward.needs_gold else None
        execution = done[rewrite.expression]
        for each in (execution, gold):
            if isinstance(each, Failed):
                return Episode(need.id, completion, rewrite, None, failure=each.reason)
        if isinstance(execution, Refused):
            rewrite = replace(rewrite, problems=(*rewrite.problems, execution.flaw))
        found = execution if isinstance(execution, Executed) else None
        score = self.reward.score(need, found, gold if isinstance(gold, Executed) else None)
        episode = Episode(need.id, completion, rewrite, score)
        if score is None:
            return replace(episode, failure="the gold query has no whole result")
        return episode if found is None else _diagnosed(episode, need, found, self.reward.k)

    def _epoch(self, number: int) -> list[Need]:
        if self._order is None or self._order[0] != number:
            order = list(self.needs)
            random.Random(f"{self._seed}/{number}").shuffle(order)
            self._order = number, order
        return self._order[1]


def _diagnosed(episode: Episode, need: Need, found: Executed, k: int) -> Episode:
    """The episode with what shows a trick beside the reward."""
    if found.table is not None:
        return replace(episode, hits=found.hits, at_cap=found.table.truncated)
    return replace(
        episode,
        hits=found.hits,
        at_cap=found.hits >= k,
        found=count_found(found.ids, need.relevant, k),
        precision=precision(found.ids, need.relevant, k),
    )


def _checked(needs: Sequence[Need], reward: Reward) -> dict[str, Need]:
    """Needs by id."""
    if not needs:
        raise SettingsError("there are no needs", hint="give at least one need")
    by_id: dict[str, Need] = {}
    for need in needs:
        if need.id in by_id:
            raise SettingsError(
                f"two needs have the id {need.id!r}", hint="give every need an id of its own"
            )
        if not (need.gold.strip() if reward.needs_gold else need.relevant):
            lacking = "gold query" if reward.needs_gold else "relevant document"
            raise SettingsError(
                f"the need {need.id!r} has no {lacking}", hint="leave out needs without one"
            )
        by_id[need.id] = need
    return by_id
