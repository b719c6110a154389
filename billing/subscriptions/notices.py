"""Notices to a company's owners about its subscription (templates/mails/notice_subscription_*, notice_card_expires)."""

from __future__ import annotations

from accounts.settings.notices import Notice
from core.text.translation import gettext_lazy

CARD_EXPIRES = "payment_method.expiring"
ENDING = "subscription.ending"
PAST_DUE = "subscription.past_due"
ENDED = "subscription.ended"
TERMS_END = "subscription.terms_end"

NOTICES = (
    Notice(CARD_EXPIRES, gettext_lazy("Card expires soon"), "notice_card_expires"),
    Notice(ENDING, gettext_lazy("Subscription ends or is due soon"), "notice_subscription_ending"),
    Notice(PAST_DUE, gettext_lazy("Subscription past due"), "notice_subscription_past_due"),
    Notice(ENDED, gettext_lazy("Subscription ended"), "notice_subscription_ended"),
    Notice(TERMS_END, gettext_lazy("Plan terms change"), "notice_subscription_terms_end"),
)
