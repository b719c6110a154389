"""Reasons why messages are not sent: codes, and sentences for people."""

from __future__ import annotations

from enum import StrEnum

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


SENTENCES: dict[Reason, str] = {
    Reason.RUN_CANCELLED: "The run that this message belongs to was cancelled.",
    Reason.CONTACT_DELETED: "The contact was deleted.",
    Reason.ADDRESS_SUPPRESSED: "The address is on the suppression list.",
    Reason.UNSUBSCRIBED: "The contact has unsubscribed.",
    Reason.REPLY_RECEIVED: "The contact has replied, so nothing more is sent by itself.",
    Reason.BOUNCED: "Another message to this contact was refused or came back, so no follow-up is sent.",
    Reason.LEAD_WON: "A lead of the contact was won, so no follow-up is sent.",
    Reason.LEAD_LOST: "A lead of the contact was lost, so no follow-up is sent.",
    Reason.NO_VALID_ADDRESS: "The contact has no valid email address, or no number for a chat.",
    Reason.SESSION_CLOSED: (
        "More than 24 hours have passed since the contact's last message, so that only an approved template may go."
    ),
    Reason.ATTEMPTS_EXHAUSTED: f"All {MAX_ATTEMPTS} attempts failed.",
    Reason.SUBSCRIPTION_LAPSED: "The company's subscription has ended; the message goes once it is renewed.",
    Reason.NOT_WRITTEN: "It is about to be written.",
    Reason.AI_LIMIT_REACHED: "It is not written yet: a cap of AI use is reached.",
    Reason.AI_BUSY: "It is not written yet: the AI model takes no more calls at the moment, and is asked again.",
    Reason.AI_TROUBLE: "It is not written yet: the AI app does not work at present, and is tried again.",
    Reason.WRITTEN_ANEW: "It is being rewritten.",
    Reason.AWAITING_WINNER: "It is not written yet: the campaign tests its variants, and the winner writes to it.",
    Reason.RUN_PAUSED: "The campaign, or the run of a workflow, is paused; the message goes once somebody resumes it.",
    Reason.AWAITING_APPROVAL: "The message is a draft and waits for approval.",
    Reason.APPROVAL_OUTDATED: (
        "The contact's or the sender's name or address has changed since it was approved; it goes once it is approved"
        " again."
    ),
    Reason.APPROVAL_EXPIRED: "Its approval has expired before it could go; it goes once it is approved again.",
    Reason.TEMPLATE_NOT_APPROVED: "The chat vendor has not approved its template, or has paused it.",
    Reason.SENDER_MISSING: "No sender is connected that could send this message.",
    Reason.SENDER_INACTIVE: "The sender is switched off.",
    Reason.SENDER_UNVERIFIED: "The sender has not passed its connection test.",
    Reason.SENDER_STOPPED: "The sender was stopped, since too much of what it sent came back or was called spam.",
    Reason.SCHEDULED_FOR_LATER: "The message is planned for later.",
    Reason.LIMIT_DOMAIN: "The limit for the recipient's mail provider is reached.",
    Reason.LIMIT_VENDOR: "Your company's limit for the mail vendor is reached, over all accounts there.",
    Reason.LIMIT_PLAN: "All messages that the plan includes are used; it goes when there are more.",
    Reason.RETRY_BACKOFF: "The last attempt failed for the time being; the next one is due later.",
    Reason.LIMIT_DAY_RAMP: "The sender is new and has reached today's limit, which grows from day to day.",
    Reason.LIMIT_DAY: "The sender has reached its limit per day.",
    Reason.LIMIT_HOUR: "The sender has reached its limit per hour.",
    Reason.LIMIT_MINUTE: "The sender has reached its limit per minute.",
    Reason.LIMIT_CAMPAIGN: "The campaign has reached its limit per hour.",
    Reason.OUTSIDE_WINDOW: "It is outside the sending hours at the recipient's place.",
}

OTHER_SENTENCES = {
    "attachment_missing": "A file that has to go with it is not there any more, so it was not sent.",
    "bad_address": "The mail server says that there is no such address.",
    "came_back": "It came back: the receiving server says that there is no such mailbox.",
    "chat_refused": "The chat vendor refused it.",
    "changed_since_claim": "Something changed while it was about to go; it is decided again.",
    "compose_failed": "No text could be written for this contact.",
    "declined": "Rejected in review.",
    "edited": "A person has changed its words.",
    "erased": "The contact's data were erased.",
    "invalid_message": "No mail can be made of this message.",
    "number_unknown": "The chat vendor says that the number has no account there.",
    "opted_out": "The person takes no such messages of the company by chat.",
    "rejected": "The mail server refused it.",
    "restored": "The service was restored from a backup, and the original may have sent it.",
    "run_failed": "The outreach could not be prepared to its end, so nothing follows.",
    "sample_contact": "This is a sample contact, so nothing was sent.",
    "sender_trouble": "It was not sent: its sender has trouble and rests. It goes when the sender works again.",
    "taken_over": "A person has taken the conversation over before it went.",
    "template_refused": "The chat vendor does not take the template as it was filled.",
    "uncertain": "The connection broke while it was going; nobody knows whether it arrived.",
    "variable_missing": "The contact has no value for something that the template needs.",
    "vendor_limit": "The mail vendor takes no more at the moment; it goes in a while.",
    "worker_died": "The service stopped while it was at work on it.",
    "worker_failed": "The service could not go on with it, and tries again.",
}
"""Code -> sentence, of the reasons that the decision does not give."""


def sentence_of(reason: str) -> str:
    """Return the sentence of a reason's code; empty for none."""
    return (SENTENCES | OTHER_SENTENCES).get(reason, reason.replace("_", " ").capitalize())
