"""The packaged embedding model: all-MiniLM-L6-v2, int8 ONNX, on the CPU, without torch.

Source: Wang et al., "MiniLM" (arXiv 2002.10957) and the sentence-transformers training of 2021;
pooling as in its model card: mean over the tokens of the mask, then unit length.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from leafward.errors import MissingExtra
from leafward.models.pull import pull_missing
from leafward.models.threads import idle_threads
from leafward.protocols import Vectors

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

MAX_TOKENS = 256  # what the model was trained to read; later text is not seen
DIMENSIONS = 384
_WINDOW = 1024  # texts that are tokenized and sorted together, which bounds the memory
_BATCH_TOKENS = 512  # padded tokens in one run: more only waits for memory on a CPU

_log = logging.getLogger(__name__)


class MiniLmEmbedder:
    """Embeds English text by meaning: float32 ``[n, 384]``, unit rows, first 256 tokens of each.

    Queries and documents are embedded alike. Texts are sorted by length, so that little of a batch
    is padding. The same texts in one call give the same bits; alone or in other company a text's
    vector differs by rounding only (below 1e-6).
    """

    name = "minilm"
    dimensions = DIMENSIONS

    def __init__(self, session: Any, tokenizer: Tokenizer) -> None:
        self._session = session
        self._tokenizer = tokenizer

    @classmethod
    def open(
        cls,
        *,
        cache_dir: Path | None = None,
        offline: bool = False,
        threads: int | None = None,
        announce: Callable[[str], None] = _log.warning,
    ) -> MiniLmEmbedder:
        """Load the model, pulling it first where it is missing; ``threads`` None takes idle cores.

        Raises:
            MissingExtra: onnxruntime or tokenizers is not installed.
            WeightsError: the model is missing and ``offline``, or cannot be pulled.
        """
        try:
            import onnxruntime
            from tokenizers import Tokenizer
        except ImportError as error:
            raise MissingExtra(error.name or "onnxruntime", "embed") from error
        folder = pull_missing(cls.name, cache_dir=cache_dir, offline=offline, announce=announce)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads or idle_threads()
        options.inter_op_num_threads = 1
        # Threads that spin while they wait take the core from whoever shares the machine.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        session = onnxruntime.InferenceSession(
            str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"]
        )
        tokenizer: Tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        tokenizer.enable_truncation(MAX_TOKENS)
        tokenizer.no_padding()
        return cls(session, tokenizer)

    def embed(self, texts: Sequence[str], *, role: Literal["query", "document"]) -> Vectors:
        """Embed texts, ``[n]`` to float32 ``[n, 384]`` with unit rows; blocks while it works."""
        vectors = np.empty((len(texts), DIMENSIONS), dtype=np.float32)
        for start in range(0, len(texts), _WINDOW):
            part = vectors[start : start + _WINDOW]
            encodings = self._tokenizer.encode_batch(list(texts[start : start + _WINDOW]))
            for rows in _batches([len(encoding.ids) for encoding in encodings]):
                part[rows] = self._run([encodings[row] for row in rows])
        return vectors

    def _run(self, encodings: Sequence[Encoding]) -> Vectors:
        length = max(len(encoding.ids) for encoding in encodings)
        ids = np.zeros((len(encodings), length), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, encoding in enumerate(encodings):
            ids[row, : len(encoding.ids)] = encoding.ids
            mask[row, : len(encoding.ids)] = 1
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        hidden: npt.NDArray[np.float32] = self._session.run(["last_hidden_state"], feed)[0]
        return _mean_pool(hidden, mask)


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Rows grouped by similar length, each group within the token limit of a batch."""
    batch: list[int] = []
    for row in sorted(range(len(lengths)), key=lambda row: (lengths[row], row)):
        if batch and (len(batch) + 1) * lengths[row] > _BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(row)
    if batch:
        yield batch


def _mean_pool(hidden: npt.NDArray[np.float32], mask: npt.NDArray[np.int64]) -> Vectors:
    """Mean of float32 ``[n, t, d]`` over the tokens of the mask ``[n, t]``, as unit rows."""
    weights = mask.astype(np.float32)
    pooled = np.einsum("ntd,nt->nd", hidden, weights) / weights.sum(axis=1, keepdims=True)
    unit: Vectors = pooled / np.linalg.norm(pooled, axis=1, keepdims=True)
    return unit
