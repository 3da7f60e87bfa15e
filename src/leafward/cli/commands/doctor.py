"""``leafward doctor``."""

from __future__ import annotations

import typer

from leafward.cli.clean import one_line
from leafward.cli.command import command
from leafward.cli.configuration import load_settings
from leafward.cli.exits import Exit
from leafward.cli.flags import Common, Configured, Models


def register(app: typer.Typer) -> None:
    """Add the command."""
    command(app, "doctor", example="leafward doctor --model openai:gpt-5-mini")(doctor)


def doctor(models: Models, configured: Configured, common: Common) -> None:
    """Say what is installed, which models answer, what is missing and how to get it.

    Exits with 1 where a check fails.
    """
    from leafward.cli import shapes
    from leafward.cli.output import print_shape
    from leafward.library import doctor as examine

    report = examine(load_settings(configured, models=models))
    checks = [shapes.CheckOut.model_validate(check) for check in report.checks]
    out = shapes.DoctorOut(ok=all(check.ok for check in checks), checks=checks)
    if common.json:
        print_shape(out)
    else:
        for check in checks:
            print(_told(check.name, check.ok, check.detail, check.hint))
    if not out.ok:
        raise typer.Exit(Exit.FAILED)


def _told(name: str, ok: bool, detail: str, hint: str) -> str:
    """A check that is fine may still have a hint: how to get what is not needed now."""
    state = "FAILS" if not ok else "absent" if hint else "ok"
    line = f"{state:6}  {name}: {one_line(detail)}"
    return f"{line}\n        → {one_line(hint)}" if hint else line
