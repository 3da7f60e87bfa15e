"""What a person asks for, as a need."""

from __future__ import annotations

import re
from collections.abc import Mapping

from leafward.errors import SettingsError
from leafward.types import Need

PARTS = ("P", "I", "C", "O")
"""Patient or problem, intervention, comparison, outcome."""

_LABEL = re.compile(r"(?:^|[;\n])\s*([PICO])\s*:")


def as_need(need: str | Mapping[str, str] | Need) -> Need:
    """A need from a text or a PICO question; a text is one where it begins ``P:``, ``I:`` ….

    Raises:
        SettingsError: it says nothing, or has a part that is none of P, I, C and O, or one twice.
    """
    if isinstance(need, str):
        pico = read_pico(need)
        need = Need("", told_pico(pico) if pico else need.strip(), pico)
    elif not isinstance(need, Need):
        wrong = sorted(set(need) - set(PARTS))
        if wrong:
            raise SettingsError(
                f"a PICO question has no part {wrong[0]!r}", hint="give any of P, I, C and O"
            )
        need = Need("", told_pico(need), dict(need))
    if not need.text.strip():
        raise SettingsError("the need is empty", hint="say what you are looking for")
    return need


def read_pico(text: str) -> dict[str, str]:
    """The parts of ``P: adults; I: aspirin; O: stroke``, divided by semicolons or lines; empty for
    any other text.

    Raises:
        SettingsError: a part stands twice.
    """
    labels = list(_LABEL.finditer(text))
    if not labels or text[: labels[0].start()].strip():
        return {}
    ends = [label.start() for label in labels[1:]] + [len(text)]
    parts: dict[str, str] = {}
    for label, end in zip(labels, ends, strict=True):
        if label[1] in parts:
            raise SettingsError(
                f"the part {label[1]} of the question stands twice",
                hint="give each of P, I, C and O once",
            )
        parts[label[1]] = text[label.end() : end].strip().rstrip(";").strip()
    return {name: part for name, part in parts.items() if part}


def told_pico(pico: Mapping[str, str]) -> str:
    """A PICO question in words: ``intervention versus comparison: outcome (patient)``."""
    parts = {key: value.strip() for key, value in pico.items() if value.strip()}
    tried = " versus ".join(parts[key] for key in ("I", "C") if key in parts)
    told = ": ".join(each for each in (tried, parts.get("O", "")) if each)
    patient = parts.get("P", "")
    return f"{told} ({patient})" if told and patient else told or patient
