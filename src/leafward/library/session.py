"""The models of one job, opened together and closed together."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from leafward.models import Budget, Meter, Stop, open_chat, open_embedder
from leafward.protocols import CallCache, Embedder
from leafward.settings import Settings

if TYPE_CHECKING:
    from leafward.models import OpenChat


@dataclass
class Session:
    """Opens chat model and embedder on first use, over one cache, one meter and one budget.

    ``model`` is None where no language model is configured.
    """

    settings: Settings
    model: str | None
    embedder_name: str
    cache: CallCache | None
    stop: Stop = field(default_factory=Stop)
    meter: Meter = field(default_factory=Meter)

    @cached_property
    def budget(self) -> Budget:
        return Budget(self.settings.budget)

    @cached_property
    def chat(self) -> OpenChat | None:
        if self.model is None:
            return None
        return open_chat(
            self.model,
            self.settings.models,
            cache=self.cache,
            budget=self.budget,
            meter=self.meter,
            stop=self.stop,
            cache_dir=self.settings.cache_dir,
            offline=self.settings.offline,
        )

    @cached_property
    def embedder(self) -> Embedder:
        return open_embedder(
            self.embedder_name,
            self.settings.models,
            cache=self.cache,
            budget=self.budget,
            meter=self.meter,
            stop=self.stop,
            cache_dir=self.settings.cache_dir,
            offline=self.settings.offline,
        )

    async def aclose(self) -> None:
        """Close what was opened."""
        if "chat" in self.__dict__ and self.chat is not None:
            await self.chat.aclose()
        close = getattr(self.__dict__.get("embedder"), "close", None)
        if close is not None:
            close()


def index_path(path: str | Path) -> Path:
    """The index directory as an absolute path, so that a later chdir does not move it."""
    return Path(path).expanduser().absolute()
