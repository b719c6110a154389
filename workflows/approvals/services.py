"""Answers of members to the questions of runs."""

from __future__ import annotations

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from core.errors import NamedError
from core.types import JsonObject
from workflows.engine import locks
from workflows.engine.models import RunApproval
from workflows.engine.waits import inbox
from workflows.engine.waits.inbox import Arrival

NOT_FOUND, ANSWERED = "WorkflowApprovalNotFound_404", "WorkflowApprovalAnswered_409"
Status = RunApproval.Status


def approvals_of(member_id: str) -> QuerySet[RunApproval]:
    """Return the questions that the member may answer, or might have."""
    approvals: QuerySet[RunApproval] = RunApproval.objects.filter(members__contains=[member_id])
    return approvals


def open_approvals_of(member_id: str) -> QuerySet[RunApproval]:
    """Return the questions that wait for the member."""
    return approvals_of(member_id).filter(status=Status.OPEN)


@transaction.atomic
def answer(*, id: str, member_id: str, approved: bool, comment: str = "") -> None:
    """Answer a question, once; the same answer of the same member again changes nothing.

    Raises WorkflowApprovalNotFound_404 for one that the member is not asked, WorkflowApprovalAnswered_409.
    """
    locks.keep_runs(approvals_of(member_id).filter(pk=id).values_list("run_id", flat=True))
    row = approvals_of(member_id).select_for_update(of=("self",)).filter(pk=id).first()
    if row is None:
        raise NamedError(NOT_FOUND, "there is no such question to you in this company", field="id")
    status = Status.APPROVED if approved else Status.REJECTED
    if row.status == status and row.answered_by_id == member_id:
        return
    if row.status != Status.OPEN or row.until <= timezone.now():
        what = "its time is over" if row.status in (Status.OPEN, Status.TIMEOUT) else f"it is {row.status}"
        raise NamedError(ANSWERED, what, field="id")
    row.status = status
    row.comment = comment
    row.answered_by_id = member_id
    row.answered_at = timezone.now()
    row.save(update_fields=["status", "comment", "answered_by", "answered_at", "updated_at"])
    payload: JsonObject = {"answer": status.value, "comment": comment, "member": member_id}
    inbox.put([Arrival(row.run_id, row.token, row.epoch, "approval", payload)])
