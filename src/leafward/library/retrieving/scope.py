"""How the methods of one retriever search: what they do not say themselves."""

from __future__ import annotations

from dataclasses import dataclass

from leafward.library.judging import resolve_judge
from leafward.library.opened import Opened
from leafward.settings import JudgeName, SearchSettings
from leafward.store import Where


@dataclass(frozen=True, slots=True)
class Scope:
    """What to search, and how.

    ``settings`` are those of judges and trees; limits on tokens, money and time in them are those
    of the whole retrieval. ``judge`` is what ``auto`` in a method means, ``where`` are conditions
    on metadata.
    """

    opened: Opened
    settings: SearchSettings
    judge: JudgeName = "auto"
    where: Where | None = None

    def judge_name(self, asked: JudgeName) -> JudgeName:
        """The judge of a method, resolved."""
        name = self.judge if asked == "auto" else asked
        return resolve_judge(name, self.opened.session.model)
