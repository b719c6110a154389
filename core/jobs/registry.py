"""The registry of all kinds of work. One `register(...)` declares each, and the code that runs work reads WORK.

Most kinds have a Celery task of their own, which `register` adds (CeleryWork): queues, jobs, periodic tasks. The others
are parts of such a kind: event consumers of "events", actions of bulk jobs of "bulk-job".
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from django.core.exceptions import ImproperlyConfigured
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from core.jobs.celery_tasks import add_task
from core.tenancy import unscoped

if TYPE_CHECKING:
    from core.jobs.models import Claimable

W = TypeVar("W", bound="Work")
Moment = datetime | Now
"""A time, or the present of whenever the statement runs, for statements that are kept (core.jobs.due)."""
SLICE_SECONDS = 20.0
"""Seconds that a worker drains a kind of work before other kinds run."""
QUICK_SECONDS = 2.0
"""The same for work of QUICK, whose kinds wait for each other."""
QUICK = frozenset({"tick", "send", "workflows"})
"""Queues of work that must begin soon."""


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
        return QUICK_SECONDS if self.queue in QUICK else SLICE_SECONDS

    @abstractmethod
    def drain(self, deadline: float) -> None:
        """Work until nothing is due or monotonic() passes the deadline."""


class DrainedWork(CeleryWork, ABC):
    """Work whose rows become due. The sweeper frees rows of `model` that dead workers held."""

    model: type[Claimable] | None

    @abstractmethod
    def rows_due_at(self, now: Moment) -> list[QuerySet[Any]]:
        """Return the rows of all companies that are due at a time, by table. Each queryset must use an index."""

    def due(self) -> bool:
        """Return whether anything is due."""
        with unscoped(reason="tick: due work of all companies"):
            return any(rows.exists() for rows in self.rows_due_at(timezone.now()))


@dataclass(frozen=True)
class QueueWork(DrainedWork):
    """Work that is drained by a function.

    `run(deadline)` works until nothing is due or monotonic() passes the deadline. `model` is the model of the rows that
    `run` claims, if it claims rows. `due_rows(now)` returns the rows that are due (DrainedWork.rows_due_at); without
    it, these are the rows of `model` that may be claimed. `seconds` is its slice, if it is not that of its queue.
    `task`, `while_held` and `frees_claims`: CeleryWork.
    """

    run: Callable[[float], object]
    _: KW_ONLY
    queue: str
    task: str
    model: type[Claimable] | None = None
    due_rows: Callable[[Moment], list[QuerySet[Any]]] | None = None
    seconds: float | None = None
    while_held: bool = False
    frees_claims: bool = False

    @property
    def slice_seconds(self) -> float:
        return super().slice_seconds if self.seconds is None else self.seconds

    def drain(self, deadline: float) -> None:
        self.run(deadline)

    def rows_due_at(self, now: Moment) -> list[QuerySet[Any]]:
        if self.due_rows is not None:
            return self.due_rows(now)
        if self.model is None:
            raise ImproperlyConfigured(f"work {self.name} needs due_rows or a model")
        return [self.model.claimable(now)]


WORK: dict[str, Work] = {}


def register(work: Work) -> None:
    """Register a kind of work for the tick and the workers, and add its Celery task."""
    if WORK.setdefault(work.key, work) != work:
        raise ImproperlyConfigured(f"two kinds of work are called {work.key}")
    if isinstance(work, CeleryWork):
        add_task(work)


def work_by_name(kind: type[W]) -> dict[str, W]:
    """Return the registered work of one type, by name."""
    return {work.name: work for work in WORK.values() if isinstance(work, kind)}


def queue_work_by_name() -> dict[str, DrainedWork]:
    """Return the registered work whose rows become due, by name."""
    return work_by_name(DrainedWork)  # type: ignore[type-abstract]


def celery_work() -> dict[str, CeleryWork]:
    """Return the registered work that has a Celery task, by the name of that task."""
    return {work.task: work for work in WORK.values() if isinstance(work, CeleryWork)}
