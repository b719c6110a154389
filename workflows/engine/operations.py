"""Members' actions on runs: pause, resume, cancel, restart, delete. Each may be repeated.

Each takes the run's row lock, so it waits for the slice that holds the run. No step of the run starts after it has
returned.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone

from core.errors import PERMISSION, NamedError
from core.internals.django import raw_delete
from core.jobs import notify_workers
from core.lists import BulkSelection, in_batches
from core.types import JsonObject
from outreach.runs.genie.automated import cancel_messages_of, hold_messages_of, release_messages_of
from workflows.engine import completion, interpreter, locks, read_rights, subjects, writing
from workflows.engine.limits import limits
from workflows.engine.models import (
    LIVE,
    WORK,
    RunApproval,
    RunCall,
    RunInbox,
    RunListener,
    RunReady,
    RunStep,
    RunTimer,
    WorkflowRun,
)
from workflows.engine.run_state import RunState
from workflows.engine.slices import ACTIVE_STATUSES, PAUSED_TOGETHER, plan_of
from workflows.graphs.models import Workflow, WorkflowVersion
from workflows.graphs.plan import Plan
from workflows.graphs.rights import May

NOT_FOUND = "WorkflowRunNotFound_404"
Status = WorkflowRun.Status
SOLO = ("whenIdle", "replace")


def _lock_run(id: str) -> WorkflowRun:
    run: WorkflowRun | None = WorkflowRun.objects.select_for_update(of=("self",), no_key=True).filter(pk=id).first()
    if run is None:
        raise NamedError(NOT_FOUND, "there is no such run in this company", field="runId")
    return run


def _lock_fenced_run(id: str) -> WorkflowRun:
    """Lock a run that may continue: first the fence of its workflow, as slices do, and then its row."""
    # A run that goes on is the slices' business, so the fence comes before the row here too.
    locks.lock_shared(WorkflowRun.objects.filter(pk=id).values_list("workflow_id", flat=True))
    return _lock_run(id)


def _refusal(run: WorkflowRun, verb: str) -> NamedError:
    return NamedError("InvalidRequest_400", f"the run is {run.status}, it cannot be {verb}", field="runId")


def _write(run: WorkflowRun, **values: Any) -> None:
    for name, value in values.items():
        setattr(run, name, value)
    try:
        # A savepoint, so that the refusal by the unique key leaves the transaction usable.
        with transaction.atomic():
            WorkflowRun.objects.filter(pk=run.pk).update(**values, updated_at=timezone.now())
    except IntegrityError as error:
        if "workflowrun_solo" not in str(error):
            raise
        raise NamedError(
            "InvalidRequest_400", "another run of the workflow is under way for the same record", field="runId"
        ) from None


@transaction.atomic
def pause_run(*, id: str) -> None:
    """Pause an active run; its waits stay. Raises WorkflowRunNotFound_404, InvalidRequest_400."""
    run = _lock_run(id)
    if run.status == Status.PAUSED:
        # A run that was paused with its workflow stays paused when that is published again.
        if run.reason != "byMember":
            _write(run, reason="byMember")
        return
    if run.status not in ACTIVE_STATUSES:
        raise _refusal(run, "paused")
    _write(run, status=Status.PAUSED, reason="byMember")
    hold_messages_of([run.pk])


@transaction.atomic
def resume_run(*, id: str, shift: bool = False) -> None:
    """Resume a paused run at its present nodes, or a failed one at the nodes that failed.

    Waits that are over by then end at once; with `shift` they are extended by the length of the pause. Raises
    WorkflowRunNotFound_404, and InvalidRequest_400 for a run that has ended, or whose workflow is not published.
    """
    run = _lock_fenced_run(id)
    if run.status in ACTIVE_STATUSES:
        return
    if run.status not in (Status.PAUSED, Status.FAILED):
        raise _refusal(run, "resumed")
    workflow = _published_workflow(run)
    _refuse_without_record(run)
    if shift:
        elapsed = timezone.now() - run.updated_at
        RunTimer.objects.filter(run=run).update(due_at=F("due_at") + elapsed, is_enqueued=False)
    if run.status == Status.FAILED:
        state = RunState.from_json(run.state)
        interpreter.retry_failed_tokens(state)
        run.state = state.to_json()
    _go_on(run, workflow, plan_of(run.version_id))


def _published_workflow(run: WorkflowRun) -> Workflow:
    """Return the workflow of a fenced run. Raises InvalidRequest_400 if it is not published."""
    workflow: Workflow = Workflow.objects.get(pk=run.workflow_id)
    if workflow.is_deleted or workflow.status != Workflow.Status.PUBLISHED:
        raise NamedError("InvalidRequest_400", "its workflow is not published; publish it first", field="runId")
    return workflow


def _refuse_without_record(run: WorkflowRun) -> None:
    """Raise InvalidRequest_400 for a run whose record has been deleted, unless the deletion is its trigger."""
    if str(run.trigger.get("kind", "")).endswith(".deleted"):
        return
    for panel, find in (("contact", subjects.lock_contacts), ("lead", subjects.lock_leads)):
        id = getattr(run, f"{panel}_id")
        deleted, heir = find([id], write=False).get(id, (False, None)) if id else (False, None)
        if deleted and heir is None:
            raise NamedError("InvalidRequest_400", f"its {panel} has been deleted; restore it first", field="runId")


def _go_on(run: WorkflowRun, workflow: Workflow, plan: Plan, **values: Any) -> None:
    """Queue the run, with the state that it has. One without a place waits for one, as a new run does."""
    subject = run.lead_id or run.contact_id
    # It gave its place back when it ended or failed.
    if run.place is None and plan.config.concurrency is not None:
        values["place"] = limits.CONCURRENCY
    _write(
        run,
        status=Status.QUEUED,
        reason=limits.queue_reason(run, timezone.now()),
        hold_no=workflow.hold_no,
        state=run.state,
        solo_key=subject if plan.config.enrolment.mode in SOLO else None,
        error_node="",
        error_code="",
        error="",
        error_reason=None,
        finished_at=None,
        **values,
    )
    release_messages_of([run.pk])
    writing.notify_ready([(run.pk, run.priority)])
    if run.place is not None:
        writing.notify_places([None if run.place == limits.QUOTA else run.workflow_id])
    notify_workers(WORK)


@transaction.atomic
def cancel_run(*, id: str) -> None:
    """Cancel a run. Only a restart resumes it. Raises WorkflowRunNotFound_404, InvalidRequest_400 (completed)."""
    run = _lock_run(id)
    if run.status == Status.COMPLETED:
        raise _refusal(run, "cancelled")
    if run.status != Status.CANCELLED:
        # Answers on their way belong to the former epoch, and are dropped by a restart.
        WorkflowRun.objects.filter(pk=run.pk).update(epoch=run.epoch + 1)
        writing.cancel([run.pk], "byMember")


@transaction.atomic
def restart_run(
    *,
    id: str,
    may: May,
    place: str = "start",
    latest: bool = False,
    resend: bool = False,
    given: JsonObject | None = None,
) -> None:
    """Restart a run from its start, from the nodes that failed, or from a node; in its own version or the latest.

    Written data and the steps stay as history. External effects are not repeated unless `resend`. The values of its
    trigger are replaced by `given`. `may` returns whether the member has a permission.

    Raises WorkflowRunNotFound_404. Raises InvalidRequest_400 for an unknown place and for failed nodes that the latest
    version lacks. It also raises it for a workflow that is not published, or a record with another active run.
    For another version it raises UnauthorizedAction_403 where the member, and InvalidRequest_400 where its publisher
    may not read what the run holds.
    """
    run = _lock_fenced_run(id)
    workflow = _published_workflow(run)
    _refuse_without_record(run)
    version = workflow.version_id if latest else run.version_id
    plan = plan_of(version)
    state = RunState.from_json(run.state) if run.state else interpreter.begin(plan)
    # Part of each effect's key: with another one, mails and calls are made again.
    state.generation += 1 if resend else 0
    if version != run.version_id:
        state.reads = _checked_reads(run, version, may)
    if place == "failed":
        if not state.failed_tokens():
            raise NamedError("InvalidRequest_400", "no node of the run has failed", field="from")
        if version != run.version_id:
            _check_fits(state, plan_of(run.version_id), plan)
        interpreter.retry_failed_tokens(state, waiting=run.status == Status.CANCELLED)
    elif place == "start":
        state = interpreter.begin(plan, state)
    elif place in plan.nodes:
        state = interpreter.begin_at(state, place)
    else:
        raise NamedError(
            "InvalidRequest_400", f"start, failed, or a node of the version; not {place[:64]!r}", field="from"
        )
    epoch = run.epoch
    if place != "failed":
        # From another place the run waits for something else; failed nodes keep theirs.
        writing.remove_waits([run.pk])
        epoch += 1
    run.state = state.to_json()
    trigger = run.trigger if given is None else {**run.trigger, "input": given}
    # The limit of steps counts from the restart.
    _go_on(run, workflow, plan, epoch=epoch, version_id=version, trigger=trigger, seq=0)


def _checked_reads(run: WorkflowRun, version_id: str, may: May) -> list[str]:
    """Return the permissions to read that a run takes along to another version.

    Raises an error if the member, or the publisher of that version, may not read the values that the run holds.
    """
    reads = read_rights.reads_of_run(run)
    permissions = read_rights.missing_permissions(reads, read_rights.member_permissions(may))
    if permissions:
        text = f"the run holds values that your role may not read; it lacks {', '.join(permissions)}"
        raise NamedError("UnauthorizedAction_403", text, field="version", code=PERMISSION)
    version = WorkflowVersion.objects.select_related("published_by__role").get(pk=version_id)
    permissions = read_rights.missing_permissions(reads, read_rights.publisher_permissions(version.published_by))
    if permissions:
        text = "the run holds values that the publisher of the latest version may not read; they lack"
        raise NamedError("InvalidRequest_400", f"{text} {', '.join(permissions)}", field="version")
    return sorted({*run.state.get("reads", ()), *read_rights.reads_of_version(run.version_id)})


def _check_fits(state: RunState, old: Plan, new: Plan) -> None:
    """Raise InvalidRequest_400 if the new plan lacks a present node of the run, or has it with another type."""
    for id in sorted(state.places()):
        if id not in new.nodes or new.nodes[id].type is not old.nodes[id].type:
            raise NamedError(
                "InvalidRequest_400",
                f"the run stands at {id!r}, which the latest version does not have with the same type;"
                " restart from start, or from a node that it has",
                field="version",
            )


def delete_run(*, id: str) -> None:
    """Delete a run with its steps; one that is under way ends. Raises WorkflowRunNotFound_404."""
    with transaction.atomic():
        remove_runs([_lock_run(id).pk])


@transaction.atomic
def delete_runs(*, selection: BulkSelection) -> int:
    """Delete the selected runs with their steps. Returns how many.

    Raises WorkflowRunNotFound_404 when ids name none.
    """
    deleted = 0
    for ids in in_batches(selection.apply(WorkflowRun.objects.all()), lock=True):
        remove_runs(ids)
        deleted += len(ids)
    if not deleted and not selection.everything:
        raise NamedError(NOT_FOUND, "none of them is a run of this company", field="ids")
    return deleted


def remove_runs(ids: Iterable[str]) -> None:
    """Remove the runs with all that belongs to them, in the caller's transaction."""
    runs = WorkflowRun.objects.filter(pk__in=list(ids)).order_by("pk").select_for_update(of=("self",))
    run_ids = list(runs.values_list("pk", flat=True))  # from here on nothing is put into their inboxes
    writing.release_places(WorkflowRun.objects.filter(pk__in=run_ids))
    cancel_messages_of(list(runs.filter(status__in=LIVE).values_list("pk", flat=True)))
    writing.remove_waits(run_ids)
    # By hand, since Django's cascade would read all of their rows.
    parts = (RunReady, RunStep, RunCall, RunApproval)
    for model in parts:
        raw_delete(model._default_manager.filter(run__in=run_ids))
    raw_delete(WorkflowRun.objects.filter(pk__in=run_ids), cleared=(*parts, RunTimer, RunInbox, RunListener))


