"""Metadata filters and exclusions, against a plain reading of what they mean."""

from __future__ import annotations

from collections.abc import Collection

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.store.making import META, SETTINGS, fill, tree_of

from leafward.errors import SettingsError
from leafward.store import Snapshot, Store
from leafward.types import Document, MetaValue

VALUES: list[MetaValue] = [2020, 2021, 2020.0, 2020.5, None, 2020, None]
CORPUS = [
    Document(
        f"d{n}",
        "t",
        metadata={
            "year": value,
            "kind": "news" if n % 2 else "blog",
            "tags": ("a", "b") if n < 3 else ("c",),
            "open": n % 2 == 0,
            "it's; DROP TABLE documents --": n,
            **({"some": "x"} if n < 2 else {}),
        },
    )
    for n, value in enumerate(VALUES)
]


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    store = Store.create(tmp_path_factory.mktemp("filters") / "i")
    tree = tree_of([document.id for document in CORPUS])
    draft = store.begin(CORPUS, fingerprint="f", settings=SETTINGS)
    fill(draft, tree)
    store.publish(draft, tree, summaries={}, extractive=(), meta=META)
    return store.snapshot()


Wanted = MetaValue | Collection[str | int | float | bool | None]


@pytest.mark.parametrize(
    ("where", "live"),
    [
        ({}, [0, 1, 2, 3, 4, 5, 6]),
        ({"year": 2020}, [0, 2, 5]),
        ({"year": 2020.0}, [0, 2, 5]),
        ({"year": [2021, 2020.5]}, [1, 3]),
        ({"year": None}, [4, 6]),
        ({"year": (2021, None)}, [1, 4, 6]),
        ({"year": []}, []),
        ({"year": 1999}, []),
        ({"kind": "blog"}, [0, 2, 4, 6]),
        ({"kind": "blog", "year": 2020}, [0, 2]),
        ({"tags": "a"}, [0, 1, 2]),
        ({"tags": {"b", "c"}}, [0, 1, 2, 3, 4, 5, 6]),
        ({"open": True}, [0, 2, 4, 6]),
        ({"some": None}, [2, 3, 4, 5, 6]),
        ({"it's; DROP TABLE documents --": 3}, [3]),
    ],
)
def test_what_matches(snapshot: Snapshot, where: dict[str, Wanted], live: list[int]) -> None:
    assert snapshot.live(where).nonzero()[0].tolist() == live


def test_exclusions(snapshot: Snapshot) -> None:
    live = snapshot.live({"kind": "blog"}, {"d2", "d3", "unknown"})
    assert live.nonzero()[0].tolist() == [0, 4, 6]
    assert snapshot.live(None, ()).all()


def test_an_unknown_field_names_the_known_ones(snapshot: Snapshot) -> None:
    with pytest.raises(SettingsError, match="'yaer'") as caught:
        snapshot.live({"yaer": 2020})
    assert "kind" in caught.value.hint and "year" in caught.value.hint


@pytest.mark.parametrize(
    ("where", "match"),
    [
        ({"year": "2020"}, "holds numbers, not text"),
        ({"year": [2020, "x"]}, "holds numbers, not text"),
        ({"kind": 1}, "holds text, not numbers"),
        ({"open": 1}, "holds true or false, not numbers"),
        ({"year": b"2020"}, "cannot compare"),
    ],
)
def test_comparisons_that_can_never_hold(
    snapshot: Snapshot, where: dict[str, Wanted], match: str
) -> None:
    with pytest.raises(SettingsError, match=match):
        snapshot.live(where)


@settings(max_examples=50, deadline=None)
@given(wanted=st.lists(st.sampled_from([2020, 2021, 2020.5, 1999, None]), max_size=4))
def test_membership_is_the_union_of_equalities(
    snapshot: Snapshot, wanted: list[int | float | None]
) -> None:
    union = {n for value in wanted for n in snapshot.live({"year": value}).nonzero()[0].tolist()}
    assert set(snapshot.live({"year": wanted}).nonzero()[0].tolist()) == union
