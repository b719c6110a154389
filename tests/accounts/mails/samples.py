"""A context for each kind of mail, with values that would break what does not escape them. A new kind needs an entry
here.
"""

from __future__ import annotations

import datetime as dt
from types import SimpleNamespace
from typing import Any

NASTY = 'Ann <b>O\'Neill</b> & "Sons" {{ x }}'
AT = dt.datetime(2026, 3, 9, 14, 5, tzinfo=dt.UTC)
LINK = "https://example.com/page?token=WyJh:1x:y_z-9"

PERSON = SimpleNamespace(name=NASTY, email="ann@example.org", invite_expires_at=AT)
COMPANY = SimpleNamespace(name=NASTY)
NOTICE: dict[str, Any] = {"member": PERSON, "company": COMPANY}
PARTNER = {"name": NASTY, "note": NASTY, "code": "P2345678", "link": LINK, "percent": "20", "clawed_back": True}
JOB = SimpleNamespace(created=1, updated=2, skipped=3, failed=4, processed=10, error=NASTY, finished_at=AT)


class _Named(SimpleNamespace):
    def __str__(self) -> str:
        return NASTY


RUN = _Named(
    processed=3,
    error=NASTY,
    created_at=AT,
    place="outreach/1",
    drafts_place="outreach/1/review",
    of_campaign_id=None,
)
CAMPAIGN = _Named(**{**vars(RUN), "of_campaign_id": "1"})
SENDER = SimpleNamespace(
    from_name=NASTY,
    from_email="a@example.org",
    place="mail",
    page="senders/1",
    failures=3,
    last_error=NASTY,
    paused_until=AT,
)
MAILBOX = SimpleNamespace(username=NASTY, host="imap.example.org", failures=2, last_error=NASTY, pk="x")


CONVERSATION = _Named(pk="x", last_text=NASTY)
TRIAL = {
    "subscription": SimpleNamespace(status="trial"),
    "plan": None,
    "end": AT,
    "days": 7,
    "ends": True,
    "was_trial": True,
}
PAID = {
    "subscription": SimpleNamespace(status="active"),
    "plan": NASTY,
    "end": AT,
    "days": 1,
    "ends": False,
    "was_trial": False,
}
ORDER = {
    "payment": SimpleNamespace(pk="x", number="UFH9U7ZT"),
    "invoice": SimpleNamespace(number="INV-2026-000001"),
    "amount": "$29.00",
    "next_try": AT,
    "method": NASTY,
}
CONTACT = SimpleNamespace(name=NASTY, email="ann@example.org", contact_number="+49301234567")
UNNAMED = SimpleNamespace(name="", email="ann@example.org", contact_number=None)
FOLLOW_UP = SimpleNamespace(pk="x", lead_id="x", title=NASTY, due_at=AT, notes=NASTY)
MEETING: dict[str, Any] = {
    "meeting": SimpleNamespace(title=NASTY, place=NASTY, link=LINK, description=NASTY),
    "organizer": PERSON,
    "name": NASTY,
    "when": "9 Mar 2026, 14:05 – 15:05 (UTC+00:00) UTC",
}

