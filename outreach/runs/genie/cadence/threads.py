"""Threads: messages sent before a follow-up, and the subject that keeps them together."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from django.utils import timezone

from outreach.connections.ai.providers import Claim, ComposeBrief, Draft, SentMessage
from outreach.messaging.delivery.models import SendJob

TEXT_LENGTH = 4000
"""Characters of each message before it that the writer of a follow-up is shown."""
SUBJECT_LENGTH = 200
_REPLY = re.compile(r"\s*re\s*:", re.IGNORECASE)


def sent_before(jobs: Sequence[SendJob]) -> dict[str, tuple[SentMessage, ...]]:
    """Return the messages of its thread that were sent before each follow-up, by its id, with one query for all."""
    follow_ups = [job for job in jobs if job.step > 1]
    if not follow_ups:
        return {}
    rows = SendJob.objects.filter(
        run_id__in={job.run_id for job in follow_ups},
        contact_id__in=[job.contact_id for job in follow_ups],
        status=SendJob.Status.SENT,
    )
    # One query for all threads of the batch; texts are cut, since a model's window is not endless.
    sent_messages: dict[tuple[str, str, int], list[tuple[int, SentMessage]]] = defaultdict(list)
    columns = ("run_id", "contact_id", "occurrence", "step", "subject", "text", "sent_at")
    now = timezone.now()
    for run, contact, occurrence, step, subject, text, sent_at in rows.order_by("step").values_list(*columns):
        days = None if sent_at is None else max(0, (now - sent_at).days)
        sent = SentMessage(subject=subject, text=text[:TEXT_LENGTH], days_ago=days)
        sent_messages[run, contact, occurrence].append((step, sent))
    return {
        job.pk: tuple(
            sent for step, sent in sent_messages[job.run_id, job.contact_id, job.occurrence] if step < job.step
        )
        for job in follow_ups
    }


# Mail programs thread by subject, too, so a follow-up must not change it.
def reply_subject(thread: Sequence[SentMessage]) -> str:
    """Return the subject of an answer to the thread; empty without one."""
    return answer_to(next((sent.subject for sent in thread if sent.subject), ""))


def answer_to(first: str) -> str:
    """Return the subject of an answer to a message."""
    return first if not first or _REPLY.match(first) else f"Re: {first}"[:SUBJECT_LENGTH]


def in_thread(draft: Draft, brief: ComposeBrief) -> Draft:
    """Return the draft under the subject that the brief gives, if it gives one."""
    if not brief.subject:
        return draft
    claims = tuple(claim for claim in draft.claims if claim.part != "subject")
    subject_claim = Claim(text=brief.subject, source="outreach.subject", part="subject")
    return replace(draft, subject=brief.subject, claims=(subject_claim, *claims))
