"""Default links of notification mails: the page of the record that they are about."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings

from core.text.translation import gettext_lazy as _
from core.types import Values

PLAN = ("settings/plan", _("See the plan"))
ORDER = ("settings/plan/pay/{payment.pk}", _("Pay now"))
METHODS = ("settings/plan/methods", _("Save another payment method"))
INVOICES = ("settings/plan/invoices", _("See the invoices"))
REFERRAL = ("account/referral", _("See your referrals"))
COMPANY_PAGES = {
    "notice_form_submitted": ("leads/{lead.pk}", _("See the lead")),
    "notice_social_app_failing": ("settings/social", _("See the app")),
    "notice_calendar_failing": ("booking/hours", _("Connect the calendar")),
    "notice_import_finished": ("imports/{job.pk}", _("See the import")),
    "notice_import_failed": ("imports/{job.pk}", _("See the import")),
    "notice_bulk_job_finished": ("jobs/{job.pk}", _("See the change")),
    "notice_run_planned": ("{run.drafts_place}", _("Review the drafts")),
    "notice_run_finished": ("{run.place}", _("See the result")),
    "notice_run_failed": ("{run.place}", _("See the reason")),
    "notice_reply_received": ("received-mail/{inbound.pk}", _("Read the reply")),
    "notice_conversation_assigned": ("inbox/{conversation.pk}", _("See the conversation")),
    "notice_conversation_woken": ("inbox/{conversation.pk}", _("See the conversation")),
    "notice_conversation_overdue": ("inbox/{conversation.pk}", _("Reply now")),
    "notice_sender_failing": ("{smtp.page}", _("See the sender")),
    "notice_mailbox_failing": ("senders/{mailbox.pk}/mailbox", _("See the mailbox")),
    "notice_sender_stopped": ("{smtp.page}", _("See the sender")),
    "notice_sender_undeliverable": ("senders/{smtp.pk}", _("See the records")),
    "notice_webhook_failing": ("settings/webhooks/{webhook.pk}", _("See the webhook")),
    "notice_member_joined": ("settings/members", _("See the members")),
    "notice_staff_visited": ("settings/log", _("See the log")),
    "notice_subscription_ending": PLAN,
    "notice_subscription_ended": PLAN,
    "notice_subscription_past_due": PLAN,
    "notice_subscription_terms_end": PLAN,
    "notice_invoice_due": ORDER,
    "notice_payment_failed": ORDER,
    "notice_payment_action_needed": ORDER,
    "notice_payment_received": INVOICES,
    "notice_payment_rejected": ORDER,
    "notice_card_expires": METHODS,
    "notice_limit_nearly_used": PLAN,
    "follow_up_reminder": ("follow-ups", _("See your tasks")),
    "notice_comment_mentioned": ("comments/{comment.pk}", _("See the comment")),
    "notice_quote_accepted": ("quotes/{quote.pk}", _("See the quote")),
    "notice_quote_declined": ("quotes/{quote.pk}", _("See the quote")),
    "notice_task_overdue": ("follow-ups/{task.pk}", _("See the task")),
}
"""Kind of mail -> the page of the company, below /c/<company id>/, and the label of its button."""
OWN_PAGES = dict.fromkeys(("partner_approved", "partner_rejected", "partner_revoked", "reward_earned"), REFERRAL)
"""The same for the pages of the person."""


@dataclass(frozen=True, slots=True)
class PageLink:
    """A button of a mail."""

    address: str
    label: str


def page_link(kind: str, company_id: str | None, context: Values) -> PageLink | None:
    """Return the page that a kind of mail leads to; None for one that brings a link, or goes to outsiders."""
    if kind in OWN_PAGES:
        path, label = OWN_PAGES[kind]
        return PageLink(f"{settings.BASE_URL}/{path}", label)
    if kind in COMPANY_PAGES and company_id:
        path, label = COMPANY_PAGES[kind]
        return PageLink(f"{settings.BASE_URL}/c/{company_id}/{path.format(**context)}", label)
    return None
