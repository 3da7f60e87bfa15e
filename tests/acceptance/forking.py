"""A program that builds in forked children, so that a kill costs no start-up; see Builds.

Reads jobs from stdin, one JSON object a line, and prints the child's process id when it has been
forked; after one more line it prints how the child ended. Until then nobody else can have its id.
Forking is safe: no thread and no event loop has been started before.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from pathlib import Path
from typing import Any

import numpy as np
import openai.resources.chat
import stamina
import tantivy

import leafward.library
import leafward.models
from leafward.settings import Settings

PRELOADED = (np, openai.resources.chat, stamina, tantivy, leafward.models)


def main() -> None:
    print("ready", flush=True)
    for line in sys.stdin:
        job = json.loads(line)
        child = os.fork()
        if child == 0:
            os._exit(_ended(job))
        print(child, flush=True)
        sys.stdin.readline()
        print(os.waitpid(child, 0)[1], flush=True)


def _ended(job: dict[str, Any]) -> int:
    """Build as the job says; 0 where that went well, 1 after a traceback."""
    try:
        settings = Settings.model_validate(job["settings"])
        leafward.library.build(
            Path(job["source"]), Path(job["index"]), settings=settings, force=job["force"]
        ).close()
    except Exception:  # noqa: BLE001 - the test shows it
        traceback.print_exc()
        return 1
    return 0


if __name__ == "__main__":
    main()
