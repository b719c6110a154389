"""The permissions to read the values that a run holds. They survive a change of version."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from accounts.models import Member
from accounts.roles.permissions import MODULES
from core.errors import NamedError
from core.events.kinds import EVENT_KINDS, module_of
from core.types import Values
from workflows.engine.models import WorkflowRun
from workflows.engine.plans import plan_of
from workflows.graphs.events import WEBHOOK
from workflows.graphs.rights import PANELS, May, required_permissions

READS = frozenset(f"{module}.GET" for module in (*MODULES, *map(module_of, EVENT_KINDS)))
"""All permissions to read. Some modules of events are in no role: they are for owners."""
OF_EVENTS = frozenset(f"{module_of(kind)}.GET" for kind in EVENT_KINDS)
"""All permissions to read events."""
OF_RECORDS = tuple(f"{panel}.GET" for panel in PANELS)
"""Permissions for values that may come from any record."""


@lru_cache(maxsize=1024)
def reads_of_version(version_id: str) -> tuple[str, ...]:
    """Return the permissions for the values that runs of a version read."""
    try:
        plan = plan_of(version_id)
    except NamedError:  # its graph can no longer run, so what its runs have read is unknown
        return OF_RECORDS
    return tuple(
        dict.fromkeys(need.permission for need in required_permissions(plan) if need.permission.endswith(".GET"))
    )


def reads_of_run(run: WorkflowRun) -> tuple[str, ...]:
    """Return the permissions for the values that a run holds: of its trigger, its version and the versions before."""
    reads = [*reads_of_version(run.version_id), *run.state.get("reads", ()), *_reads_of_trigger(run.trigger)]
    return tuple(dict.fromkeys(reads))


def reads_of_events(kinds: Iterable[object]) -> list[str]:
    """Return the permissions to read events of these kinds."""
    return [f"{module_of(kind)}.GET" for kind in kinds if isinstance(kind, str) and kind in EVENT_KINDS]


def _reads_of_trigger(trigger: Values) -> tuple[str, ...]:
    """Return the permissions for the values of a trigger. Those of calls and inputs may come from any record."""
    kind = trigger.get("kind", "")
    if kind == WEBHOOK or trigger.get("input"):
        return OF_RECORDS
    return tuple(reads_of_events([kind]))


def member_permissions(may: May) -> frozenset[str]:
    """Return all permissions to read that a member has."""
    return frozenset(read for read in READS if may(*read.split(".")))


def publisher_permissions(publisher: Member | None) -> frozenset[str]:
    """Return all permissions to read that the publisher of a version has. None has them all, as the service."""
    return READS if publisher is None else member_permissions(publisher.may_on_all)


def missing_permissions(reads: Iterable[str], readable: frozenset[str]) -> list[str]:
    """Return the permissions that are not among the readable ones."""
    return [read for read in reads if read not in readable]
