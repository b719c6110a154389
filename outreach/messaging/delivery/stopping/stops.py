"""Stop waiting follow-ups after an event, and follow-ups of a thread that a person ends."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Lower

from core.errors import NamedError
from core.ids import new_id
from crm.models import Contact
from outreach.connections.chat_apps.models import ChatOptOut
from outreach.messaging.delivery import ledger
from outreach.messaging.delivery.deciding.decision import final_state
from outreach.messaging.delivery.deciding.reasons import Reason
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.delivery.services import DECLINED, not_found
from outreach.messaging.delivery.stopping.endings import FollowUpStop
from outreach.messaging.suppression.models import Suppression

Status = SendJob.Status
NOT_CLAIMED = (Status.PLANNED, Status.DRAFT, Status.APPROVED)
BATCH = 1000


def stops_of(jobs: Iterable[SendJob]) -> dict[str, Reason]:
    """Return the reasons that stop the follow-ups among the messages, by their ids. It queries the database only if
    needed."""
    # First messages have no stop rules, and are nearly all of a campaign.
    ids = [job.pk for job in jobs if job.step > 1]
    if not ids:
        return {}
    rows = SendJob.objects.filter(pk__in=ids).annotate(stop=FollowUpStop()).values_list("pk", "stop")
    return {pk: Reason(reason) for pk, reason in rows if reason}


def stop_waiting() -> bool:
    """End the follow-ups that wait and are not to go any more, at most BATCH of all companies. Returns whether there
    may be more."""
    # The condition of the partial index sendjob_follow_ups, which serves no wider one.
    waiting = SendJob.objects.filter(step__gt=1, status__in=NOT_CLAIMED)
    ids_by_reason = _stopped_messages(waiting)
    gone = Contact.objects.filter(pk=OuterRef("contact_id"))
    listed = Suppression.objects.filter(
        company_id=OuterRef("contact__company_id"), email=Lower(OuterRef("contact__email"))
    )
    opted_out = ChatOptOut.objects.filter(
        company_id=OuterRef("contact__company_id"), phone=OuterRef("contact__contact_number")
    )
    for reason, stopped in (
        (Reason.CONTACT_DELETED, waiting.filter(Exists(gone.filter(is_deleted=True)))),
        (Reason.UNSUBSCRIBED, waiting.filter(Exists(gone.filter(unsubscribed_at__isnull=False)))),
        (Reason.ADDRESS_SUPPRESSED, waiting.filter(Exists(listed), chat_app=None)),
        (Reason.ADDRESS_SUPPRESSED, waiting.filter(Exists(opted_out), chat_app__isnull=False)),
        (Reason.RUN_CANCELLED, waiting.filter(Q(run__cancelled_at__isnull=False) | Q(run__is_deleted=True))),
    ):
        ids_by_reason.setdefault(reason, []).extend(stopped.order_by("pk").values_list("pk", flat=True)[:BATCH])
    for reason, ids in ids_by_reason.items():
        # Checked again: a worker may have claimed it since it was found.
        rows = SendJob.objects.filter(pk__in=ids, status__in=NOT_CLAIMED)
        ledger.transition_all(rows, to=final_state(reason), reason=reason)
    return any(len(ids) == BATCH for ids in ids_by_reason.values())


def _stopped_messages(waiting: QuerySet[SendJob]) -> dict[Reason, list[str]]:
    """Return the messages that past events stop, by reason."""
    rows = waiting.annotate(stop=FollowUpStop()).filter(stop__isnull=False).order_by("pk")
    ids_by_reason: dict[Reason, list[str]] = {}
    for job in rows.only("pk")[:BATCH]:
        ids_by_reason.setdefault(Reason(job.stop), []).append(job.pk)
    return ids_by_reason


@transaction.atomic
def stop_thread(*, message_id: str, member_id: str) -> None:
    """Stop the follow-ups in the message's thread: cancel the waiting one, or the one that would be planned.

    A thread without a waiting follow-up stays as it is. Raises NotFound_404, and CampaignCannotBeUpdated_400 for a
    message of no run.
    """
    job = SendJob.objects.filter(pk=message_id).first()
    if job is None:
        raise not_found()
    if job.run_id is None:
        raise NamedError(
            "CampaignCannotBeUpdated_400", "the message belongs to no run, so nothing follows", field="sendJobId"
        )
    thread = SendJob.objects.filter(run_id=job.run_id, contact_id=job.contact_id, occurrence=job.occurrence)
    # Locked so that the planner cannot create the follow-up in between.
    followed = list(
        thread.filter(next_step_at__isnull=False).select_for_update(of=("self",)).defer("text", "html", "evidence")
    )
    never = [next_of(follow_up, created_by_id=member_id, updated_by_id=member_id) for follow_up in followed]
    # The row that would follow is planted as cancelled below, so that the planner finds its place taken.
    SendJob.objects.bulk_create(never, ignore_conflicts=True)
    ledger.record_planned([follow_up.pk for follow_up in never], actor_id=member_id)
    thread.update(next_delay=None, next_step_at=None)  # nothing follows one that is on its way either
    waiting = thread.filter(step__gt=1, status__in=NOT_CLAIMED)
    ledger.transition_all(waiting, to=Status.CANCELLED, reason=DECLINED, actor_id=member_id, updated_by_id=member_id)


def next_of(before: SendJob, **values: object) -> SendJob:
    """Return the follow-up of a sent message, without content and not stored."""
    return SendJob(
        id=new_id(),
        run_id=before.run_id,
        contact_id=before.contact_id,
        smtp_id=before.smtp_id,
        mail_app_id=before.mail_app_id,
        chat_app_id=before.chat_app_id,
        channel=before.channel,
        step=before.step + 1,
        occurrence=before.occurrence,
        recipient=before.recipient,
        reason=Reason.NOT_WRITTEN,
        provider_thread_id=before.provider_thread_id,
        reference_ids=f"{before.reference_ids} {before.message_id}".strip(),
        **values,
    )
