"""Runs of older versions when a workflow is published again: they keep theirs, move to the new one, or end."""

from __future__ import annotations

from django.db import connection
from django.db.models import F, QuerySet
from django.utils import timezone

from accounts.models import Member
from core.text.json import dumps
from core.types import JsonObject, Values
from workflows.engine import read_rights, writing
from workflows.engine.models import WorkflowRun
from workflows.graphs.events import WEBHOOK
from workflows.graphs.models import Workflow, WorkflowVersion

KEEP = "keep"
MOVE = "move"
CANCEL = "cancel"
REPLACED = "replaced"
Status = WorkflowRun.Status
OPEN = (Status.QUEUED, Status.RUNNING, Status.WAITING, Status.PAUSED)
# A running one is in a slice at this time, and its call may be out.
STANDING = (Status.QUEUED, Status.WAITING, Status.PAUSED)
"""Statuses in which nothing of a run is under way outside: such runs can move."""

FITS = """
r.workflow_id = %(workflow)s AND r.version_id = %(old)s AND r.status = ANY(%(standing)s)
AND NOT EXISTS (
    SELECT FROM jsonb_each(r.state -> 'tokens') AS token WHERE NOT token.value ->> 0 = ANY(%(nodes)s)
) AND NOT EXISTS (
    SELECT FROM jsonb_each(r.state -> 'joins') AS scope, jsonb_object_keys(scope.value) AS id
    WHERE NOT id = ANY(%(nodes)s)
) AND coalesce(r.state -> 'reads', '[]') <@ %(readable)s::jsonb
AND (%(any_input)s OR r.trigger ->> 'kind' IS DISTINCT FROM %(webhook)s AND coalesce(r.trigger -> 'input', '{}') = '{}')
"""
"""Condition for moving a run: the new version has each present node of the run, and each join that it has reached,
with the same type. Its publisher may read the values that the run has got (workflows.engine.read_rights)."""

COUNT = f"SELECT count(*) FROM workflows_workflowrun r WHERE {FITS}"  # noqa: S608  (constants)
TAKE = f"""
UPDATE workflows_workflowrun SET version_id = %(new)s, updated_at = %(now)s,
    state = CASE WHEN state = '{{}}' THEN state ELSE jsonb_set(state, '{{reads}}', (
        SELECT coalesce(jsonb_agg(DISTINCT permission), '[]')
        FROM jsonb_array_elements(coalesce(state -> 'reads', '[]') || %(reads)s::jsonb) AS permission
    )) END
WHERE id IN (SELECT id FROM workflows_workflowrun r WHERE {FITS} ORDER BY id LIMIT %(most)s FOR NO KEY UPDATE)
"""  # noqa: S608  (constants)


def older_runs(workflow_id: str, version_id: str | None) -> QuerySet[WorkflowRun]:
    """Return the runs under way that have another version."""
    runs: QuerySet[WorkflowRun] = WorkflowRun.objects.filter(workflow=workflow_id, status__in=OPEN)
    return runs.exclude(version=version_id) if version_id is not None else runs


def count_older_runs(
    workflow_id: str, version_id: str | None, graph: Values, publisher: Member | None
) -> dict[str, int]:
    """Count the older runs for each choice: keep them, move those that fit, cancel them."""
    runs = older_runs(workflow_id, version_id)
    number = runs.count()
    fitting = 0
    with connection.cursor() as cursor:
        for params in _by_version(runs, workflow_id, graph, publisher):
            cursor.execute(COUNT, params)
            fitting += cursor.fetchone()[0]
    return {KEEP: number, MOVE: fitting, CANCEL: number}


def migrate_runs(workflow: Workflow, most: int) -> int:
    """Move or cancel at most so many older runs of a fenced workflow, by its setting. Fewer than `most` means none is
    left.

    Returns how many. Moved runs keep their places, values, waits and effects. Those that do not fit keep their version.
    """
    if workflow.carry == CANCEL:
        older = older_runs(workflow.pk, workflow.version_id).select_for_update(of=("self",), no_key=True)
        ids = list(older.order_by("pk").values_list("pk", flat=True)[:most])
        # What they waited for must not wake them if a member restarts them.
        WorkflowRun.objects.filter(pk__in=ids).update(epoch=F("epoch") + 1)
        return writing.cancel(ids, REPLACED)
    if workflow.carry != MOVE or workflow.version is None:
        return 0
    older = older_runs(workflow.pk, workflow.version_id)
    version = workflow.version
    run_count = 0
    with connection.cursor() as cursor:
        for params in _by_version(older, workflow.pk, version.graph, version.published_by):
            if run_count < most:
                values = {"new": workflow.version_id, "now": timezone.now(), "most": most - run_count}
                cursor.execute(TAKE, {**params, **values})
                run_count += cursor.rowcount
    return run_count


def _by_version(
    runs: QuerySet[WorkflowRun], workflow_id: str, graph: Values, publisher: Member | None
) -> list[JsonObject]:
    """Return the parameters of FITS for each version that the runs have, and whose reads the publisher has too."""
    readable = read_rights.publisher_permissions(publisher)
    types = {node["id"]: node["type"] for node in graph["nodes"]}
    versions = WorkflowVersion.objects.filter(pk__in=runs.order_by().values("version").distinct())
    return [
        {
            "workflow": workflow_id,
            "old": version.pk,
            "reads": dumps(read_rights.reads_of_version(version.pk)).decode(),
            "readable": dumps(sorted(readable)).decode(),
            "any_input": readable >= set(read_rights.OF_RECORDS),
            "webhook": WEBHOOK,
            "standing": [str(status) for status in STANDING],
            # Only nodes of the same type: another one could not read the settings and arrivals of its visit.
            "nodes": [
                old_node["id"] for old_node in version.graph["nodes"] if types.get(old_node["id"]) == old_node["type"]
            ],
        }
        for version in versions.order_by("pk")
        if readable >= set(read_rights.reads_of_version(version.pk))
    ]
