"""Texts for people about the reasons of messages, by the API's codes."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext

from core.text.translation import gettext_lazy as _
from core.types import Values
from core.web.ask import Answer
from core.web.pages import Page

TEXTS: Mapping[str, str] = {
    "address_suppressed": _("The address is on the suppression list."),
    "ai_busy": _("Not written yet. The AI model is busy and is asked again."),
    "ai_limit_reached": _("Not written yet. The limit for AI use is reached."),
    "ai_trouble": _("Not written yet. The AI app has a problem and is tried again."),
    "approval_expired": _("The approval has expired. Approve the message again."),
    "approval_outdated": _("The contact or sender has changed since the approval. Approve the message again."),
    "attachment_missing": _("Not sent: an attached file was deleted."),
    "attempts_exhausted": _("All attempts failed."),
    "awaiting_approval": _("Needs approval."),
    "awaiting_winner": _("Not written yet. The winner of the A/B test decides the text."),
    "bad_address": _("The mail server says: this address doesn't exist."),
    "bounced": _("Another message to this contact bounced, so follow-ups stopped."),
    "came_back": _("Bounced: this mailbox doesn't exist."),
    "changed_since_claim": _("Something changed just before sending. It is checked again."),
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
    "not_written": _("About to be written."),
    "number_unknown": _("The number has no account at the chat service."),
    "opted_out": _("The contact doesn't accept these chat messages."),
    "outside_window": _("Outside the sending hours of the recipient's place."),
    "rejected": _("The mail server refused the message."),
    "reply_received": _("The contact has replied, so nothing more is sent automatically."),
    "restored": _("The service was restored from a backup. The message may already be sent."),
    "retry_backoff": _("The last attempt failed. The next one follows later."),
    "run_cancelled": _("The outreach was canceled."),
    "run_failed": _("The outreach could not be prepared completely, so nothing follows."),
    "run_paused": _("The campaign or workflow is paused. Resume it to send the message."),
    "sample_contact": _("This is a sample contact, so nothing was sent."),
    "scheduled_for_later": _("Scheduled for later."),
    "sender_inactive": _("The sender is switched off."),
    "sender_missing": _("No sender is connected for this message."),
    "sender_stopped": _("The sender was stopped: too many bounces or spam complaints."),
    "sender_trouble": _("The sender has a problem. The message is sent when it works again."),
    "sender_unverified": _("The sender has not passed its test."),
    "session_closed": _("More than 24 hours since the contact's last message. Use an approved template."),
    "subscription_lapsed": _("The subscription has ended. Renew it to send the message."),
    "taken_over": _("Someone took over the conversation first."),
    "template_not_approved": _("The chat service has not approved the template, or has paused it."),
    "template_refused": _("The chat service refused the filled template."),
    "uncertain": _("The connection broke while sending. Delivery is unknown."),
    "unsubscribed": _("The contact has unsubscribed."),
    "variable_missing": _("The contact has no value for a required field."),
    "vendor_limit": _("The email service accepts no more at the moment. The message follows soon."),
    "worker_died": _("The service stopped while sending."),
    "worker_failed": _("The service could not continue, and tries again."),
    "written_anew": _("Being rewritten."),
}
"""Code of a reason -> its text."""


class ReasonedPage(Page):
    """A page that shows reasons in its own texts, wherever an answer of the API has one with its sentence."""

    def ask(self, method: str, path: str, query: Values | None = None, body: Any = None) -> Answer:
        answer = super().ask(method, path, query, body)
        self.reword(answer.data)
        return answer

    def reword(self, data: Any) -> None:
        """Replace the API's sentences by the texts of their codes, at any depth."""
        if isinstance(data, list):
            for item in data:
                self.reword(item)
        if not isinstance(data, dict):
            return
        text = TEXTS.get(str(data.get("reason") or ""))
        if text and "sentence" in data:
            text = " ".join(filter(None, (str(text), data.get("detail"))))
            data["sentence"] = self.with_time(text, data.get("goesAt"))
        for value in data.values():
            if isinstance(value, dict | list):
                self.reword(value)

    def with_time(self, text: str, at: datetime | str | None) -> str:
        """Return the text with the time at which the message is expected to go."""
        moment = parse_datetime(at) if isinstance(at, str) else at
        if moment is None:
            return text
        formats = self.reader.formats
        shown = {"text": text, "time": formats.datetime(moment), "zone": formats.timezone}
        return gettext("%(text)s Expected: %(time)s (%(zone)s).") % shown
