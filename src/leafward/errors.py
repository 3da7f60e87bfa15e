"""One tree of errors: each names its fix in ``hint`` and says whether trying again can help."""

from __future__ import annotations

from pathlib import Path


class LeafwardError(Exception):
    """Base of every error that Leafward raises on purpose."""

    retryable: bool = False

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class SettingsError(LeafwardError):
    """A setting is missing, unknown or out of range."""


class MethodError(SettingsError):
    """A method of retrieval that cannot be read; ``column`` counts from 1."""

    def __init__(self, message: str, *, column: int, hint: str = "") -> None:
        super().__init__(f"method, column {column}: {message}", hint=hint)
        self.column = column


class MissingExtra(LeafwardError):
    """A feature needs packages that are not installed."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(
            f"{package} is not installed",
            hint=f"pip install 'leafward[{extra}]', then run this again",
        )
        self.package = package
        self.extra = extra


class CorpusError(LeafwardError):
    """Input that cannot be read as documents, with the place where it stands."""

    def __init__(
        self, message: str, *, path: Path | None = None, line: int | None = None, hint: str = ""
    ) -> None:
        place = f"{path}:{line}: " if path and line else f"{path}: " if path else ""
        super().__init__(place + message, hint=hint)
        self.path = path
        self.line = line


class StoreError(LeafwardError):
    """The index directory is missing, damaged, locked or of another version."""


class IndexNotFound(StoreError):
    """There is no index at this path, or none that was published."""


class IndexDamaged(StoreError):
    """Two parts of the index contradict each other."""


class IndexBusy(StoreError):
    """Another process is writing to the index."""

    retryable = True


class ModelError(LeafwardError):
    """A model call failed.

    ``billed`` says what the provider may have charged for it: False where the request was turned
    away, True where an answer was made or may have been made before the failure. ``of_request``
    says whose trouble it is: True where another request may well succeed (an answer that cannot be
    used, a prompt too long), False where the provider, the key or the network is at fault.
    """

    billed: bool = False
    of_request: bool = False


class ModelUnavailable(ModelError):
    """The provider could not be reached, or answered with a server error."""

    retryable = True


class ModelTimeout(ModelUnavailable):
    """No answer within the deadline, or the connection broke in the middle of one."""

    billed = True


class RateLimited(ModelUnavailable):
    """The provider asks us to slow down; ``retry_after`` is in seconds where it says how long."""

    def __init__(self, message: str, *, retry_after: float | None = None, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.retry_after = retry_after


class ModelRejected(ModelError):
    """The provider refuses the request itself: bad key, unknown model, prompt too long."""

    def __init__(self, message: str, *, of_request: bool = False, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.of_request = of_request


class UnusableOutput(ModelError):
    """The model answered, but not with what was asked for, even after a re-ask."""

    billed = True
    of_request = True


class ModelRefused(UnusableOutput):
    """The model declined to answer."""


class WeightsError(LeafwardError):
    """A model file is missing, or is not the file whose checksum is pinned."""


class BudgetExceeded(LeafwardError):
    """The next call could overshoot the budget, so it was not made; ``limit`` names which one.

    ``whole_job`` is False where the budget is that of one search, so that others may go on.
    """

    def __init__(self, message: str, *, limit: str, whole_job: bool = True, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.limit = limit
        self.whole_job = whole_job


class Interrupted(LeafwardError):
    """The user asked to stop; what was in flight has been saved."""


class QuerySyntaxError(LeafwardError):
    """An expression that the engine cannot parse; ``column`` counts from 1."""

    def __init__(self, message: str, *, column: int | None = None, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.column = column


class EngineUnavailable(LeafwardError):
    """The engine is down, rate-limited or too slow: our fault, never the query's.

    ``retry_after`` is in seconds where a service says how long to wait.
    """

    retryable = True

    def __init__(self, message: str, *, retry_after: float | None = None, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.retry_after = retry_after


class EngineUnreachable(EngineUnavailable):
    """No connection to the engine could be made, so that nothing was sent."""


class EngineRefuses(EngineUnavailable):
    """The engine will not take the request as we make it, whatever the expression says."""

    retryable = False
