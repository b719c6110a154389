"""The ledger of messages: each transition is written in the statement or transaction that makes it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import connection, transaction
from django.db.models import QuerySet
from django.utils import timezone

from core.events import emit
from core.ids import new_id
from core.lists import in_batches
from core.tenancy import company_id
from core.types import JsonObject
from outreach.messaging.delivery.models import SendJob, SendJobTransition
from outreach.messaging.delivery.sending.intents import intent_holds


def _id_texts(ids: Sequence[str]) -> tuple[str, str]:
    """Return new ids and the given ones, each as one text, since the driver is far slower with arrays."""
    return ",".join(new_id() for _ in ids), ",".join(ids)


def record_planned(ids: Sequence[str], *, actor_id: str | None) -> None:
    """Write the first two transitions of inserted messages: to planned, and from there to their status, if another."""
    # Two statements, since the second step must come after the first in the ledger: ids are in the order of
    # time.
    for before, after in (("''", "'planned'"), ("'planned'", "job.status")):
        now = timezone.now()
        with connection.cursor() as cursor:
            cursor.execute(
                "INSERT INTO outreach_sendjobtransition"
                " (id, company_id, send_job_id, from_status, to_status, reason, detail, actor_id,"
                " created_at, updated_at)"
                f" SELECT step.id, job.company_id, job.id, {before}, {after},"
                f" CASE {before} WHEN '' THEN '' ELSE job.reason END,"
                " '', %s, %s, %s"
                " FROM unnest(string_to_array(%s, ','), string_to_array(%s, ',')) AS step (id, job_id)"
                f" JOIN outreach_sendjob job ON job.id = step.job_id AND {before} <> job.status",
                [actor_id, now, now, *_id_texts(ids)],
            )


@transaction.atomic
def transition_all(
    rows: QuerySet[SendJob],
    *,
    to: str,
    reason: str = "",
    detail: str = "",
    actor_id: str | None = None,
    **values: Any,
) -> int:
    """Change the status of the messages, 5,000 at a time, with their transitions. Returns how many.

    Waits for rows that others have locked.
    """
    moved = 0
    # Locked first, so that the step that is written names the status that each row really had.
    for ids in in_batches(rows, lock=True):
        # Before the UPDATE, as it reads the former status from the row.
        _write_transitions(ids, to, reason, detail, actor_id)
        SendJob.objects.filter(pk__in=ids).update(status=to, reason=reason, updated_at=timezone.now(), **values)
        moved += len(ids)
    return moved


def record_claimed(ids: Sequence[str], *, lease: str, worker: int) -> dict[str, tuple[str, str]]:
    """Claim approved messages whose rows the caller has locked. Returns text and HTML of each, by its id."""
    now = timezone.now()
    with connection.cursor() as cursor:
        cursor.execute(
            "WITH moved AS (UPDATE outreach_sendjob job"
            " SET status = 'claimed', reason = '', lease = %s, worker = %s, updated_at = %s"
            " FROM unnest(string_to_array(%s, ','), string_to_array(%s, ',')) AS step (id, job_id)"
            # The caller holds the rows' locks; the condition guards against one that does not.
            " WHERE job.id = step.job_id AND job.company_id = %s AND job.status = 'approved'"
            " RETURNING job.id, job.company_id, step.id AS step, job.text, job.html),"
            " steps AS (INSERT INTO outreach_sendjobtransition"
            " (id, company_id, send_job_id, from_status, to_status, reason, detail, created_at, updated_at)"
            " SELECT step, company_id, id, 'approved', 'claimed', '', '', %s, %s FROM moved)"
            " SELECT id, text, html FROM moved",
            [lease, worker, now, *_id_texts(ids), company_id(), now, now],
        )
        return {pk: (text, html) for pk, text, html in cursor.fetchall()}


def record_event(ids: Sequence[str], *, reason: str, detail: str = "", actor_id: str | None = None) -> None:
    """Record an event of messages that keep their status."""
    now = timezone.now()
    rows = SendJob.objects.filter(pk__in=ids).values_list("pk", "company_id", "status")
    SendJobTransition.objects.bulk_create(
        SendJobTransition(
            company_id=company,
            send_job_id=pk,
            from_status=status,
            to_status=status,
            reason=reason,
            detail=detail,
            actor_id=actor_id,
            created_at=now,
        )
        for pk, company, status in rows
    )


def _write_transitions(ids: Sequence[str], to: str, reason: str, detail: str, actor_id: str | None) -> None:
    now = timezone.now()
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO outreach_sendjobtransition"
            " (id, company_id, send_job_id, from_status, to_status, reason, detail, actor_id, created_at, updated_at)"
            " SELECT step.id, job.company_id, job.id, job.status, %s, %s, %s, %s, %s, %s"
            " FROM unnest(string_to_array(%s, ','), string_to_array(%s, ',')) AS step (id, job_id)"
            " JOIN outreach_sendjob job ON job.id = step.job_id",
            [to, reason, detail, actor_id, now, now, *_id_texts(ids)],
        )


def transition(job: SendJob, *, to: str, reason: str = "", detail: str = "", **values: Any) -> bool:
    """Change the status of a message that this worker holds, in a single statement.

    Returns False when the lease is lost.
    """
    # Lease and status together: a sweeper changes both, and a worker that was slow must not overwrite its
    # decision.
    return _transition(job, to, reason, detail, values, "AND j.lease = %s AND j.status = %s", [job.lease, job.status])


# The same conditions as for the intent of a new message. Since the first request, the recipient may have
# unsubscribed.
def begin_again(job: SendJob, *, lease: str, worker: int) -> bool:
    """Change a message with an unknown outcome to sending again, under a new lease.

    Returns False when another worker has asked or decided, or when the run, the sender or the recipient forbid it.
    """
    values = {"lease": lease, "worker": worker, "attempts": job.attempts + 1}
    holds = intent_holds("%s", "%s")
    return _transition(
        job,
        "sending",
        "",
        "asked again with the same key",
        values,
        f"AND j.status = 'unknown' AND j.sending_at = %s AND j.attempts = %s {holds}",
        [job.sending_at, job.attempts, timezone.now(), job.recipient, job.recipient],
    )


def record_late_outcome(job: SendJob, *, to: str, sending_at: datetime, detail: str, **values: Any) -> bool:
    """Correct the status of a message that the sweeper has set to unknown, since this worker has the server's reply."""
    # The time of sending stands for the attempt. A retry by a person has cleared it, and then the late answer
    # is void.
    return _transition(job, to, "", detail, values, "AND j.status = 'unknown' AND j.sending_at = %s", [sending_at])


