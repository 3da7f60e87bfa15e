"""The scripted server as a process: ``python -m leafward.testing.server --rules FILE``.

It prints ``{"base_url": "http://127.0.0.1:PORT/v1", "pid": …}`` on stdout once it listens, and
runs until SIGINT or SIGTERM, or with ``--until-eof`` until its stdin closes, so that it does not
outlive the program that started it, however that ends.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

from leafward.errors import LeafwardError
from leafward.testing.scripted import ScriptedServer
from leafward.testing.spec import load_script


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the server until told to stop; returns the exit status."""
    options = _parser().parse_args(arguments)
    try:
        server = ScriptedServer(load_script(options.rules), port=options.port).start()
    except LeafwardError as error:
        print(f"error: {error}\nhint: {error.hint}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"error: port {options.port}: {error}\nhint: use --port 0", file=sys.stderr)
        return 2
    stop = _until_told(options.until_eof)
    print(json.dumps({"base_url": server.base_url, "pid": os.getpid()}), flush=True)
    stop.wait()
    server.stop()
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m leafward.testing.server",
        description="An OpenAI-compatible model server on loopback that answers by rule.",
        epilog="example: python -m leafward.testing.server --port 0 --rules script.json",
    )
    parser.add_argument("--rules", type=Path, required=True, help="script as a JSON file")
    parser.add_argument("--port", type=int, default=0, help="0 picks a free one (default)")
    parser.add_argument("--until-eof", action="store_true", help="stop when stdin closes")
    return parser


def _until_told(eof: bool) -> threading.Event:
    stop = threading.Event()

    def on_signal(number: int, frame: FrameType | None) -> None:
        stop.set()

    signal.signal(signal.SIGINT, on_signal)
    signal.signal(signal.SIGTERM, on_signal)

    def watch() -> None:
        while sys.stdin.buffer.read(1024):
            pass
        stop.set()

    if eof:
        threading.Thread(target=watch, daemon=True).start()
    return stop


if __name__ == "__main__":
    sys.exit(main())
