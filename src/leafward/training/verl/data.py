"""Needs as the rows of Parquet that verl's dataset class reads."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from leafward.errors import MissingExtra
from leafward.types import Need
from leafward.writing import Style

SOURCE = "leafward"


def rows(needs: Sequence[Need], style: Style, split: str) -> list[dict[str, Any]]:
    """Rows for ``verl.utils.dataset.rl_dataset.RLHFDataset``.

    ``prompt`` holds the turns, which verl puts into the model's own chat template; the ground truth
    is the need as JSON, so that the reward function needs no other file of needs.
    """
    return [
        {
            "data_source": SOURCE,
            "prompt": [
                {"role": turn.role, "content": turn.content} for turn in style.prompt(need).messages
            ],
            "ability": style.syntax,
            "reward_model": {"style": "rule", "ground_truth": told(need)},
            "extra_info": {"split": split, "index": place, "need": need.id},
        }
        for place, need in enumerate(needs)
    ]


def told(need: Need) -> str:
    """A need as JSON."""
    return json.dumps(asdict(need), ensure_ascii=True, sort_keys=True)


def need_of(text: str) -> Need:
    """The need that :func:`told` told."""
    return Need(**json.loads(text))


def write_parquet(path: Path, given: Sequence[dict[str, Any]]) -> None:
    """Write rows; an older file stays until the new one is whole.

    Raises:
        MissingExtra: pyarrow is not installed.
    """
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise MissingExtra("pyarrow", "parquet") from error
    part = path.with_name(f".{path.name}.part")
    parquet.write_table(pyarrow.Table.from_pylist(list(given)), part)
    part.replace(path)
