"""Services as opened engines, with what they answered kept on disk."""

from __future__ import annotations

from collections.abc import Sequence

from leafward.closing import AsyncClosing
from leafward.engines.pubmed import PubMedEngine
from leafward.engines.trials import TrialsEngine
from leafward.library.engines.names import ServiceKind
from leafward.library.keeping import keep_calls
from leafward.models import Stop
from leafward.settings import Settings
from leafward.store import CallCache
from leafward.types import Ranking

CACHE = "services.sqlite"


class OpenedService(AsyncClosing):
    """A service with its cache, which it closes both."""

    def __init__(self, engine: PubMedEngine | TrialsEngine, cache: CallCache | None) -> None:
        self.engine = engine
        self._cache = cache

    @property
    def name(self) -> str:
        """The name that opens it again."""
        return self.engine.name

    @property
    def syntax(self) -> str:
        """That of the engine."""
        return self.engine.syntax

    async def search(self, expression: str, *, k: int) -> Ranking:
        """As the engine does.

        Raises:
            QuerySyntaxError: the expression is malformed.
            EngineUnavailable: the service gave no answer within the deadline.
        """
        return await self.engine.search(expression, k=k)

    async def titles(self, doc_ids: Sequence[str]) -> list[str]:
        """Titles by id, in order; empty for an unknown one.

        Raises:
            EngineUnavailable: the service gave no answer within the deadline.
        """
        return await self.engine.titles(doc_ids)

    async def aclose(self) -> None:
        """Close connections and cache."""
        await self.engine.aclose()
        if self._cache is not None:
            self._cache.close()


def open_service(kind: ServiceKind, settings: Settings, stop: Stop | None) -> OpenedService:
    """A service, reached as the settings say."""
    cache = _open_cache(settings)
    make = PubMedEngine if kind == "pubmed" else TrialsEngine
    return OpenedService(make(settings.engines, cache=cache, stop=stop), cache)


def _open_cache(settings: Settings) -> CallCache | None:
    """What services answered lately; None where nothing is to be kept, or can be."""
    if not settings.engines.cache:
        return None
    return keep_calls(settings, CACHE, days=settings.engines.cache_days, what="services")
