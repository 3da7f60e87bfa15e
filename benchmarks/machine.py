"""What a figure was measured on; every result file carries it."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping
from pathlib import Path

RESULTS = Path(__file__).parent / "results"


def machine() -> dict[str, str | int]:
    """Processor, cores, system and versions, without names or paths."""
    import numpy

    return {
        "processor": _processor(),
        "cores": os.cpu_count() or 0,
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "numpy": numpy.__version__,
    }


def save(name: str, result: Mapping[str, object]) -> Path:
    """Write ``results/NAME.json`` with the machine beside the figures."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    path.write_text(json.dumps({"machine": machine(), **result}, indent=2) + "\n")
    return path


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()
