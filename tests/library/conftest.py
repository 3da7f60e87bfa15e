"""An index over the topics of ``samples``, built without a language model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.library.samples import corpus, settings

import leafward


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the index is; each test file has its own."""
    path = tmp_path_factory.mktemp("index") / "topics.leafward"
    leafward.build(corpus(), path, settings=settings(), probe=False).close()
    return path


@pytest.fixture(scope="module")
def index(place: Path) -> Iterator[leafward.Index]:
    """The index, open."""
    with leafward.open(place, settings=settings()) as opened:
        yield opened
