"""Panels with a subscription's limits and their use."""

from __future__ import annotations

from django.utils.safestring import SafeString

from accounts.models import Company
from accounts.roles.pages import WORDS
from billing.entitlements.selectors import SEATS, terms_of, usage_of
from billing.subscriptions.models import Subscription
from billing.subscriptions.selectors import is_open
from core.backoffice.columns import choice_text
from core.backoffice.panels import register_panel, render_figures, render_link
from core.tenancy import company_scope
from core.text.labels.modules import name_of
from core.text.translation import gettext_lazy as _


@register_panel(Subscription, _("Use"), permission="billing.view_subscription")
def _use(subscription: Subscription) -> SafeString:
    return render_figures(_figures(subscription))


@register_panel(Company, _("Subscription"), permission="billing.view_subscription")
def _subscription(company: Company) -> SafeString:
    subscription = (
        Subscription.objects.filter(company=company, is_primary=True).select_related("plan", "version").first()
    )
    if subscription is None:
        return render_figures([(_("Subscription"), _("None"))])
    return render_figures(
        [
            (_("Subscription"), render_link(subscription, choice_text(subscription, "status"))),
            (_("Plan"), render_link(subscription.plan) if subscription.plan else _("Everything")),
            (_("Access"), _("Open") if is_open(subscription) else _("Closed")),
            (_("Since"), subscription.starts_at.date()),
            (_("Paid until"), subscription.period_end.date() if subscription.period_end else "–"),
            (_("Ends"), subscription.ends_at.date() if subscription.ends_at else _("No end")),
            *_figures(subscription),
        ]
    )


def _figures(subscription: Subscription) -> list[tuple[str, str]]:
    """Return the use of the subscription's limits."""
    allowed = terms_of(subscription)
    with company_scope(subscription.company_id):
        used = usage_of(allowed)
    seats, total = used.pop(SEATS)
    modules = _("All") if allowed.modules is None else str(len(allowed.modules))
    rows = [
        (WORDS.get(module) or name_of(module), _quota_text(number, limit)) for module, (number, limit) in used.items()
    ]
    return [(_("Modules"), modules), (_("Seats"), _quota_text(seats, total)), *rows]


def _quota_text(number: int, limit: int | None) -> str:
    return (
        f"{number:,}" if limit is None else _("%(used)s of %(limit)s") % {"used": f"{number:,}", "limit": f"{limit:,}"}
    )
