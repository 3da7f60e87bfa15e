"""Languages by the three-letter codes of MEDLINE, so that ``eng`` and ``english`` find the same."""

from __future__ import annotations

_CODES = """
afr afrikaans|ara arabic|bul bulgarian|cat catalan|chi chinese|cze czech|dan danish|dut dutch|
eng english|est estonian|fin finnish|fre french|geo georgian|ger german|gre greek|heb hebrew|
hrv croatian|hun hungarian|ice icelandic|ita italian|jpn japanese|kor korean|lav latvian|
lit lithuanian|mac macedonian|mul multiple languages|nor norwegian|per persian|pol polish|
por portuguese|rum romanian|rus russian|slo slovak|slv slovenian|spa spanish|srp serbian|
swe swedish|tha thai|tur turkish|ukr ukrainian|und undetermined|vie vietnamese
"""
_NAMES = {entry[:3]: entry[4:] for entry in _CODES.replace("\n", "").split("|")}
_BY_NAME = {name: code for code, name in _NAMES.items()}


def language_keys(language: str) -> list[str]:
    """A language under its code and its name; unknown ones as they are, in lower case."""
    given = " ".join(language.lower().split())
    return [given, *filter(None, [_NAMES.get(given) or _BY_NAME.get(given)])]
