"""The command line: ``leafward``."""

from __future__ import annotations


def main() -> None:
    """Run the command line on ``sys.argv`` and exit (:mod:`leafward.cli.exits`)."""
    from leafward.cli.app import run

    run()
