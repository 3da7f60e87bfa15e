"""Fixtures that many tests share."""

from __future__ import annotations

import os
from pathlib import Path

# Small matrix products on several threads spend their time waiting for each other, the more so
# when tests run side by side. Set before numpy is first imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest
from hypothesis import settings

# Machines that run tests are shared and slow at times; how long an example takes proves nothing.
settings.register_profile("leafward", deadline=None, print_blob=True)
settings.load_profile("leafward")

DATA = Path(os.environ.get("LEAFWARD_TEST_DATA", Path(__file__).parents[2] / "shared" / "data"))


def data_set(name: str) -> Path:
    """Folder of a real data set; skips the test where it is absent."""
    folder = DATA / name
    if not folder.is_dir():
        pytest.skip(f"data set {name} is not at {DATA} (set LEAFWARD_TEST_DATA)")
    return folder


@pytest.fixture(scope="session")
def scifact() -> Path:
    return data_set("scifact")


@pytest.fixture(scope="session")
def theoremqa() -> Path:
    return data_set("bright_theoremqa_questions_mini")


@pytest.fixture(scope="session")
def biology() -> Path:
    return data_set("bright_biology_page_titles")
