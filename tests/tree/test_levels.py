from __future__ import annotations

import pytest

from leafward.tree.levels import Choice, choose, entries, entry_tokens
from leafward.tree.text import clean, cut_words, fold, said, without_count


def summaries(distinct: tuple[int, ...], count: int = 40) -> list[tuple[str, ...]]:
    """Items with so many distinct summaries at each of the five levels, longer by level."""
    return [
        tuple(f"topic {n % many} " + "word " * 3 * level for level, many in enumerate(distinct))
        for n in range(count)
    ]


def tokens(items: list[tuple[str, ...]], level: int) -> int:
    return entry_tokens(entries(items, [1] * len(items), level))


ALL = summaries((2, 10, 20, 40, 40))


@pytest.mark.parametrize(
    ("room_of", "expected"),
    [
        (4, Choice((4,), crowded=False)),  # the most specific level that fits
        (3, Choice((3, 4), crowded=False)),  # with a more specific one for a second try
        (2, Choice((2, 3), crowded=False)),
        (1, Choice((1, 2), crowded=False)),
    ],
)
def test_the_most_specific_level_that_fits(room_of: int, expected: Choice) -> None:
    room = tokens(ALL, room_of)
    assert choose(ALL, [1] * 40, more_than=5, room=room, most=100_000) == expected


def test_a_retry_fits_the_context() -> None:
    room = tokens(ALL, 3)
    assert choose(ALL, [1] * 40, more_than=5, room=room, most=room).levels == (3,)


def test_levels_with_too_few_entries_do_not_count() -> None:
    few = summaries((1, 2, 3, 5, 5))
    assert choose(few, [1] * 40, more_than=5, room=10_000, most=10_000) == Choice((), crowded=False)
    room = tokens(ALL, 0)  # only level 1 would fit, with its two entries
    assert choose(ALL, [1] * 40, more_than=5, room=room, most=10**6) == Choice((), crowded=True)


def test_entries_fold_case_and_space_and_count_leaves() -> None:
    items = [("Deep  Learning",), ("deep learning",), ("graphs",)]
    found = entries(items, [3, 4, 5], 0)
    assert [(entry.text, entry.members, entry.count) for entry in found] == [
        ("Deep  Learning", (0, 1), 7),
        ("graphs", (2,), 5),
    ]
    assert found[1].line == "graphs (5)"


def test_text_is_made_safe() -> None:
    assert clean("a\x1b[31m\n b\ud800 \u202ec") == "a [31m b c"
    assert clean("x" * 50, 10) == "x" * 9 + "…"
    assert cut_words("one, two, three", 2) == "one, two"
    assert len(cut_words("漢" * 500, 2)) == 48
    assert said("…") == said(" -- ") == ""
    assert said(" kept ") == "kept"
    assert fold('  "Deep   LEARNING". ') == "deep learning"
    assert without_count("vitamin b (12) (3)") == "vitamin b (12)"
