"""The two statements of each outgoing message, for any number of messages at once.

The intent is committed before the last byte is sent, and the message is settled when the server has accepted it.

Each has one JSON text as its parameter, and PostgreSQL plans it once for a connection
(outreach.messaging.delivery.sending.writer). A row that has another lease or status by now is missing in its result.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import cache

import orjson
from django.db import connection
from django.utils import timezone

from accounts.settings.formats import zone_of_company
from core.events import EventConsumer, consumer_condition
from core.ids import new_id
from core.jobs.registry import work_by_name
from core.spans import add_span
from core.types import Values
from outreach.connections.chat_apps.models import DIRECT
from outreach.connections.smtp.outcome import Sent
from outreach.messaging.delivery.deciding.decision import SESSION_HOURS
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.delivery.sending.parts import UNTRACKED, Tracking
from outreach.messaging.delivery.stopping.stop_rules import reason_sql

_DIRECT = f"({', '.join(repr(one) for one in DIRECT)})"
Row = Values
_SENT = "mail.sent"
# The lengths of the columns. A vendor's longer id must not make PostgreSQL refuse the whole group.
_PROVIDER_ID, _THREAD_ID = 200, 64


# Between claim and intent lie seconds in which people unsubscribe, stop runs or edit contacts. Each condition
# is checked again in the statement that commits, since a check before it would leave a gap.
def intent_holds(at: str, recipient: str) -> str:
    """Return the conditions, in SQL, that may have changed since the claim of message `j` and forbid sending it."""
    return f"""
    AND j.held_at IS NULL
    AND (j.approval_ends_at IS NULL OR j.approval_ends_at > {at})
    AND NOT EXISTS (SELECT FROM outreach_geniescheduler r
        WHERE r.id = j.run_id AND (r.cancelled_at IS NOT NULL OR r.paused_at IS NOT NULL OR r.is_deleted))
    AND NOT EXISTS (SELECT FROM outreach_suppression s
        WHERE s.company_id = j.company_id AND s.email = lower({recipient}))
    AND EXISTS (SELECT FROM crm_contact c
        WHERE c.id = j.contact_id AND NOT c.is_deleted AND (c.unsubscribed_at IS NULL OR j.conversation_id IS NOT NULL)
        AND CASE WHEN j.chat_app_id IS NULL THEN c.email WHEN j.channel IN {_DIRECT} THEN
            (SELECT w.address FROM outreach_conversation w WHERE w.id = j.conversation_id)
            ELSE c.contact_number END = {recipient})
    AND COALESCE(
        (SELECT p.is_active AND p.stopped_at IS NULL FROM outreach_smtp p WHERE p.id = j.smtp_id),
        (SELECT m.is_active AND m.stopped_at IS NULL FROM outreach_mailapp m WHERE m.id = j.mail_app_id),
        (SELECT a.is_active AND a.stopped_at IS NULL FROM outreach_chatapp a WHERE a.id = j.chat_app_id), false)
    AND {reason_sql("j")} IS NULL
"""


# A chat message from a template needs a person who did not opt out. Any other one needs an open chat.
_CHAT_HOLDS = f"""
    AND CASE WHEN j.chat_app_id IS NULL OR j.channel = 'messenger' THEN true
        WHEN j.chat_template_id IS NOT NULL THEN NOT EXISTS (SELECT FROM outreach_chatoptout o
            WHERE o.company_id = j.company_id AND o.phone = g.recipient)
        ELSE EXISTS (SELECT FROM outreach_conversation w
            WHERE w.id = j.conversation_id AND w.last_inbound_at > g.at - interval '{SESSION_HOURS} hours') END
"""
# The step of the ledger is written by the same statement as the state, so neither exists without the other.
_TRANSITION = (
    "INSERT INTO outreach_sendjobtransition"
    " (id, company_id, send_job_id, from_status, to_status, reason, detail, created_at, updated_at)"
)
# Rows are locked in the order of their ids, so that two groups never wait for each other. By the bare status the
# planner would look for them in sendjob_held, among all that anybody has claimed; with `status ||` it uses the ids.
# A sender is asked for by a value of its own, since of EXISTS … OR EXISTS it makes a list of all senders there are.
INTENT = f"""
WITH given AS (SELECT * FROM json_to_recordset(%s::json) AS rows
    (id text, company text, lease text, recipient text, message_id text, opens boolean, clicks boolean, at timestamptz,
     step text)),
held AS (SELECT j.id, j.company_id, g.recipient, g.message_id, g.opens, g.clicks, g.at, g.step
    FROM given g JOIN outreach_sendjob j ON j.id = g.id AND j.company_id = g.company
    WHERE j.lease = g.lease AND j.status || '' = 'claimed' {intent_holds("g.at", "g.recipient")} {_CHAT_HOLDS}
    ORDER BY j.id FOR NO KEY UPDATE OF j),
