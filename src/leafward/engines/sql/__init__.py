"""SQL over an SQLite file that is only ever read: one statement, within limits."""

from leafward.engines.sql.engine import SqlEngine, as_ranking
from leafward.engines.sql.limits import SqlLimits

__all__ = ["SqlEngine", "SqlLimits", "as_ranking"]
