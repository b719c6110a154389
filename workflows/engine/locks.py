"""The fence between the engine and requests that stop a workflow.

Slices and starts hold it shared while they work for a workflow; a pause, a publication or a deletion takes it
exclusively. Once such a request has returned, no earlier step or start is running
(docs/decisions/0020-workflow-engine.md).

All code locks in one order, company by company in the order of their ids, and skips locks that it does not need:

1. the fences of workflows (their rows first, for exclusive locks);
2. the runs;
3. the lanes;
4. the locks on contacts' unique values, then records;
5. the waits of runs (timers, inbox, listeners, calls, approvals, each by id);
6. the buckets of starts.
"""

from __future__ import annotations

from collections.abc import Iterable

from django.db import connection

from core.ids import as_array

FENCE, LANES = 0x6C77_0014, 0x6C77_0017
"""First key of the advisory locks; the second is the workflow's."""


def lock_shared(workflow_ids: Iterable[str]) -> None:
    """Hold the workflows' fences shared until the transaction ends. They are locked in one order, all at once."""
    # hashtext gives four bytes: two workflows with the same hash wait for each other, which is rare and
    # harmless.
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_advisory_xact_lock_shared(%s, hashtext(id)) FROM unnest(%s::text[]) AS id",
            [FENCE, as_array(sorted(set(workflow_ids)))],
        )


def lock_event_types(ids: Iterable[str]) -> None:
    """Lock the lanes of records until the transaction ends.

    This serialises transactions that start a wait for an event about a record with those that publish one. No event is
    missed between them.
    """
    # Sorted, so that two publishers that name the same records never wait for each other in a circle.
    keys = sorted(set(ids))
    if not keys:
        return
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_advisory_xact_lock(%s, hashtext(id)) FROM unnest(%s::text[]) AS id", [LANES, as_array(keys)]
        )


def keep_runs(ids: Iterable[str]) -> None:
    """Keep the runs from being deleted until the transaction ends. A deletion locks a run before its waits, so that
    others must take both in this order, too."""
    with connection.cursor() as cursor:
        # KEY SHARE goes with the slice's NO KEY lock, so an arrival never waits for a run that is moving.
        cursor.execute(
            "SELECT id FROM workflows_workflowrun WHERE id = ANY(%s) ORDER BY id FOR KEY SHARE",
            [as_array(sorted(set(ids)))],
        )


def lock_alone(workflow_ids: Iterable[str]) -> None:
    """Take the workflows' fences exclusively until the transaction ends: waits for running slices and starts.

    The rows come first, because a change of a workflow locks its row and then its fence.
    """
    with connection.cursor() as cursor:
        # In a statement of its own: one statement could take the fence of a workflow before its row.
        cursor.execute(
            "SELECT id FROM workflows_workflow WHERE id = ANY(%s) ORDER BY id FOR NO KEY UPDATE",
            [sorted(set(workflow_ids))],
        )
        cursor.execute(
            "SELECT pg_advisory_xact_lock(%s, hashtext(id)) FROM unnest(%s::text[]) AS id",
            [FENCE, as_array(sorted(set(workflow_ids)))],
        )