SAMPLES: dict[str, list[dict[str, Any]]] = {
    "verify_email": [
        {"name": NASTY, "company_name": NASTY, "link": LINK, "days": 3},
        {"name": NASTY, "company_name": "", "link": LINK, "days": 3},
    ],
    "already_registered": [{"name": NASTY, "link": LINK, "minutes": 60}],
    "reset_password": [{"name": NASTY, "link": LINK, "minutes": 60}],
    "password_changed": [
        {"name": NASTY, "at": AT, "ip": "203.0.113.7", "link": LINK},
        {"name": NASTY, "at": AT, "ip": None, "link": LINK},
    ],
    "invite": [
        {**NOTICE, "inviter": PERSON, "role": SimpleNamespace(name=NASTY), "link": LINK},
        {**NOTICE, "inviter": None, "role": SimpleNamespace(name=NASTY), "link": LINK},
    ],
    "notice_member_joined": [{**NOTICE, "joined": PERSON, "role": SimpleNamespace(name=NASTY)}],
    "notice_staff_visited": [
        {**NOTICE, "staff_name": NASTY, "visit": SimpleNamespace(created_at=AT, expires_at=AT, reason=NASTY)},
    ],
    "notice_import_finished": [
        {**NOTICE, "job": SimpleNamespace(**vars(JOB), import_type=kind), "file": SimpleNamespace(name=NASTY)}
        for kind in ("contact", "lead", "organization")
    ],
    "notice_import_failed": [
        {**NOTICE, "job": SimpleNamespace(**vars(JOB), import_type=kind), "file": SimpleNamespace(name=NASTY)}
        for kind in ("contact", "lead", "organization")
    ],
    "notice_bulk_job_finished": [
        {**NOTICE, "job": SimpleNamespace(**{**vars(JOB), "changed": 3, "status": status}), "records": "contacts"}
        for status in ("completed", "failed")
    ],
    "notice_comment_mentioned": [
        {**NOTICE, "comment": SimpleNamespace(pk="x", text=NASTY), "author": PERSON},
        {**NOTICE, "comment": SimpleNamespace(pk="x", text=NASTY), "author": PERSON, "about": NASTY},
        {**NOTICE, "comment": SimpleNamespace(pk="x", text=NASTY), "author": None},
    ],
    "notice_quote_accepted": [
        {**NOTICE, "quote": SimpleNamespace(pk="x", label="Q-0001", title=NASTY, accepted_name=NASTY), "about": about}
        for about in (NASTY, "")
    ],
    "notice_quote_declined": [
        {**NOTICE, "quote": SimpleNamespace(pk="x", label="Q-0001", title=NASTY, decline_reason=reason), "about": NASTY}
        for reason in (NASTY, "")
    ],
    "notice_task_overdue": [
        {**NOTICE, "task": FOLLOW_UP, "contact": CONTACT},
        {**NOTICE, "task": FOLLOW_UP, "organization": COMPANY},
    ],
    "notice_run_planned": [{**NOTICE, "run": RUN, "drafts": 2}, {**NOTICE, "run": CAMPAIGN, "drafts": 1}],
    "notice_run_finished": [
        {**NOTICE, "run": run, "counts": {"sent": 1, "failed": 2, "unknown": 0, "cancelled": 0, "suppressed": 3}}
        for run in (RUN, CAMPAIGN)
    ],
    "notice_run_failed": [{**NOTICE, "run": RUN}, {**NOTICE, "run": CAMPAIGN}],
    "notice_reply_received": [{**NOTICE, "who": NASTY, "inbound": SimpleNamespace(pk="x", subject=NASTY, text=NASTY)}],
    "notice_conversation_assigned": [{**NOTICE, "conversation": CONVERSATION}],
    "notice_conversation_woken": [{**NOTICE, "conversation": CONVERSATION}],
    "notice_conversation_overdue": [{**NOTICE, "conversation": CONVERSATION}],
    "notice_sender_failing": [{**NOTICE, "smtp": SENDER}],
    "notice_form_submitted": [
        {**NOTICE, "form": SimpleNamespace(name=NASTY), "lead": SimpleNamespace(pk="x", contact=CONTACT)}
    ],
    "notice_calendar_failing": [{**NOTICE, "connection": SimpleNamespace(email=NASTY)}],
    "notice_social_app_failing": [{**NOTICE, "app": NASTY}],
    "notice_mailbox_failing": [{**NOTICE, "mailbox": MAILBOX}],
    "notice_webhook_failing": [
        {**NOTICE, "webhook": _Named(pk="x", host=NASTY, failures=5), "problem": NASTY, "disabled": disabled}
        for disabled in (False, True)
    ],
    "notice_sender_stopped": [{**NOTICE, "smtp": SENDER, "told": NASTY}],
    "notice_sender_undeliverable": [{**NOTICE, "smtp": SENDER, "told": [NASTY]}],
    "notice_subscription_ending": [{**NOTICE, **TRIAL}, {**NOTICE, **PAID}],
    "notice_subscription_ended": [{**NOTICE, **TRIAL}, {**NOTICE, **PAID}],
    "notice_subscription_past_due": [{**NOTICE, **PAID}],
    "notice_invoice_due": [{**NOTICE, **PAID, **ORDER}],
    "notice_payment_received": [
        {**NOTICE, **ORDER, "by_bank": False, "credited": False},
        {**NOTICE, **ORDER, "by_bank": True, "credited": True},
    ],
    "notice_payment_rejected": [{**NOTICE, **ORDER, "reason": NASTY}],
    "notice_payment_failed": [{**NOTICE, **PAID, **ORDER}, {**NOTICE, **PAID, **ORDER, "next_try": None}],
    "notice_payment_action_needed": [{**NOTICE, **PAID, **ORDER}],
    "notice_card_expires": [{**NOTICE, "card": NASTY, "expires_on": AT.date()}],
    "notice_limit_nearly_used": [
        {**NOTICE, "name": NASTY, "used": used, "limit": 10, "is_full": used == 10, "monthly": monthly}
        for used in (8, 10)
        for monthly in (False, True)
    ],
    "notice_subscription_terms_end": [{**NOTICE, **PAID, "on": dt.date(2026, 12, 31)}],
    "partner_approved": [PARTNER, {**PARTNER, "note": ""}],
    "partner_rejected": [PARTNER, {**PARTNER, "note": ""}],
    "partner_revoked": [PARTNER, {**PARTNER, "note": "", "clawed_back": False}],
    "follow_up_reminder": [
        {"member": PERSON, "follow_up": FOLLOW_UP, "contact": CONTACT, "overdue": True},
        {"member": PERSON, "follow_up": FOLLOW_UP, "contact": UNNAMED, "overdue": False},
    ],
    "meeting_invitation": [{**MEETING, "changed": False}, {**MEETING, "changed": True, "manage": LINK}],
    "meeting_cancelled": [{**MEETING, "whole": True}, {**MEETING, "whole": False}],
    "meeting_reminder": [MEETING, {**MEETING, "manage": LINK}],
    "staff_alert": [{"name": NASTY, "subject": NASTY, "text": NASTY, "address": LINK}],
    "reward_earned": [{"name": NASTY, "count": 2, "amounts": ["EUR 12.00", "USD 3.50"]}],
}
