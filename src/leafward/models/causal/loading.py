"""Loading weights into torch through transformers, which is imported here and nowhere earlier."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from leafward.errors import MissingExtra, WeightsError
from leafward.models.causal.model import CausalModel
from leafward.models.causal.quiet import quiet
from leafward.models.causal.sources import HUB, Source, parse_source
from leafward.models.threads import usable_cores

EXTRA = "train"

_log = logging.getLogger(__name__)


def load_causal(
    spec: str,
    *,
    cache_dir: Path | None = None,
    offline: bool = False,
    device: str = "auto",
    dtype: str = "float32",
    threads: int | None = None,
    announce: Callable[[str], None] = _log.warning,
) -> CausalModel:
    """Load a model and its tokenizer; code that comes with weights is never run.

    Quantised GGUF weights are unpacked to ``dtype``.

    Args:
        spec: as :func:`leafward.models.causal.sources.parse_source` reads it.
        device: ``auto`` takes a GPU where torch sees one.
        threads: of torch on a CPU; None takes every core that this process may use.

    Raises:
        MissingExtra: torch, transformers or gguf is not installed.
        SettingsError, WeightsError: no such model, or weights that cannot be loaded.
    """
    torch, transformers = import_torch()
    source = parse_source(spec, cache_dir=cache_dir, offline=offline, announce=announce)
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    if device == "cpu":
        torch.set_num_threads(threads or usable_cores())
    given = _given(source, offline=offline or not spec.startswith(HUB))
    try:
        with quiet(transformers.utils.logging):
            tokenizer = transformers.AutoTokenizer.from_pretrained(source.place, **given)
            model = _load(transformers, source, given, getattr(torch, dtype))
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        raise WeightsError(
            f"transformers cannot load {spec}: {error}",
            hint="check the path; a model needs its weights, config.json and tokenizer",
        ) from error
    return CausalModel(model.to(device).eval(), tokenizer)


def import_torch() -> tuple[Any, Any]:
    """The modules torch and transformers.

    OpenMP's threads spin while they wait for each other, and a thread that waits for a core makes
    all of them wait: told to sleep instead, two threads beside another busy process were measured
    at twice the speed. It must be told before torch is imported.

    Raises:
        MissingExtra: one of them is not installed.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    try:
        import torch
        import transformers
    except ImportError as error:
        raise MissingExtra(error.name or "torch", EXTRA) from error
    return torch, transformers


def _given(source: Source, *, offline: bool) -> dict[str, Any]:
    given: dict[str, Any] = {"trust_remote_code": False, "local_files_only": offline}
    if source.gguf:
        given["gguf_file"] = source.gguf
    return given


def _load(transformers: Any, source: Source, given: dict[str, Any], dtype: Any) -> Any:
    if source.gguf:
        try:
            import gguf  # noqa: F401 - transformers needs it, and says so in many words
        except ImportError as error:
            raise MissingExtra("gguf", EXTRA) from error
        given = {**given, "quantization_config": transformers.GgufConfig(dequantize=True)}
    else:
        given = {**given, "use_safetensors": True}  # the other format is pickle
    return transformers.AutoModelForCausalLM.from_pretrained(source.place, dtype=dtype, **given)
