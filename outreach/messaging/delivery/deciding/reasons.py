"""Reasons why messages are not sent: codes, and sentences for people."""

from __future__ import annotations

from enum import StrEnum

from core.text.translation import gettext_lazy as _

MAX_ATTEMPTS = 5


class Reason(StrEnum):
    """The reason why a message is not sent now. The codes are stable and part of the API."""

    RUN_CANCELLED = "run_cancelled"
    CONTACT_DELETED = "contact_deleted"
    ADDRESS_SUPPRESSED = "address_suppressed"
    UNSUBSCRIBED = "unsubscribed"
    REPLY_RECEIVED = "reply_received"
    BOUNCED = "bounced"
    LEAD_WON = "lead_won"
    LEAD_LOST = "lead_lost"
    NO_VALID_ADDRESS = "no_valid_address"
    SESSION_CLOSED = "session_closed"
    ATTEMPTS_EXHAUSTED = "attempts_exhausted"
    SUBSCRIPTION_LAPSED = "subscription_lapsed"
    NOT_WRITTEN = "not_written"
    AI_LIMIT_REACHED = "ai_limit_reached"
    AI_BUSY = "ai_busy"
    AI_TROUBLE = "ai_trouble"
    WRITTEN_ANEW = "written_anew"
    AWAITING_WINNER = "awaiting_winner"
    RUN_PAUSED = "run_paused"
    AWAITING_APPROVAL = "awaiting_approval"
    APPROVAL_OUTDATED = "approval_outdated"
    APPROVAL_EXPIRED = "approval_expired"
    TEMPLATE_NOT_APPROVED = "template_not_approved"
    SENDER_MISSING = "sender_missing"
    SENDER_INACTIVE = "sender_inactive"
    SENDER_UNVERIFIED = "sender_unverified"
    SENDER_STOPPED = "sender_stopped"
    SCHEDULED_FOR_LATER = "scheduled_for_later"
    LIMIT_DOMAIN = "limit_domain"
    LIMIT_VENDOR = "limit_vendor"
    LIMIT_PLAN = "limit_plan"
    RETRY_BACKOFF = "retry_backoff"
    LIMIT_DAY_RAMP = "limit_day_ramp"
    LIMIT_DAY = "limit_day"
    LIMIT_HOUR = "limit_hour"
    LIMIT_MINUTE = "limit_minute"
    LIMIT_CAMPAIGN = "limit_campaign"
    OUTSIDE_WINDOW = "outside_window"


SENTENCES: dict[str, str] = {
    "address_suppressed": _("The address is on the suppression list."),
    "ai_busy": _("Not written yet: the AI model is busy. The service tries again."),
    "ai_limit_reached": _("Not written yet. The limit for AI use is reached."),
    "ai_trouble": _("Not written yet: the AI app has an error. The service tries again."),
    "approval_expired": _("The approval has expired. Approve the message again."),
    "approval_outdated": _("The contact or sender has changed since the approval. Approve the message again."),
    "attachment_missing": _("Not sent: an attached file was deleted."),
    "attempts_exhausted": _("All attempts failed."),
    "awaiting_approval": _("Needs approval."),
    "awaiting_winner": _("Not written yet. The winner of the A/B test decides the text."),
    "bad_address": _("The mail server says: this address doesn't exist."),
    "bounced": _("Another message to this contact bounced, so follow-ups stopped."),
    "came_back": _("Bounced: this mailbox doesn't exist."),
    "changed_since_claim": _("Something changed just before sending. The message is checked again."),
    "chat_refused": _("The chat service refused the message."),
    "compose_failed": _("No text could be written for this contact."),
    "contact_deleted": _("The contact was deleted."),
    "declined": _("Rejected in review."),
    "edited": _("The text was edited."),
    "erased": _("The contact's data was erased."),
    "invalid_message": _("The email could not be built from this message."),
    "lead_lost": _("A lead of the contact was lost, so follow-ups stopped."),
    "lead_won": _("A lead of the contact was won, so follow-ups stopped."),
    "limit_campaign": _("The campaign has reached its hourly limit."),
    "limit_day": _("The sender has reached its daily limit."),
    "limit_day_ramp": _("The sender is new and has reached today's limit, which grows each day."),
    "limit_domain": _("The limit for the recipient's email provider is reached."),
    "limit_hour": _("The sender has reached its hourly limit."),
    "limit_minute": _("The sender has reached its limit per minute."),
    "limit_plan": _("All messages of your plan are used."),
    "limit_vendor": _("Your company has reached the limit of the email service."),
    "no_valid_address": _("The contact has no valid email address or chat number."),
    "not_written": _("The message is about to be written."),
    "number_unknown": _("The number has no account at the chat service."),
    "opted_out": _("The contact doesn't accept these chat messages."),
    "outside_window": _("Outside the sending hours in the recipient's time zone."),
    "rejected": _("The mail server refused the message."),
    "reply_received": _("The contact has replied, so nothing more is sent automatically."),
    "restored": _("The service was restored from a backup. The message may already be sent."),
    "retry_backoff": _("The last attempt failed. The next attempt follows later."),
    "run_cancelled": _("The outreach was cancelled."),
    "run_failed": _("The outreach could not be prepared completely, so nothing follows."),
    "run_paused": _("The campaign or workflow is paused. Resume it to send the message."),
    "sample_contact": _("This is a sample contact, so nothing was sent."),
    "scheduled_for_later": _("Scheduled for later."),
    "sender_inactive": _("The sender is switched off."),
    "sender_missing": _("No sender is connected for this message."),
    "sender_stopped": _("The sender was stopped: too many bounces or spam complaints."),
    "sender_trouble": _("The sender has a problem. The message is sent when the sender works again."),
    "sender_unverified": _("The sender has not passed its test."),
    "session_closed": _("More than 24 hours since the contact's last message. Use an approved template."),
    "subscription_lapsed": _("The subscription has ended. Renew it to send the message."),
    "taken_back": _("Taken back before it was sent."),
    "taken_over": _("Someone took over the conversation first."),
    "template_not_approved": _("The chat service has not approved the template, or has paused it."),
    "template_refused": _("The chat service refused the filled template."),
    "uncertain": _("The connection broke while sending. Delivery is unknown."),
    "unsubscribed": _("The contact has unsubscribed."),
    "variable_missing": _("The contact has no value for a required field."),
    "vendor_limit": _("The email service accepts no more at the moment. The message follows soon."),
    "worker_died": _("The service stopped while sending."),
    "worker_failed": _("An internal error occurred. The service tries again."),
    "written_anew": _("The message is being rewritten."),
}
"""Code of a reason -> its sentence, of those too that the decision does not give."""


def sentence_of(reason: str) -> str:
    """Return the sentence of a reason's code; empty for none."""
    return str(SENTENCES.get(reason) or reason.replace("_", " ").capitalize())
