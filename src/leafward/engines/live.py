"""Which documents a ranking may show."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from leafward.errors import SettingsError

Live = Callable[[str], bool] | npt.NDArray[np.bool_]
"""A predicate on document ids, or a mask over the engine's documents in their order."""


def live_mask(live: Live | None, doc_ids: Sequence[str]) -> npt.NDArray[np.bool_] | None:
    """The mask of a filter, bool ``[n]``; None where everything may be shown.

    Raises:
        SettingsError: a mask of another length.
    """
    if live is None:
        return None
    if callable(live):
        return np.fromiter((live(doc_id) for doc_id in doc_ids), np.bool_, len(doc_ids))
    _check(live, doc_ids)
    return live


def predicate(live: Live | None, doc_ids: Sequence[str]) -> Callable[[int], bool]:
    """The filter as a predicate on positions, for engines that ask about few of them.

    Raises:
        SettingsError: a mask of another length.
    """
    if live is None:
        return lambda _: True
    if callable(live):
        return lambda position: live(doc_ids[position])
    _check(live, doc_ids)
    return lambda position: bool(live[position])


def _check(mask: npt.NDArray[np.bool_], doc_ids: Sequence[str]) -> None:
    if mask.shape != (len(doc_ids),):
        raise SettingsError(
            f"the filter has shape {mask.shape} for {len(doc_ids)} documents",
            hint="give one truth value for each document, in the order of the index",
        )
