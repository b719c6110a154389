"""Stop rules of follow-ups, in SQL: one text for the decision, for the sweep, and for the statement that commits the
intent."""

from __future__ import annotations

OPTIONAL = ("reply", "bounce", "won", "lost")
"""Rules that a step's `stopOn` may omit. The do-not-contact list and unsubscribing stop every message."""
REFUSED = ("bad_address", "rejected", "came_back")
"""Reasons of messages that a server has permanently refused."""


def reason_sql(job: str) -> str:
    """Return the expression of the reason that stops the follow-up in the row `job`; null: none, or no follow-up.

    Only events after the start of its thread count, so that an old lost lead stops nothing.
    """
    # Constants of this module, so they may stand in the SQL as they are.
    refused = ", ".join(f"'{reason}'" for reason in REFUSED)
    lead = (
        f"EXISTS (SELECT FROM crm_lead l WHERE l.company_id = {job}.company_id AND l.contact_id = {job}.contact_id"
        f" AND NOT l.is_deleted AND l.status = '%s'"
        f" AND COALESCE(l.status_changed_at, l.created_at) > {job}.thread_began_at)"
    )
    return f"""CASE
    WHEN {job}.step = 1 THEN NULL
    WHEN {job}.stop_on @> '"reply"' AND EXISTS (SELECT FROM crm_contact c
        WHERE c.id = {job}.contact_id AND c.replied_at > {job}.thread_began_at) THEN 'reply_received'
    WHEN {job}.stop_on @> '"bounce"' AND EXISTS (SELECT FROM outreach_sendjob b
        WHERE b.contact_id = {job}.contact_id
        AND (b.delivery_status = 'bounced' OR (b.status = 'failed' AND b.reason IN ({refused})))
        AND b.updated_at > {job}.thread_began_at) THEN 'bounced'
    WHEN {job}.stop_on @> '"won"' AND {lead.replace("%s", "won")} THEN 'lead_won'
    WHEN {job}.stop_on @> '"lost"' AND {lead.replace("%s", "lost")} THEN 'lead_lost'
    END"""
