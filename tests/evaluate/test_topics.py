"""TREC's topics in both of their forms."""

from __future__ import annotations

from pathlib import Path

import pytest

from leafward.errors import CorpusError
from leafward.evaluate import read_topics, write_topics
from leafward.types import Query

TOPICS = """
<top>
<num> Number: 301
<title> International Organized Crime

<desc> Description:
Identify organizations.
</top>

<top><num>302</num>
<desc> Description:
Is the disease
under control?
<narr> Narrative: long
</top>
<TOP><num> Number: 303 <title> Topic: Hubble </TOP>
"""


def test_tagged_topics(tmp_path: Path) -> None:
    (tmp_path / "t").write_text(TOPICS)
    assert [(query.id, query.text) for query in read_topics(tmp_path / "t")] == [
        ("301", "International Organized Crime"),
        ("302", "Is the disease under control?"),
        ("303", "Hubble"),
    ]


def test_lines_come_back_with_their_white_space_smoothed(tmp_path: Path) -> None:
    queries = [Query("q1", "one\ntwo\tthree"), Query("q 2", "a <top> b".replace("<top>", "top"))]
    write_topics(tmp_path / "t", queries)
    assert read_topics(tmp_path / "t") == (Query("q1", "one two three"), Query("q 2", "a top b"))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("q1\tone\nq1\ttwo\n", ":2: topic 'q1' is there twice"),
        ("q1\tone\n\nq2 two\n", ":3: a topic without id or text"),
        ("\tone\n", ":1: a topic without id or text"),
        ("<top>\n<num> 1\n</top>\n", ":1: a topic without id or text"),
        ("\n", "there are no topics"),
    ],
)
def test_wrong_topics_are_refused(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "t").write_text(text)
    with pytest.raises(CorpusError) as caught:
        read_topics(tmp_path / "t")
    assert told in caught.value.message
