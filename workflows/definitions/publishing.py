"""Publication of drafts as numbered versions, and the other statuses of workflows."""

from __future__ import annotations

import secrets
from collections.abc import Mapping

from django.db import transaction
from django.utils import timezone

from accounts.models import Member
from core.errors import NamedError
from core.events import emit
from core.types import JsonObject
from crm.segments.tracking import refresh_watches
from workflows.definitions.selectors import graph_of, kept_workflows
from workflows.engine import completion, locks, version_migration
from workflows.engine.models import WorkflowInterest
from workflows.engine.plans import plan_of
from workflows.graphs.events import SCHEDULE, TRIGGER_EVENTS, WEBHOOK
from workflows.graphs.models import Workflow, WorkflowTrigger, WorkflowVersion
from workflows.graphs.rights import May, allow_all, missing_permissions
from workflows.graphs.validation import check_draft
from workflows.schedules.times import first_time

Status = Workflow.Status


class NotPublishable(NamedError):
    """ValidationError_400 with all problems of the draft."""

    def __init__(self, errors: list[JsonObject], detail: str) -> None:
        super().__init__("ValidationError_400", detail, errors=())
        self.extra = {"errors": errors}


def change_status(workflow: Workflow, status: str, member_id: str, may: May = allow_all) -> None:
    """Give a locked workflow another status. Raises ValidationError_400 where it cannot be published."""
    if status == Status.PUBLISHED:
        publish(workflow, member_id, may=may)
    elif workflow.status != status:
        _withdraw(workflow, status, member_id)


def _require_valid(workflow: Workflow, may: May) -> JsonObject:
    """Return the draft's graph. Raises ValidationError_400, which names all problems, where it cannot run."""
    graph = graph_of(workflow)
    plan, problems = check_draft(graph, workflow.pk, may)
    if plan is None or problems.errors:
        message = "; ".join(str(problem) for problem in problems.errors[:20])
        raise NotPublishable(problems.as_json()["errors"], message)
    return graph


@transaction.atomic
def publish(
    workflow: Workflow, member_id: str, runs: str = version_migration.KEEP, may: May = allow_all
) -> dict[str, int]:
    """Publish the draft of a locked workflow as the version for new runs, and release held runs.

    Runs of older versions keep theirs, move to the new one or are cancelled (`runs`), in batches, the first one here.
    Those whose values the publisher may not read are not moved. Returns the number of each. An unchanged draft creates
    no new version, unless another member moves runs to it. Raises ValidationError_400 with all problems.
    """
    graph = _require_valid(workflow, may)
    locks.lock_alone([workflow.pk])
    while workflow.carry:  # finish the migration of an earlier version by its own mode first
        completion.settle(workflow.pk)
        workflow.refresh_from_db()
    current = _kept_version(workflow, graph, member_id, runs)
    if current is None or _is_disallowed(current):
        workflow.latest += 1
        current = WorkflowVersion.objects.create(
            workflow=workflow, number=workflow.latest, graph=graph, published_by_id=member_id
        )
        new = True
    else:
        new = workflow.status != Status.PUBLISHED
    concerned = version_migration.count_older_runs(workflow.pk, current.pk, graph, current.published_by)
    counts = _older_run_counts(concerned, runs)
    workflow.carry = "" if runs == version_migration.KEEP else runs
    if new:
        _announce(workflow, current, member_id)
    elif workflow.carry:
        Workflow.objects.filter(pk=workflow.pk).update(carry=workflow.carry, settling=True)
    if new or workflow.carry:
        completion.settle(workflow.pk)
    return counts


def _kept_version(workflow: Workflow, graph: JsonObject, member_id: str, runs: str) -> WorkflowVersion | None:
    """Return the present version if the draft equals it, and None where a new one is needed.

    Members move runs to versions of their own only: the rights of the publisher decide which runs move.
    """
    current = WorkflowVersion.objects.filter(pk=workflow.version_id).first() if workflow.version_id else None
    if current is None or current.graph != graph:
        return None
    return None if runs == version_migration.MOVE and current.published_by_id != member_id else current


def _is_disallowed(version: WorkflowVersion) -> bool:
    """Return whether the version's publisher lacks a permission by now: it needs another publisher."""
    publisher = version.published_by
    return publisher is not None and bool(missing_permissions(plan_of(version.pk), publisher.may_on_all))


def _older_run_counts(concerned: Mapping[str, int], runs: str) -> dict[str, int]:
    """Return how many older runs are kept, moved and cancelled by a choice."""
    left_runs = 0 if runs == version_migration.KEEP else concerned[runs]
    counts = {
        version_migration.KEEP: concerned[version_migration.KEEP] - left_runs,
        version_migration.MOVE: 0,
        version_migration.CANCEL: 0,
    }
    return counts if runs == version_migration.KEEP else {**counts, runs: left_runs}


def _announce(workflow: Workflow, current: WorkflowVersion, member_id: str) -> None:
    """Register the workflow's triggers, so that it starts runs by the version."""
    now = timezone.now()
    graph = current.graph
    kind = workflow.trigger_event_type
    if kind == WEBHOOK and not workflow.hook_token:
        workflow.hook_token = secrets.token_urlsafe(32)
    workflow.version = current
    workflow.status = Status.PUBLISHED
    workflow.published_at = now
    workflow.next_fire_at = first_time(graph["schedule"], now) if kind == SCHEDULE else None
    workflow.settling = True
    workflow.updated_by_id = member_id
    workflow.save()
    WorkflowTrigger.objects.filter(workflow=workflow).exclude(kind=kind).delete()
    if kind in TRIGGER_EVENTS:
        WorkflowTrigger.objects.get_or_create(workflow=workflow, kind=kind)
    refresh_watches()
    _hear(workflow, plan_of(current.pk).events)
    payload = {"name": workflow.name, "version": current.number}
    emit("workflow.published", [workflow.pk], payloads={workflow.pk: payload}, actor_id=member_id)


