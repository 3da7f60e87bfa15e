"""Cross-encoders of sentence-transformers, by name at a model hub or by folder."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from leafward.errors import MissingExtra, WeightsError

BATCH = 32


class CrossEncoderModel:
    """Reads query and text together; one logit a pair.

    Opened at the first use, which downloads the weights where they are not on this machine yet,
    unless ``offline``. Safe in threads: one batch is worked on at a time.
    """

    def __init__(self, name: str, *, offline: bool = False) -> None:
        try:
            import sentence_transformers
        except ImportError as error:
            raise MissingExtra("sentence-transformers", "rerank") from error
        self.name = name
        self._library: Any = sentence_transformers
        self._offline = offline
        self._model: Any = None
        self._lock = threading.Lock()

    def __call__(self, pairs: Sequence[tuple[str, str]]) -> npt.NDArray[np.float64]:
        """Logits, float64 ``[n]``, for pairs of query and text.

        Raises:
            WeightsError: there is no such model, or it cannot be read.
        """
        if not pairs:
            return np.zeros(0)
        with self._lock:
            if self._model is None:
                self._model = self._open()
            scores = self._model.predict(
                list(pairs),
                batch_size=BATCH,
                show_progress_bar=False,
                activation_fn=_identity,
                convert_to_numpy=True,
            )
        found = np.asarray(scores, dtype=np.float64)
        if found.shape != (len(pairs),):
            raise WeightsError(
                f"{self.name} gives scores of shape {found.shape} for {len(pairs)} pairs",
                hint="take a cross-encoder with one output, such as those trained on MS MARCO",
            )
        return found

    def _open(self) -> Any:
        try:
            return self._library.CrossEncoder(self.name, local_files_only=self._offline)
        except (OSError, ValueError) as error:
            raise WeightsError(
                f"the cross-encoder {self.name} cannot be opened: {error}",
                hint="name a model of the hub or a folder; `offline` forbids downloads",
            ) from error


def _identity(logits: Any) -> Any:
    return logits
