"""Where models are reached: one row for each provider that speaks OpenAI's protocol."""

from __future__ import annotations

import os
from dataclasses import dataclass
from urllib.parse import urlsplit, urlunsplit

from pydantic import SecretStr

from leafward.errors import SettingsError
from leafward.models.capabilities import Capabilities
from leafward.settings import ModelSettings

_PLAIN = Capabilities()


@dataclass(frozen=True, slots=True)
class Provider:
    """A provider: its address, where its key is looked for, and what is known of it beforehand."""

    base_url: str
    key_variables: tuple[str, ...] = ()
    key_required: bool = True
    free: bool = False
    start: Capabilities = _PLAIN


PROVIDERS = {
    "openai": Provider(
        "https://api.openai.com/v1",
        ("OPENAI_API_KEY",),
        start=Capabilities(limit_field="max_completion_tokens"),
    ),
    "gemini": Provider(
        "https://generativelanguage.googleapis.com/v1beta/openai",
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    ),
    # Its compatible endpoint takes response_format but ignores it, so the schema must be in the
    # prompt (docs.claude.com, "OpenAI SDK compatibility", 2025).
    "anthropic": Provider(
        "https://api.anthropic.com/v1",
        ("ANTHROPIC_API_KEY",),
        start=Capabilities(output="prompt", seed=False),
    ),
    "openrouter": Provider("https://openrouter.ai/api/v1", ("OPENROUTER_API_KEY",)),
    "deepinfra": Provider(
        "https://api.deepinfra.com/v1/openai", ("DEEPINFRA_API_KEY", "DEEPINFRA_TOKEN")
    ),
    "ollama": Provider("http://localhost:11434/v1", key_required=False, free=True),
    "vllm": Provider("http://localhost:8000/v1", ("VLLM_API_KEY",), key_required=False, free=True),
    "llamacpp": Provider(
        "http://localhost:8080/v1", ("LLAMA_API_KEY",), key_required=False, free=True
    ),
}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One model at one address; the key never shows in its repr."""

    spec: str
    model: str
    base_url: str
    api_key: SecretStr
    key_hint: str
    free: bool
    start: Capabilities

    @property
    def public_url(self) -> str:
        """The address without user, password and query, which may hold secrets."""
        parts = urlsplit(self.base_url)
        host = parts.netloc.rpartition("@")[2]
        return urlunsplit((parts.scheme, host, parts.path.rstrip("/"), "", ""))

    def redact(self, text: str) -> str:
        """A provider's words, short, on one line and without the key."""
        secret = self.api_key.get_secret_value()
        if len(secret) >= 4:
            text = text.replace(secret, "***")
        printable = "".join(sign if sign.isprintable() else " " for sign in text)
        return " ".join(printable.split())[:300]


def find_endpoint(spec: str, settings: ModelSettings) -> Endpoint:
    """The endpoint that ``PROVIDER:MODEL`` names, with the key from settings or environment.

    Raises:
        SettingsError: unknown provider, no model name, or no key where one is needed.
    """
    prefix, _, model = spec.partition(":")
    provider = PROVIDERS.get(prefix)
    if provider is None or not model:
        raise SettingsError(
            f"{spec!r} names no model",
            hint="write PROVIDER:MODEL, such as openai:MODEL (with models.base_url for any"
            f" compatible server) or local:NAME; providers: {', '.join(PROVIDERS)}, local",
        )
    base_url = _address(prefix, provider, settings)
    moved = base_url.rstrip("/") != provider.base_url
    return Endpoint(
        spec,
        model,
        base_url,
        _key(spec, provider, settings, required=provider.key_required and not moved),
        _key_hint(provider),
        provider.free,
        # Elsewhere than at OpenAI itself, older servers know max_tokens only.
        _PLAIN if moved and prefix == "openai" else provider.start,
    )


def _key(spec: str, provider: Provider, settings: ModelSettings, *, required: bool) -> SecretStr:
    given = settings.api_key.get_secret_value() if settings.api_key is not None else None
    found = [given, *map(os.environ.get, provider.key_variables)]
    key = next((value.strip() for value in found if value and value.strip()), None)
    if key is None and required:
        raise SettingsError(f"{spec} needs an API key", hint=_key_hint(provider))
    if key is not None and not (key.isascii() and key.isprintable()):
        raise SettingsError(
            f"the API key for {spec} holds signs that no key has", hint=_key_hint(provider)
        )
    return SecretStr(key or "none")  # the SDK wants one; servers without keys ignore it


def _address(prefix: str, provider: Provider, settings: ModelSettings) -> str:
    from_environment = os.environ.get("OPENAI_BASE_URL") if prefix == "openai" else None
    address = settings.base_url or from_environment or provider.base_url
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise SettingsError(
            "models.base_url is not an address", hint="write it like http://localhost:8000/v1"
        )
    return address


def _key_hint(provider: Provider) -> str:
    names = " or ".join((*provider.key_variables, "LEAFWARD_MODELS__API_KEY"))
    return f"set {names} to a valid key"