moved AS (UPDATE outreach_sendjob j
    SET status = 'sending', reason = '', recipient = held.recipient, message_id = held.message_id,
        opens_tracked = held.opens, clicks_tracked = held.clicks, sending_at = held.at, updated_at = held.at
    FROM held WHERE j.id = held.id RETURNING held.*)
{_TRANSITION}
SELECT step, company_id, id, 'claimed', 'sending', '', '', at, at FROM moved RETURNING send_job_id"""
TAKE_BACK = f"""
WITH given AS (SELECT * FROM json_to_recordset(%s::json) AS rows (id text, company text, lease text, step text)),
moved AS (UPDATE outreach_sendjob j
    SET status = 'approved', reason = 'worker_failed', lease = NULL, worker = NULL, sending_at = NULL,
        updated_at = now()
    FROM given g
    WHERE j.id = g.id AND j.company_id = g.company AND j.lease = g.lease AND j.status || '' = 'sending'
    RETURNING j.id, j.company_id, g.step)
{_TRANSITION}
SELECT step, company_id, id, 'sending', 'approved', 'worker_failed', '', now(), now() FROM moved
RETURNING send_job_id"""
"""For intents that may have been committed before their connection broke, of messages whose end was not sent."""


# Built at the first use: apps register their consumers of events after this module is imported.
@cache
def settle() -> str:
    """Return the statement that settles messages, once all consumers of events are registered."""
    # A delivery is written only where somebody listens. For each consumer of each message would be most of
    # the work.
    condition = consumer_condition(_consumers(), "found.key", company="moved.company_id", kind=f"'{_SENT}'")
    return f"""
WITH given AS (SELECT * FROM json_to_recordset(%s::json) AS rows
    (id text, company text, lease text, reply text, provider_id text, thread_id text, at timestamptz,
     next_step_at timestamptz, step text, event text, payload jsonb, consumers jsonb)),
held AS (SELECT j.company_id, g.* FROM given g JOIN outreach_sendjob j ON j.id = g.id AND j.company_id = g.company
    WHERE j.lease = g.lease AND j.status || '' = 'sending' ORDER BY j.id FOR NO KEY UPDATE OF j),
moved AS (UPDATE outreach_sendjob j
    SET status = 'sent', reason = '', error = '', worker = NULL, reply = held.reply, sent_at = held.at,
        updated_at = held.at, next_step_at = COALESCE(held.next_step_at, j.next_step_at),
        provider_message_id = COALESCE(NULLIF(held.provider_id, ''), j.provider_message_id),
        provider_thread_id = COALESCE(NULLIF(held.thread_id, ''), j.provider_thread_id)
    FROM held WHERE j.id = held.id RETURNING held.*, CASE WHEN j.personal THEN j.created_by_id END AS actor,
        CASE WHEN j.personal THEN (SELECT m.lead_id FROM outreach_personalmail m
            WHERE m.company_id = j.company_id AND m.send_job_id = j.id) END AS lead),
events AS (INSERT INTO core_event
        (id, object_id, payload, company_id, kind, actor_id, automation, created_at, updated_at)
    SELECT event, id, CASE WHEN lead IS NULL THEN payload ELSE payload || jsonb_build_object('lead', lead) END,
        company_id, '{_SENT}', actor, true, at, at FROM moved),
deliveries AS (INSERT INTO core_eventdelivery
        (id, consumer, event_id, status, due_at, attempts, error, company_id, created_at, updated_at)
    SELECT found.value, found.key, event, 'pending', at, 0, '', company_id, at, at
    FROM moved, jsonb_each_text(moved.consumers) AS found WHERE {condition})
{_TRANSITION}
SELECT step, company_id, id, 'sending', 'sent', '', reply, at, at FROM moved RETURNING send_job_id"""


@cache
def _consumers() -> list[EventConsumer]:
    return [consumer for consumer in work_by_name(EventConsumer).values() if _SENT in consumer.kinds]


def intent_of(job: SendJob, *, recipient: str, message_id: str, tracking: Tracking = UNTRACKED) -> Row:
    """Return the parameters of INTENT for a claimed message."""
    return {
        # The lease in the condition makes a late intent of a worker that was declared dead change nothing.
        "id": job.pk,
        "company": job.company_id,
        "lease": job.lease,
        "recipient": recipient,
        "message_id": message_id,
        "opens": tracking.opens,
        "clicks": tracking.clicks,
        "at": timezone.now(),
        # Ids are made here, so that a group that is written again after an error writes the same rows.
        "step": new_id(),
    }


def settle_parameters(job: SendJob, outcome: Sent) -> Row:
    """Return the parameters of settle() for a message that the server has accepted."""
    now = timezone.now()
    return {
        "id": job.pk,
        "company": job.company_id,
        "lease": job.lease,
        "reply": outcome.reply,
        "provider_id": outcome.provider_id[:_PROVIDER_ID],
        "thread_id": outcome.thread_id[:_THREAD_ID],
        "at": now,
        "next_step_at": next_step_at(job, now),
        "step": new_id(),
        "event": new_id(),
        "payload": {"contact": job.contact_id, "subject": job.subject, "run": job.run_id},
        # Ids for all consumers. The statement uses those that are wanted, for it cannot make ids by itself.
        "consumers": {consumer.name: new_id() for consumer in _consumers()},
    }


def next_step_at(job: SendJob, sent_at: datetime) -> datetime | None:
    """Return when the message's follow-up is due, by the company's clock; None: nothing follows."""
    return None if job.next_delay is None else add_span(sent_at, job.next_delay, zone_of_company(job.company_id))


def parameters(rows: Sequence[Row]) -> list[str]:
    """Return the parameter of a statement, for its rows."""
    # One JSON text, whatever the number of rows: the statement's text stays the same, and so does its plan.
    return [orjson.dumps(rows).decode()]


def mark_intent_committed(job: SendJob, row: Row) -> None:
    """Note on the message that its intent is committed."""
    job.status = SendJob.Status.SENDING
    job.reason = ""
    job.recipient = row["recipient"]
    job.message_id = row["message_id"]
    job.sending_at = row["at"]


def run(statement: str, params: Sequence[str]) -> set[str]:
    """Run a statement by Django's connection. Returns the ids of the messages that it has changed."""
    with connection.cursor() as cursor:
        cursor.execute(statement, params)
        return {id for (id,) in cursor.fetchall()}
