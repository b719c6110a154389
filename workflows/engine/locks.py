"""The fence between the engine and those who stop a workflow.

Slices and starts hold it shared while they work for a workflow; a pause, a publication or a deletion takes it alone. So
once such a request has answered, no step and no start of before is under way (docs/decisions/0020-workflow-engine.md).

Everybody locks in one order, company by company in the order of their ids, and leaves out what they do not need: the
fences of workflows (their rows first, for who takes them alone); the runs; the lanes; what makes contacts unique, then
records; what runs wait for (timers, inbox, listeners, calls, approvals, each by id); the buckets of starts.
"""

from __future__ import annotations

from collections.abc import Iterable

from django.db import connection

from core.ids import as_array

FENCE, LANES = 0x6C77_0014, 0x6C77_0017
"""First key of the advisory locks; the second is the workflow's."""


def lock_shared(workflow_ids: Iterable[str]) -> None:
    """Hold the workflows' fences shared until the transaction ends. They are locked in one order, all at once."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_advisory_xact_lock_shared(%s, hashtext(id)) FROM unnest(%s::text[]) AS id",
            [FENCE, as_array(sorted(set(workflow_ids)))],
        )


def lock_lanes(ids: Iterable[str]) -> None:
    """Hold the lanes of records until the transaction ends: whoever begins to wait for an event about a record, and who
    tells of one, do it one after the other, so that no event falls between them."""
    wanted = sorted(set(ids))
    if not wanted:
        return
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_advisory_xact_lock(%s, hashtext(id)) FROM unnest(%s::text[]) AS id", [LANES, as_array(wanted)]
        )


def keep_runs(ids: Iterable[str]) -> None:
    """Keep the runs from being deleted until the transaction ends. Whoever deletes one holds it before what it waits
    for, so that others take both in this order, too."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id FROM workflows_workflowrun WHERE id = ANY(%s) ORDER BY id FOR KEY SHARE",
            [as_array(sorted(set(ids)))],
        )


def lock_alone(workflow_ids: Iterable[str]) -> None:
    """Take the workflows' fences alone until the transaction ends: waits for slices and starts that are under way.

    The rows come first, as whoever changes a workflow locks its row and then its fence.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id FROM workflows_workflow WHERE id = ANY(%s) ORDER BY id FOR NO KEY UPDATE",
            [sorted(set(workflow_ids))],
        )
        cursor.execute(
            "SELECT pg_advisory_xact_lock(%s, hashtext(id)) FROM unnest(%s::text[]) AS id",
            [FENCE, as_array(sorted(set(workflow_ids)))],
        )
