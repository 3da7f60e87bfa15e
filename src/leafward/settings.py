"""Every setting with its default and bounds, read from TOML, environment and flags."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

Strategy = Literal["auto", "top-down", "bottom-up", "hybrid", "model-free"]
JudgeName = Literal["auto", "listwise", "letters", "embedding", "fused"]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class BuildSettings(_Frozen):
    """How a tree is built (tree-search §2)."""

    strategy: Strategy = "auto"
    candidates: tuple[Strategy, ...] = Field(
        (), description="build each of these and keep the one that the routing probe prefers"
    )
    branching: int = Field(16, ge=4, le=32, description="M: most children of a node")
    min_clusters: int = Field(4, ge=2, description="M_min: fewest clusters asked of the model")
    cluster_context_tokens: int = Field(
        24_000, ge=200, description="summaries shown in one clustering prompt, in tokens"
    )
    summary_batch: int = Field(20, ge=1, le=100, description="documents per summary prompt")
    summary_document_tokens: int = Field(
        400, ge=16, description="each document is cut to this in summary prompts"
    )
    clusterer: Literal["kmeans", "spectral"] = "kmeans"
    max_share: float = Field(
        0.9, gt=0, lt=1, description="a cluster with a larger share of the leaves is no split"
    )
    probe_documents: int = Field(20, ge=0, description="documents sampled by the routing probe")
    concurrency: int = Field(8, ge=1, description="model calls in flight")
    seed: int = 0


class SearchSettings(_Frozen):
    """How a tree is searched (tree-search §3)."""

    beam: int = Field(2, ge=1, description="B: expansions in flight")
    iterations: int = Field(20, ge=1, description="N: N·B expansions in all")
    references: int = Field(10, ge=0, description="ℓ: scored leaves added to a slate of leaves")
    temperature: float = Field(
        0.1, gt=0, description="τ: references are drawn with probability ∝ exp(θ/τ)"
    )
    alpha: float = Field(0.5, ge=0, le=1, description="α: weight of the path above a node")
    calibrate: bool = True
    # Both ridges were chosen on train queries with simulated judges: benchmarks/ridges.py.
    lambda_bias: float = Field(0.05, ge=0, description="λ_b: ridge on slate biases")
    lambda_latent: float = Field(0.05, gt=0, description="λ_θ: ridge of latent scores to the mean")
    schedule: Literal["free", "lockstep"] = "free"
    patience: int | None = Field(
        None, ge=1, description="adaptive stop: expansions without a change in the top k"
    )
    margin: float = Field(0.05, ge=0, description="adaptive stop: distance below the k-th leaf")
    candidate_tokens: int = Field(400, ge=16, description="each candidate's text is cut to this")
    screen: int | None = Field(
        None,
        ge=2,
        description="a model reads this many of a slate's candidates, those that "
        "embeddings put first; None is all of them, 8 for the fused judge",
    )
    live_share: float = Field(
        0.5, ge=0, le=1, description="below this share of live leaves a node is described anew"
    )
    max_tokens: int | None = Field(None, ge=1, description="stop before this many tokens")
    max_money: float | None = Field(None, ge=0, description="stop before this many dollars")
    deadline: float | None = Field(None, gt=0, description="stop after this many seconds")
    seed: int = 0


class ModelSettings(_Frozen):
    """How a model is reached."""

    base_url: str | None = None
    api_key: SecretStr | None = None
    context_tokens: int = Field(32_768, ge=512)
    threads: int | None = Field(
        None, ge=1, description="threads of a model that runs here; None takes the idle cores"
    )
    concurrency: int = Field(8, ge=1, description="calls in flight to this model")
    requests_per_minute: float | None = Field(None, gt=0)
    tokens_per_minute: float | None = Field(None, gt=0)
    attempt_timeout: float = Field(60.0, gt=0, description="seconds for one attempt")
    total_deadline: float = Field(180.0, gt=0, description="seconds for a call with its retries")
    retry_wait: float = Field(
        0.5, ge=0, description="seconds before the first retry; doubles, with jitter"
    )
    max_retry_after: float = Field(60.0, ge=0, description="longest Retry-After that is honoured")
    price_prompt: float | None = Field(None, ge=0, description="dollars per million tokens")
    price_cached: float | None = Field(None, ge=0, description="dollars per million tokens")
    price_completion: float | None = Field(None, ge=0, description="dollars per million tokens")


class EngineSettings(_Frozen):
    """How search services are reached (query-writing §4)."""

    pubmed_url: str = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils"
    trials_url: str = "https://clinicaltrials.gov/api/v2"
    ncbi_api_key: SecretStr | None = Field(
        None, description="raises PubMed's rate; NCBI_API_KEY where it is not set"
    )
    email: str | None = Field(None, description="told to NCBI, which asks for a way to reach you")
    pubmed_per_second: float | None = Field(
        None, gt=0, description="requests a second; None is 3, or 10 with a key"
    )
    trials_per_second: float = Field(0.8, gt=0, description="requests a second")
    concurrency: int = Field(4, ge=1, description="requests in flight to a service")
    attempt_timeout: float = Field(30.0, gt=0, description="seconds for one attempt")
    total_deadline: float = Field(120.0, gt=0, description="seconds for a request with its retries")
    retry_wait: float = Field(
        0.5, ge=0, description="seconds before the first retry; doubles, with jitter"
    )
    max_retry_after: float = Field(60.0, ge=0, description="longest Retry-After that is honoured")
    cache: bool = Field(True, description="keep what services answered on disk")
    cache_days: float = Field(30.0, gt=0, description="ask again for what is older")


class BudgetSettings(_Frozen):
    """What a job may spend at most; None is no limit."""

    calls: int | None = Field(None, ge=0)
    tokens: int | None = Field(None, ge=0)
    money: float | None = Field(None, ge=0)


class Settings(BaseSettings):
    """All settings: arguments win over ``LEAFWARD_…`` variables, they over ``leafward.toml``."""

    model_config = SettingsConfigDict(
        env_prefix="LEAFWARD_",
        env_nested_delimiter="__",
        toml_file=Path("leafward.toml"),
        extra="forbid",
        frozen=True,
    )

    model: str | None = Field(None, description="chat model, such as openai:gpt-5-mini")
    embedder: str = Field("minilm", description="embedding model")
    offline: bool = Field(False, description="never fetch model packages")
    cache_dir: Path | None = Field(None, description="where model files are kept")
    build: BuildSettings = BuildSettings()
    search: SearchSettings = SearchSettings()
    models: ModelSettings = ModelSettings()
    engines: EngineSettings = EngineSettings()
    budget: BudgetSettings = BudgetSettings()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls)
