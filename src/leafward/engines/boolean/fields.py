"""PubMed's search field tags, short and long."""

from __future__ import annotations

import difflib
from enum import Enum
from functools import lru_cache


class Field(Enum):
    """What a term is looked up in, by its short tag."""

    TITLE = "ti"
    ABSTRACT = "ab"
    TITLE_ABSTRACT = "tiab"
    TEXT = "tw"
    AUTHOR = "au"
    JOURNAL = "ta"
    MESH = "mh"
    MESH_ALONE = "mh:noexp"
    MAJOR = "majr"
    MAJOR_ALONE = "majr:noexp"
    DATE = "dp"
    TYPE = "pt"
    LANGUAGE = "la"
    KEYWORD = "ot"
    ID = "pmid"
    ALL = "all"

    @property
    def exact(self) -> bool:
        """True where the field holds headings, names or numbers, which are matched as wholes."""
        return self in _EXACT


_EXACT = frozenset(
    {
        Field.AUTHOR,
        Field.JOURNAL,
        Field.MESH,
        Field.MESH_ALONE,
        Field.MAJOR,
        Field.MAJOR_ALONE,
        Field.TYPE,
        Field.LANGUAGE,
        Field.ID,
    }
)

_NAMES: dict[Field, str] = {
    Field.TITLE: "ti|title",
    Field.ABSTRACT: "ab|abstract",
    Field.TITLE_ABSTRACT: "tiab|title/abstract|ti/ab",
    Field.TEXT: "tw|text word|text words|text",
    Field.AUTHOR: "au|auth|author|author name",
    Field.JOURNAL: "ta|jour|journal",
    Field.MESH: "mh|mesh|mesh term|mesh terms|mesh heading",
    Field.MESH_ALONE: "mh:noexp|mesh:noexp|mesh term:noexp|mesh terms:noexp",
    Field.MAJOR: "majr|mesh major topic|mesh major topics|mesh major",
    Field.MAJOR_ALONE: "majr:noexp|mesh major topic:noexp",
    Field.DATE: "dp|pdat|date - publication|publication date|date of publication",
    Field.TYPE: "pt|ptyp|publication type|publication types",
    Field.LANGUAGE: "la|lang|language",
    Field.KEYWORD: "ot|other term|other terms|keyword",
    Field.ID: "pmid|uid",
    Field.ALL: "all|all fields|all field",
}
_BY_NAME = {name: field for field, names in _NAMES.items() for name in names.split("|")}

_INSTEAD = {
    "use [dp], the date of publication": (
        "crdt|date - create|edat|date - entry|mhda|date - mesh|lr|date - modification|epdat|ppdat|"
        "date - completion|dcom"
    ),
    "use [mh] or [tw]": "sh|mesh subheading|subheading|mesh subheadings",
    "use [tw]": "nm|supplementary concept|substance name|rn|ec/rn number",
    "use [au]": "fau|full author name|1au|lastau|ir|cn|au-corporate",
    "use [ta]": "is|jid|journal title abbreviation",
    "use [ti]": "tt|transliterated title",
    "leave this part of the expression out": (
        "ad|affiliation|aid|book|ed|gr|grants and funding|filter|ip|vi|issue|volume|pg|pagination|"
        "pa|pharmacological action|pl|pubn|ps|si|sb|subset|cois"
    ),
}
_UNAVAILABLE = {name: hint for hint, names in _INSTEAD.items() for name in names.split("|")}
"""What PubMed indexes and a local corpus does not, with what to write instead."""


@lru_cache(maxsize=1_000)
def read_tag(name: str) -> Field | None:
    """The field that a tag names, in either case and with any spacing; None where none does."""
    return _BY_NAME.get(_normal(name))


def tag_problem(name: str) -> tuple[str, str]:
    """Message and hint for a tag that :func:`read_tag` does not know."""
    normal = _normal(name)
    shown = f"[{name.strip()[:40]}]"
    if not normal:
        return "an empty tag", "name a field, such as [tiab], or take the brackets out"
    if ":~" in normal:
        return (
            f"{shown} asks for words near each other, which this engine does not have",
            'search a phrase, such as "hip fracture"[tiab], or join the words with AND',
        )
    if normal in _UNAVAILABLE:
        return f"{shown} is a field of PubMed that is not indexed here", _UNAVAILABLE[normal]
    if "," in normal:
        return f"unknown tag {shown}", "give one field in a tag; [tiab] is title and abstract"
    near = difflib.get_close_matches(normal[:40], _BY_NAME, n=1, cutoff=0.7)
    known = ", ".join(f"[{field.value}]" for field in Field if ":" not in field.value)
    return (
        f"unknown tag {shown}",
        f"did you mean [{near[0]}]?" if near else f"the tags are {known}",
    )


def _normal(name: str) -> str:
    words = " ".join(name.split()).lower()
    return words.replace(" :", ":").replace(": ", ":").replace(" /", "/").replace("/ ", "/")