@transaction.atomic
def pause_runs(*, workflow_id: str) -> int:
    """Hold all active runs of the workflow, at once, until they are resumed. New runs start.

    Of a workflow that is not published, those are held that it would continue. Returns the number of held runs. Their
    statuses follow in batches, the first one here.
    """
    # When this returns, slices no longer move a run of the workflow.
    locks.lock_alone([workflow_id])
    open_runs = completion.open_runs(workflow_id)
    # One number holds all runs at once, however many; their own rows follow.
    Workflow.objects.filter(pk=workflow_id).update(hold_no=F("hold_no") + 1, settling=True)
    completion.settle(workflow_id)
    return open_runs


@transaction.atomic
def resume_runs(*, workflow_id: str) -> int:
    """Resume the runs that were held together. Return their number."""
    locks.lock_alone([workflow_id])
    workflow = Workflow.objects.get(pk=workflow_id)
    if workflow.status != Workflow.Status.PUBLISHED:
        raise NamedError("InvalidRequest_400", "the workflow is not published; publish it first", field="id")
    # An unfinished hold would otherwise pause runs after the release.
    while workflow.settling:
        completion.settle(workflow_id)
        workflow.refresh_from_db()
    runs = WorkflowRun.objects.filter(workflow=workflow_id, status=Status.PAUSED, reason=PAUSED_TOGETHER).order_by("pk")
    released = 0
    while number := completion.release(runs, workflow, completion.BATCH):
        released += number
    return released
