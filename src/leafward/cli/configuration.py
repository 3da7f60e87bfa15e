"""Settings of a command: flags win over ``LEAFWARD_…`` variables, they over the settings file."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leafward.cli.flags import Building, Configured, Limits, Models, Spending
from leafward.errors import SettingsError

if TYPE_CHECKING:
    from pydantic import ValidationError

    from leafward.settings import SearchSettings, Settings


def load_settings(
    configured: Configured,
    *,
    models: Models | None = None,
    building: Building | None = None,
    spending: Spending | None = None,
    limits: Limits | None = None,
) -> Settings:
    """Every setting of this run.

    Raises:
        SettingsError: the file is missing or no TOML, or a value is unknown or out of range.
    """
    from pydantic import ValidationError
    from pydantic_settings import SettingsConfigDict

    from leafward.settings import Settings

    spending = spending or Spending(budget_calls=limits.max_calls if limits else None)
    given = _given(configured, models or Models(), building or Building(), spending)
    kind: type[Settings] = Settings
    if configured.config is not None:
        if not configured.config.is_file():
            raise SettingsError(
                f"there is no settings file {configured.config}",
                hint="correct --config, or leave it out to use leafward.toml or the defaults",
            )

        class Chosen(Settings):
            model_config = SettingsConfigDict(toml_file=configured.config)

        kind = Chosen
    try:
        return kind(**given)
    except ValidationError as error:
        raise _explained(error) from error
    except tomllib.TOMLDecodeError as error:
        place = configured.config or Path("leafward.toml")
        raise SettingsError(f"{place} is no TOML: {error}", hint="correct this line") from error


def search_settings(settings: Settings, limits: Limits) -> SearchSettings:
    """The search settings with a command's limits; ``max_calls`` is a budget of the index.

    Raises:
        SettingsError: a limit is out of range.
    """
    from pydantic import ValidationError

    from leafward.settings import SearchSettings

    given = _kept(
        max_tokens=limits.max_tokens,
        max_money=limits.max_money,
        deadline=limits.deadline,
        beam=limits.beam,
        iterations=limits.iterations,
    )
    try:
        return SearchSettings(**settings.search.model_dump(exclude_unset=True) | given)
    except ValidationError as error:
        raise _explained(error) from error


def _given(
    configured: Configured, models: Models, building: Building, spending: Spending
) -> dict[str, Any]:
    """What was said on the command line, in the shape of :class:`Settings`."""
    return _kept(
        offline=configured.offline or None,
        model=models.model,
        embedder=models.embedder,
        models=_kept(
            base_url=models.base_url,
            price_prompt=models.price_prompt,
            price_completion=models.price_completion,
        ),
        build=_kept(strategy=building.strategy, branching=building.branching, seed=building.seed),
        budget=_kept(
            calls=spending.budget_calls,
            tokens=spending.budget_tokens,
            money=spending.budget_money,
        ),
    )


def _kept(**values: Any) -> dict[str, Any]:
    """Values that were given: neither None nor an empty group."""
    return {name: value for name, value in values.items() if value is not None and value != {}}


def _explained(error: ValidationError) -> SettingsError:
    first = error.errors()[0]
    name = ".".join(str(part) for part in first["loc"]) or "settings"
    given = "" if isinstance(first["input"], dict) else f", not {first['input']!r}"
    secret = "key" in name  # never repeat what may be a secret
    return SettingsError(
        f"{name}: {first['msg']}{'' if secret else given}",
        hint="settings come from flags, LEAFWARD_… variables and leafward.toml (docs/cli.md)",
    )
