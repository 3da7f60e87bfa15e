"""What tokens cost, where it is known."""

from __future__ import annotations

from dataclasses import dataclass, replace

from leafward.errors import SettingsError
from leafward.settings import ModelSettings
from leafward.types import Usage


@dataclass(frozen=True, slots=True)
class Prices:
    """US dollars per million tokens: prompt, prompt read from the provider's cache, completion."""

    prompt: float
    cached: float
    completion: float

    def money(self, usage: Usage) -> float:
        """Dollars for the tokens of a usage."""
        fresh = usage.prompt_tokens - usage.cached_tokens
        return (
            fresh * self.prompt
            + usage.cached_tokens * self.cached
            + usage.completion_tokens * self.completion
        ) / 1e6


FREE = Prices(0.0, 0.0, 0.0)

# LATTICE v2 (arXiv 2510.13217, May 2026), appendix B.7, whose experiments were billed at these.
# It gives no price for cached prompt tokens, so they count in full: too much if anything.
# Prices change: ModelSettings.price_* override every entry.
_KNOWN = {
    "gemini:gemini-2.5-flash": Prices(0.30, 0.30, 2.50),
    "gemini:gemini-3-flash": Prices(0.50, 0.50, 3.00),
    "gemini:gemini-3-flash-preview": Prices(0.50, 0.50, 3.00),
    "gemini:gemini-3.1-flash-lite": Prices(0.25, 0.25, 1.50),
    "gemini:gemini-3.1-flash-lite-preview": Prices(0.25, 0.25, 1.50),
}


def find_prices(spec: str, settings: ModelSettings, *, free: bool = False) -> Prices | None:
    """Prices of a model: those given, else those known; None where any of them is neither."""
    known = FREE if free else _KNOWN.get(spec)
    prompt = _first(settings.price_prompt, known.prompt if known else None)
    completion = _first(settings.price_completion, known.completion if known else None)
    if prompt is None or completion is None:
        return None
    cached = prompt if settings.price_prompt is not None or known is None else known.cached
    return Prices(prompt, _first(settings.price_cached, cached) or 0.0, completion)


def _first(given: float | None, known: float | None) -> float | None:
    return known if given is None else given


def with_money(usage: Usage, prices: Prices | None) -> Usage:
    """The same usage with what its tokens cost; None where prices are unknown."""
    return replace(usage, money=None if prices is None else prices.money(usage))


def prices_missing(spec: str) -> SettingsError:
    """What to say where a limit on money meets a model without known prices."""
    return SettingsError(
        f"a limit on money needs the prices of {spec}, which are not known",
        hint="give models.price_prompt and models.price_completion in dollars per million tokens"
        " (leafward.toml, or LEAFWARD_MODELS__PRICE_PROMPT and LEAFWARD_MODELS__PRICE_COMPLETION),"
        " or limit tokens instead",
    )
