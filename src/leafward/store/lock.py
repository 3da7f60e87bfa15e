"""The single writer's lock, which the operating system releases however the writer ends."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from leafward.errors import IndexBusy, StoreError


class WriterLock:
    """Held from construction to :meth:`close`.

    Raises:
        IndexBusy: another writer holds it.
        StoreError: the lock file cannot be made.
    """

    def __init__(self, path: Path) -> None:
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise StoreError(
                f"cannot write to the index: {error}",
                hint="check the permissions of the index directory",
            ) from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(self._file)
            raise IndexBusy(
                f"another process is writing to {path.parent}",
                hint="wait until it ends, or write to another index; reading works meanwhile",
            ) from error

    def close(self) -> None:
        """Release the lock; the empty file stays, so that there is never a second one."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