def _hear(workflow: Workflow, kinds: set[str]) -> None:
    """Subscribe the workflow to events of these kinds; runs of former versions still receive theirs."""
    interests = WorkflowInterest.objects.filter(workflow=workflow)
    if not completion.open_runs(workflow.pk):
        interests.exclude(kind__in=kinds).delete()
    # Kinds of the former version have their rows already.
    WorkflowInterest.objects.bulk_create(
        [WorkflowInterest(workflow=workflow, kind=kind) for kind in sorted(kinds)], ignore_conflicts=True
    )


def _withdraw(workflow: Workflow, status: str, member_id: str) -> None:
    """Unpublish or pause a locked workflow: its runs are held, and new ones don't begin."""
    if status == Status.PAUSED and workflow.version_id is None:
        raise NamedError("InvalidInput_400", "only a published workflow can be paused", field="status")
    locks.lock_alone([workflow.pk])
    was = workflow.status
    workflow.status = status
    workflow.settling = True
    workflow.updated_by_id = member_id
    if status == Status.UNPUBLISHED:
        workflow.next_fire_at = None
    workflow.save()
    if status == Status.UNPUBLISHED:
        WorkflowTrigger.objects.filter(workflow=workflow).delete()
        refresh_watches()
    kind = "workflow.unpublished" if status == Status.UNPUBLISHED else "workflow.updated"
    payload = {"name": workflow.name, "from": was, "to": status}
    emit(kind, [workflow.pk], payloads={workflow.pk: payload}, actor_id=member_id)
    completion.settle(workflow.pk)


@transaction.atomic
def publish_workflow(
    *, id: str, member_id: str, runs: str = version_migration.KEEP, dry_run: bool = False, may: May = allow_all
) -> dict[str, int]:
    """Publish a workflow. Return the numbers of runs of older versions that were kept, moved and cancelled.

    `may` returns whether the member has a permission: a workflow cannot exceed its publisher's. A dry run publishes
    nothing, and returns the number for each choice. Raises WorkflowNotFound_404, ValidationError_400.
    """
    if not dry_run:
        return publish(_lock_workflow(id), member_id, runs, may)
    workflow = _lock_workflow(id)
    graph = _require_valid(workflow, may)
    current = _kept_version(workflow, graph, member_id, version_migration.MOVE)
    publisher = Member.objects.filter(pk=member_id).first()
    return version_migration.count_older_runs(workflow.pk, None if current is None else current.pk, graph, publisher)


@transaction.atomic
def unpublish_workflow(*, id: str, member_id: str) -> None:
    """Unpublish a workflow. Raises WorkflowNotFound_404."""
    change_status(_lock_workflow(id), Status.UNPUBLISHED, member_id)


@transaction.atomic
def restore_version(*, id: str, number: int, member_id: str) -> None:
    """Make a version the draft again. Raises WorkflowNotFound_404."""
    workflow = _lock_workflow(id)
    graph = get_version(workflow.pk, number).graph
    workflow.trigger_event_type = graph["triggerEventType"]
    workflow.schedule = graph["schedule"]
    workflow.config = graph["config"]
    workflow.nodes = graph["nodes"]
    workflow.edges = graph["edges"]
    workflow.updated_by_id = member_id
    workflow.save()
    emit("workflow.updated", [id], payloads={id: {"name": workflow.name, "version": number}}, actor_id=member_id)


def read_number(text: str) -> int:
    """Return the number of a version. Raises WorkflowNotFound_404 for an invalid number."""
    if not text.isascii() or not text.isdecimal() or len(text) > 8:
        raise NamedError("WorkflowNotFound_404", "versions are numbered from 1", field="number")
    return int(text)


def graph_numbered(workflow: Workflow, text: str, where: str) -> JsonObject:
    """Return the graph of a version, or that of the draft. Raises InvalidInput_400, WorkflowNotFound_404."""
    if text == "draft":
        return graph_of(workflow)
    if not text:
        raise NamedError("InvalidInput_400", "needs the number of a version, or draft", field=where)
    graph: JsonObject = get_version(workflow.pk, read_number(text)).graph
    return graph


def get_version(workflow_id: str, number: int) -> WorkflowVersion:
    """Return a version of a workflow. Raises WorkflowNotFound_404."""
    version: WorkflowVersion | None = WorkflowVersion.objects.filter(workflow=workflow_id, number=number).first()
    if version is None:
        raise NamedError("WorkflowNotFound_404", f"the workflow has no version {number}", field="number")
    return version


def _lock_workflow(id: str) -> Workflow:
    # NO KEY UPDATE, so that runs, which refer to the workflow, can start at the same time.
    workflow: Workflow | None = kept_workflows().select_for_update(of=("self",), no_key=True).filter(pk=id).first()
    if workflow is None:
        raise NamedError("WorkflowNotFound_404", "there is no such workflow in this company", field="id")
    return workflow
