"""The facade: build an index, open it, search it, check it."""

from leafward.library.checking import verify
from leafward.library.index import Index
from leafward.library.installation import doctor
from leafward.library.opening import abuild, build
from leafward.library.opening import open_index as open  # noqa: A004 - leafward.open, as in the docs
from leafward.library.planning import plan
from leafward.library.reports import Check, DoctorReport, IndexReport, PlanReport
from leafward.library.sources import read_source
from leafward.settings import JudgeName

__all__ = [
    "Check",
    "DoctorReport",
    "Index",
    "IndexReport",
    "JudgeName",
    "PlanReport",
    "abuild",
    "build",
    "doctor",
    "open",
    "plan",
    "read_source",
    "verify",
]
