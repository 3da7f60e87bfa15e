"""A hard limit on calls, tokens and money: the worst case is reserved before each attempt."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from leafward.errors import BudgetExceeded, ModelError
from leafward.models.layers import Layer
from leafward.models.prices import Prices, prices_missing
from leafward.models.stop import Stop
from leafward.models.worst import worst_case
from leafward.protocols import DEFAULT_SAMPLING, ChatModel
from leafward.settings import BudgetSettings
from leafward.types import NO_USAGE, Completion, JsonSchema, Message, Sampling, Usage

_POLL = 0.05  # seconds between looks at whether a reservation of others was given back


class Budget:
    """What a job may spend; one object is shared by all its models, tasks and threads.

    Spent plus reserved never passes a limit, as long as providers bill no more than was asked for:
    at most ``max_tokens`` of completion, and no more prompt than :func:`upper_tokens`.
    ``whole_job`` is False where it limits one search of many.
    """

    def __init__(self, settings: BudgetSettings, *, whole_job: bool = True) -> None:
        self.settings = settings
        self.whole_job = whole_job
        self._lock = threading.Lock()
        self._spent = NO_USAGE
        self._reserved: dict[int, Usage] = {}
        self._next = 0

    @property
    def spent(self) -> Usage:
        """What was settled so far, with what may have been billed for answers that were lost."""
        with self._lock:
            return self._spent

    @property
    def reserved(self) -> Usage:
        """What the attempts in flight may cost at most."""
        with self._lock:
            return sum(self._reserved.values(), NO_USAGE)

    def try_reserve(self, worst: Usage) -> Reservation | None:
        """Reserve the worst case; None where only what others reserved stands in the way.

        Raises:
            BudgetExceeded: even if all of that were given back, the call could overshoot.
            SettingsError: money is limited and the model's prices are unknown.
        """
        with self._lock:
            self._check(self._spent + worst)
            held = sum(self._reserved.values(), self._spent + worst)
            if self._passed(held) is not None:
                return None
            self._next += 1
            self._reserved[self._next] = worst
            return Reservation(self, self._next)

    async def reserve(self, worst: Usage, *, stop: Stop | None = None) -> Reservation:
        """Reserve the worst case, waiting for reservations of others where they are in the way.

        Raises:
            BudgetExceeded, SettingsError: as :meth:`try_reserve`.
            Interrupted: the user asked to stop.
        """
        while (reservation := self.try_reserve(worst)) is None:
            await asyncio.sleep(_POLL)
            if stop is not None:
                stop.check()
        return reservation

    def reserve_blocking(self, worst: Usage, *, stop: Stop | None = None) -> Reservation:
        """:meth:`reserve` for threads."""
        while (reservation := self.try_reserve(worst)) is None:
            time.sleep(_POLL)
            if stop is not None:
                stop.check()
        return reservation

    def _settle(self, number: int, actual: Usage | None) -> None:
        """End a reservation; None counts it in full."""
        with self._lock:
            worst = self._reserved.pop(number)
            self._spent += worst if actual is None else actual

    def _check(self, usage: Usage) -> None:
        if self.settings.money is not None and usage.money is None:
            raise prices_missing("this model")
        limit = self._passed(usage)
        if limit is not None:
            most = getattr(self.settings, limit)
            raise BudgetExceeded(
                f"the next call could pass the limit of {most:g} {_UNITS[limit]}"
                f" ({_amount(self._spent, limit):g} spent)",
                limit=limit,
                whole_job=self.whole_job,
                hint=f"raise {'budget.' if self.whole_job else 'max_'}{limit} and run this again: "
                "every answer so far is saved",
            )

    def _passed(self, usage: Usage) -> str | None:
        for limit in _UNITS:
            most = getattr(self.settings, limit)
            if most is not None and _amount(usage, limit) > most:
                return limit
        return None


class Reservation:
    """A part of a budget that is set aside for one attempt."""

    def __init__(self, budget: Budget, number: int) -> None:
        self._budget = budget
        self._number = number

    def settle(self, usage: Usage) -> None:
        """Replace what was reserved by what it cost."""
        self._budget._settle(self._number, usage)

    def settle_in_full(self) -> None:
        """Count all that was reserved: the provider may have billed an answer that was lost."""
        self._budget._settle(self._number, None)

    def release(self) -> None:
        """Give it back: nothing was billed."""
        self._budget._settle(self._number, NO_USAGE)

    def settle_failure(self, error: BaseException) -> None:
        """End it after a failure, by what the error says was billed (unknown counts in full)."""
        if isinstance(error, ModelError) and not error.billed:
            self.release()
        else:
            self.settle_in_full()


_UNITS = {"calls": "calls", "tokens": "tokens", "money": "dollars"}


def _amount(usage: Usage, limit: str) -> float:
    return {"calls": usage.calls, "tokens": usage.tokens, "money": usage.money or 0.0}[limit]


def check_prices(budget: Budget | None, spec: str, prices: Prices | None) -> None:
    """Raise SettingsError where money is limited and the prices of a model are unknown."""
    if budget is not None and budget.settings.money is not None and prices is None:
        raise prices_missing(spec)


_LIMITS: ContextVar[tuple[Budget, ...]] = ContextVar("leafward_limits", default=())


@contextmanager
def within(limits: Budget) -> Iterator[None]:
    """Chat calls made inside, and by tasks started inside, keep these limits as well.

    So one search of many has limits of its own, over a model that all of them share. Those of an
    outer ``within`` hold as well.
    """
    token = _LIMITS.set((*_LIMITS.get(), limits))
    try:
        yield
    finally:
        _LIMITS.reset(token)


class Budgeted(Layer):
    """Makes a call only where its worst case fits into the budget, and into those of `within`."""

    def __init__(
        self, inner: ChatModel, budget: Budget, prices: Prices | None, *, stop: Stop | None = None
    ) -> None:
        super().__init__(inner)
        self._budget = budget
        self._prices = prices
        self._stop = stop

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: JsonSchema | None = None,
        sampling: Sampling = DEFAULT_SAMPLING,
    ) -> Completion:
        """Answer once.

        Raises:
            BudgetExceeded: the call could overshoot the budget, and was not made.
        """
        reservations = await self._reserve(worst_case(messages, schema, sampling, self._prices))
        try:
            completion = await self._inner.complete(messages, schema=schema, sampling=sampling)
        except BaseException as error:  # cancellation too: the request may have been sent
            for reservation in reservations:
                reservation.settle_failure(error)
            raise
        for reservation in reservations:
            reservation.settle(completion.usage)
        return completion

    async def _reserve(self, worst: Usage) -> list[Reservation]:
        reserved: list[Reservation] = []
        try:
            for budget in (self._budget, *_LIMITS.get()):
                reservation = await budget.reserve(worst, stop=self._stop)
                reserved.append(reservation)
        except BaseException:
            for reservation in reserved:
                reservation.release()
            raise
        return reserved
