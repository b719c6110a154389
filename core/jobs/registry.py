"""The registry of all kinds of work: each is declared by one `register(...)`, and whatever runs work reads WORK.

Celery workers drain some of it (QueueWork, core.jobs.runner.JobWork). The other kinds are parts of one that is
drained: periodic tasks of "periodic", event consumers of "events", actions of bulk jobs of "bulk-job".
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from django.core.exceptions import ImproperlyConfigured

if TYPE_CHECKING:
    from core.jobs.models import Claimable

W = TypeVar("W", bound="Work")


@dataclass(frozen=True)
class Work:
    """A kind of work: its name, and the function that does it."""

    name: str
    run: Callable[..., Any]

    part_of: ClassVar[str] = ""
    """The name of the drained work that runs it; empty for drained work itself."""

    @property
    def key(self) -> str:
        """Its key in WORK: the name, prefixed by that of the work which it is a part of."""
        return f"{self.part_of}:{self.name}" if self.part_of else self.name


class DrainedWork(Work, ABC):
    """Work that the Celery workers of `queue` drain; the sweeper frees the rows of `model` that dead workers held."""

    queue: str
    model: type[Claimable] | None

    @abstractmethod
    def drain(self, deadline: float) -> None:
        """Work until nothing is due or monotonic() passes the deadline."""

    @abstractmethod
    def due(self) -> bool:
        """Whether anything is due."""


@dataclass(frozen=True)
class QueueWork(DrainedWork):
    """Anything that is drained.

    `run(deadline)` works until nothing is due or monotonic() passes the deadline, `has_due()` says whether anything is
    due, and `model` names the rows that `run` claims, if it claims rows.
    """

    run: Callable[[float], object]
    _: KW_ONLY
    has_due: Callable[[], bool]
    queue: str
    model: type[Claimable] | None = None

    def drain(self, deadline: float) -> None:
        self.run(deadline)

    def due(self) -> bool:
        return self.has_due()


WORK: dict[str, Work] = {}


def register(work: Work) -> None:
    """Make a kind of work known to the tick and the workers."""
    if WORK.setdefault(work.key, work) != work:
        raise ImproperlyConfigured(f"two kinds of work are called {work.key}")


def registered(kind: type[W]) -> dict[str, W]:
    """The registered work of one type, by name."""
    return {work.name: work for work in WORK.values() if isinstance(work, kind)}


def drained() -> dict[str, DrainedWork]:
    """The registered work that Celery workers drain, by name."""
    return {work.name: work for work in WORK.values() if isinstance(work, DrainedWork)}