def _transition(
    job: SendJob, to: str, reason: str, detail: str, values: JsonObject, where: str, parameters: list[Any]
) -> bool:
    if to != SendJob.Status.SENT:
        return _write_transition(job, to, reason, detail, values, where, parameters)
    with transaction.atomic():
        done = _write_transition(job, to, reason, detail, values, where, parameters)
        if done:
            # Consumers of sent mails are in no hurry, and the tick finds their deliveries. A notice for each
            # message would be most of the traffic.
            actor = job.created_by_id if job.personal else None
            emit("mail.sent", [job.pk], payloads={job.pk: event_payload(job)}, actor_id=actor, notify=False)
        return done


def event_payload(job: SendJob) -> JsonObject:
    """Return the payload of the event of a sent message."""
    lead = lead_of(job)
    about = {"lead": lead} if lead else {}
    return {"contact": job.contact_id, **about, "subject": job.subject, "run": job.run_id}


def lead_of(job: SendJob) -> str | None:
    """Return the lead from which a member has written the message, if one did."""
    return job.personal_mails.values_list("lead_id", flat=True).first() if job.personal else None


def visit_payload(job: SendJob) -> JsonObject:
    """Return the payload that events of opens and clicks of a message have."""
    return {**event_payload(job), "sendJob": job.pk}


def _write_transition(
    job: SendJob, to: str, reason: str, detail: str, values: JsonObject, where: str, parameters: list[Any]
) -> bool:
    now = timezone.now()
    changes: JsonObject = {"status": to, "reason": reason, "updated_at": now, **values}
    columns = ", ".join(f"{SendJob._meta.get_field(name).get_attname_column()[1]} = %s" for name in changes)  # type: ignore[union-attr]
    with connection.cursor() as cursor:
        cursor.execute(
            # The lock comes first and keeps the former status for the ledger: before PostgreSQL 18, RETURNING
            # has new values only.
            "WITH held AS (SELECT id, company_id, status FROM outreach_sendjob j"
            f" WHERE j.id = %s AND j.company_id = %s {where} FOR NO KEY UPDATE),"
            f" moved AS (UPDATE outreach_sendjob SET {columns} FROM held WHERE outreach_sendjob.id = held.id"
            " RETURNING held.id, held.company_id, held.status)"
            " INSERT INTO outreach_sendjobtransition"
            " (id, company_id, send_job_id, from_status, to_status, reason, detail, created_at, updated_at)"
            " SELECT %s, company_id, id, status, %s, %s, %s, %s, %s FROM moved",
            [job.pk, company_id(), *parameters, *changes.values(), new_id(), to, reason, detail, now, now],
        )
        done: bool = cursor.rowcount == 1
    if done:
        # The object keeps up with its row, for the caller compares its status and lease next.
        for name, value in changes.items():
            setattr(job, name, value)
    return done
