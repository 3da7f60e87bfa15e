"""Query writing for users: a writer over an engine by name, needs from files, a blocking scorer."""

from leafward.library.writing.asking import as_need
from leafward.library.writing.needs import read_needs
from leafward.library.writing.scoring import Scorer
from leafward.library.writing.storing import kept_answers
from leafward.library.writing.writer import QueryWriter
from leafward.library.writing.written import Written

__all__ = ["QueryWriter", "Scorer", "Written", "as_need", "kept_answers", "read_needs"]
