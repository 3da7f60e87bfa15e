"""A connection beside the writer's, for what any process may add at any time."""

from __future__ import annotations

import os
import threading
from pathlib import Path

from leafward.store.database import Database


class SideConnection:
    """A connection of its own, opened at the first use, that writes where the place allows it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._database: Database | None = None

    def __call__(self) -> Database:
        with self._lock:
            if self._database is None:
                self._database = Database(self.path, mode=self._mode())
            return self._database

    def _mode(self) -> str:
        if self.path.exists():
            return "c" if os.access(self.path, os.W_OK) else "r"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        return "c"

    def close(self) -> None:
        """Close the connection; the next use opens it again."""
        with self._lock:
            if self._database is not None:
                self._database.close()
            self._database = None
