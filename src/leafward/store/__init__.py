"""One directory an index: truth in SQLite, derived arrays beside it."""

from leafward.store.calls import CallCache, CallStats
from leafward.store.draft import Draft
from leafward.store.filters import Wanted, Where
from leafward.store.history import JournalEntry
from leafward.store.meta import BuildMeta
from leafward.store.snapshot import Snapshot
from leafward.store.store import Store
from leafward.store.verify import VerifyProblem, VerifyReport, verify

__all__ = [
    "BuildMeta",
    "CallCache",
    "CallStats",
    "Draft",
    "JournalEntry",
    "Snapshot",
    "Store",
    "VerifyProblem",
    "VerifyReport",
    "Wanted",
    "Where",
    "verify",
]
