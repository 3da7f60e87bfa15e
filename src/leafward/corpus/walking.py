"""Every file under a folder once, in an order that does not depend on the machine."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from leafward.corpus.problems import ProblemLog


def walk(root: Path, log: ProblemLog) -> list[Path]:
    """Regular files under a folder, sorted by their relative path.

    Hidden files and folders are left out. Links are followed, but only to what was not reached
    before, real paths first: loops end, and a linked copy is no second document. Folders that may
    not be listed and links that lead nowhere are reported.
    """
    walker = _Walker(log)
    walker.run(root)
    return sorted(walker.files, key=lambda path: path.relative_to(root).as_posix())


class _Walker:
    def __init__(self, log: ProblemLog) -> None:
        self.files: list[Path] = []
        self._log = log
        self._seen: set[tuple[int, int]] = set()
        self._links: list[Path] = []

    def run(self, root: Path) -> None:
        self._visit(root, linked=False)
        while self._links:
            links, self._links = sorted(self._links), []
            for link in links:
                self._visit(link, linked=True)

    def _visit(self, start: Path, *, linked: bool) -> None:
        waiting = [start]
        while waiting:
            path = waiting.pop()
            try:
                waiting.extend(self._enter(path, linked=linked))
            except OSError as error:
                if error.errno != errno.ELOOP:
                    reason = error.strerror or str(error)
                    self._log.report(path, None, "unreadable", f"cannot be reached: {reason}")

    def _enter(self, path: Path, *, linked: bool) -> list[Path]:
        """Note a file, or list a folder; its links are put off until all real paths are done."""
        status = path.stat()
        key = (status.st_dev, status.st_ino)
        if linked and key in self._seen:
            return []
        self._seen.add(key)
        if stat.S_ISREG(status.st_mode):
            self.files.append(path)
        if not stat.S_ISDIR(status.st_mode):
            return []
        with os.scandir(path) as entries:
            names = sorted(entry.name for entry in entries if not entry.name.startswith("."))
        visible = [path / name for name in names]
        self._links.extend(entry for entry in visible if entry.is_symlink())
        return [entry for entry in visible if not entry.is_symlink()]
