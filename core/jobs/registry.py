"""The registry of all kinds of work. One `register(...)` declares each, and the code that runs work reads WORK.

Most kinds have a Celery task of their own, which `register` adds (CeleryWork): queues, jobs, periodic tasks. The others
are parts of such a kind: event consumers of "events", actions of bulk jobs of "bulk-job".
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from django.core.exceptions import ImproperlyConfigured

from core.jobs.celery_tasks import add_task

if TYPE_CHECKING:
    from core.jobs.models import Claimable

W = TypeVar("W", bound="Work")
SLICE_SECONDS = 20.0
"""Seconds that a worker drains a kind of work before other kinds run."""


@dataclass(frozen=True)
class Work:
    """A kind of work: its name and its function."""

    name: str
    run: Callable[..., Any]

    part_of: ClassVar[str] = ""
    """The name of the drained work that runs it; empty for drained work itself."""

    @property
    def key(self) -> str:
        """The key in WORK: the name, prefixed by the name of the work that it is part of."""
        return f"{self.part_of}:{self.name}" if self.part_of else self.name


class CeleryWork(Work, ABC):
    """Work with a Celery task of its own, which drains it on the workers of `queue`."""

    queue: str
    task: str
    """The name of its Celery task: the app, a point, and the action."""
    while_held: bool
    """It runs in a restored copy that is held (core.hold): only work that neither reaches others nor deletes."""
    frees_claims: bool
    """It releases by itself the rows that it claimed, after a failed statement."""
    side_by_side: ClassVar[bool] = False
    """Several threads of a process may drain it at once; otherwise its process-local state belongs to one thread."""
    soft_time_limit: ClassVar[int] = 540
    """Seconds after which its task is interrupted by SoftTimeLimitExceeded."""
    time_limit: ClassVar[int] = 600
    """Seconds after which the process of its task is killed."""

    @property
    def slice_seconds(self) -> float:
        """Return the seconds that a worker drains it before other kinds run."""
        return SLICE_SECONDS

    @abstractmethod
    def drain(self, deadline: float) -> None:
        """Work until nothing is due or monotonic() passes the deadline."""


class DrainedWork(CeleryWork, ABC):
    """Work whose rows become due. The sweeper frees rows of `model` that dead workers held."""

    model: type[Claimable] | None

    @abstractmethod
    def due(self) -> bool:
        """Return whether anything is due."""


@dataclass(frozen=True)
class QueueWork(DrainedWork):
    """Work that is drained by a function.

    `run(deadline)` works until nothing is due or monotonic() passes the deadline. `has_due()` returns whether anything
    is due. `model` is the model of the rows that `run` claims, if it claims rows. `seconds` is its turn.
    `task`, `while_held` and `frees_claims`: CeleryWork.
    """

    run: Callable[[float], object]
    _: KW_ONLY
    has_due: Callable[[], bool]
    queue: str
    task: str
    model: type[Claimable] | None = None
    seconds: float = SLICE_SECONDS
    while_held: bool = False
    frees_claims: bool = False

    @property
    def slice_seconds(self) -> float:
        return self.seconds

    def drain(self, deadline: float) -> None:
        self.run(deadline)

    def due(self) -> bool:
        return self.has_due()


WORK: dict[str, Work] = {}


def register(work: Work) -> None:
    """Register a kind of work for the tick and the workers, and add its Celery task."""
    if WORK.setdefault(work.key, work) != work:
        raise ImproperlyConfigured(f"two kinds of work are called {work.key}")
    if isinstance(work, CeleryWork):
        add_task(work)


def registered(kind: type[W]) -> dict[str, W]:
    """Return the registered work of one type, by name."""
    return {work.name: work for work in WORK.values() if isinstance(work, kind)}


def drained() -> dict[str, DrainedWork]:
    """Return the registered work whose rows become due, by name."""
    return registered(DrainedWork)  # type: ignore[type-abstract]


def celery_work() -> dict[str, CeleryWork]:
    """Return the registered work that has a Celery task, by the name of that task."""
    return {work.task: work for work in WORK.values() if isinstance(work, CeleryWork)}
