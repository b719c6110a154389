"""Back office pages of subscriptions and of the log of their changes."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time
from typing import Any, ClassVar, cast

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString
from unfold.contrib.filters.admin import AutocompleteSelectFilter, ChoicesDropdownFilter
from unfold.widgets import (
    UnfoldAdminDateWidget,
    UnfoldAdminIntegerFieldWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextInputWidget,
    UnfoldBooleanSwitchWidget,
)

from accounts.models import User
from billing.plans.models import Currency, Plan, PlanPrice
from billing.plans.validation import OwnTermsForm
from billing.subscriptions.models import OPEN, Subscription, SubscriptionChange
from billing.subscriptions.pauses import pause_subscription, resume_subscription
from billing.subscriptions.services import (
    activate_subscription,
    cancel_subscription,
    cap_overage,
    change_subscription,
    expire_subscription,
    extend_subscription,
    grant_subscription,
    override_subscription,
)
from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from core.backoffice.columns import Tones, badge, choice_text
from core.backoffice.dialogs import dialog_action, has_status
from core.backoffice.panels import ROWS, list_address, register_panel, render_link, render_table
from core.text.labels.choices import choice_label
from core.text.labels.words import name_label
from core.text.translation import gettext_lazy as _
from core.types import JsonObject

COLOURS = Tones(
    {
        "trial": "info",
        "active": "success",
        "past_due": "warning",
        "paused": "warning",
        "cancelled": "danger",
        "expired": "danger",
    }
)
CHANGE = "billing.change_subscription"
BY_PLAN = ("plan", AutocompleteSelectFilter)


Status = Subscription.Status


def end_of(day: date | None) -> datetime | None:
    """Return the last second of the day, in UTC."""
    return None if day is None else datetime.combine(day, time(23, 59, 59), UTC)


def plan_field(text: str) -> forms.ModelChoiceField[Plan]:
    return forms.ModelChoiceField(
        Plan.objects.order_by("order", "name"),
        required=False,
        help_text=text,
        empty_label="–",
        widget=UnfoldAdminSelectWidget(),
    )


def seats_field(text: str) -> forms.IntegerField:
    return forms.IntegerField(
        required=False, min_value=1, max_value=1_000_000, help_text=text, widget=UnfoldAdminIntegerFieldWidget()
    )


def day_field(text: str, *, required: bool = False) -> forms.DateField:
    return forms.DateField(required=required, help_text=text, widget=UnfoldAdminDateWidget())


class NoteForm(forms.Form):
    """The reason of a change."""

    note = forms.CharField(
        required=False,
        max_length=300,
        help_text=_("Kept on record with your name."),
        widget=UnfoldAdminTextInputWidget(),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.order_fields([*(name for name in self.fields if name != "note"), "note"])


class GrantForm(NoteForm):
    """A new subscription."""

    plan = plan_field(_("Choose a plan, or everything below."))
    everything = forms.BooleanField(
        required=False,
        help_text=_("All modules without limits, instead of a plan."),
        widget=UnfoldBooleanSwitchWidget(),
    )
    interval = forms.ChoiceField(
        choices=[("", "–"), *PlanPrice.Interval.choices],
        required=False,
        help_text=_("Starts now and renews."),
        widget=UnfoldAdminSelectWidget(),
    )
    until = day_field(_("Last day (UTC). Leave both empty for no end."))
    seats = seats_field(_("Leave empty for the plan's number."))
    currency = forms.ModelChoiceField(
        Currency.objects.filter(is_active=True).order_by("code"),
        required=False,
        help_text=_("Currency of the invoices."),
        empty_label="–",
        widget=UnfoldAdminSelectWidget(),
    )

    def clean(self) -> JsonObject:
        """Require a plan or everything, so that an empty form grants nothing."""
        cleaned = super().clean() or {}
        if "plan" in cleaned and (cleaned["plan"] is None) != bool(cleaned.pop("everything", False)):
            raise forms.ValidationError(_("Choose a plan or everything."))
        return cleaned


class ExtendForm(NoteForm):
    """A later end."""

    until = day_field(_("Last day (UTC)."), required=True)


class PauseForm(NoteForm):
    """The end of a pause."""

    until = day_field(_("Last day of the pause (UTC), within the plan's limit."), required=True)


class ChangeForm(NoteForm):
    """Another plan, or other seats."""

    plan = plan_field(_("Leave empty to keep the plan."))
    seats = seats_field(_("Leave empty to keep the seats."))


class CancelForm(NoteForm):
    """The end of a subscription, now or later."""

    at_period_end = forms.BooleanField(
        label=_("At the end of the period"),
        required=False,
        initial=True,
        help_text=_("Leave off to end access now."),
        widget=UnfoldBooleanSwitchWidget(),
    )


@admin.register(Subscription)
class SubscriptionAdmin(CompanyRecordAdmin):
    """The companies' subscriptions."""

    icon = "card_membership"
    title_needs = ("company", "plan")
    form = OwnTermsForm
    edits = ("modules", "limits", "overage")
    commands = ("activate", "resume", "expire")
    dialogs = ("grant", "extend", "change", "pause", "cancel")
    when: ClassVar[Any] = {
        "activate": lambda row: row.status in (Status.TRIAL, Status.PAST_DUE, Status.EXPIRED, Status.CANCELLED),
        "resume": has_status(Status.PAUSED),
        "pause": has_status(Status.ACTIVE),
        "extend": has_status(Status.TRIAL, Status.ACTIVE, Status.PAST_DUE, Status.EXPIRED),
        "change": has_status(*OPEN),
        "cancel": has_status(*OPEN),
        "expire": has_status(*OPEN),
    }
    folds = ("status", "period_start")
    hides = ("is_primary", "period_day", "looked_at", "look_at", "use_looked_at", "use_told", "paused_at")
    list_display = ("company", "plan", "state", "seats", "period_end", "ends_at", "created_at")
    list_filter = (("status", ChoicesDropdownFilter), BY_PLAN, BY_COMPANY)
    search_fields = ("=id", "company__name", "company__email", "plan__name")

    state = badge("status", COLOURS)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return whether the user may give other modules and limits than the plan's: a right of its own."""
        return request.user.has_perm("billing.override_subscription") and super().has_change_permission(request, obj)

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        return lookup == "plan__id__exact" or super().lookup_allowed(lookup, value, request)

    def save_model(self, request: HttpRequest, obj: Subscription, form: Any, change: bool) -> None:  # type: ignore[override]
        origin: JsonObject = {"by": staff_of(request), "note": _("Edited in the back office")}
        if {"modules", "limits"} & set(form.changed_data):
            override_subscription(company_id=obj.company_id, modules=obj.modules, limits=obj.limits, **origin)
        if "overage" in form.changed_data:
            cleared_overage = dict.fromkeys(form.initial.get("overage") or {})
            cap_overage(company_id=obj.company_id, caps={**cleared_overage, **obj.overage}, **origin)

    @admin.display(description=_("Activate"))
    def activate(self, request: HttpRequest, rows: QuerySet[Subscription]) -> None:
        def do(row: Subscription) -> None:
            activate_subscription(company_id=row.company_id, by=staff_of(request))

        self.each(request, rows.filter(is_primary=True), do, _("Activated"))

    @admin.display(description=_("Resume"))
    def resume(self, request: HttpRequest, rows: QuerySet[Subscription]) -> None:
        def do(row: Subscription) -> None:
            resume_subscription(company_id=row.company_id, by=staff_of(request))

        self.each(request, rows.filter(is_primary=True), do, _("Resumed"))

    @admin.display(description=_("Expire now"))
    def expire(self, request: HttpRequest, rows: QuerySet[Subscription]) -> None:
        def do(row: Subscription) -> None:
            expire_subscription(company_id=row.company_id, by=staff_of(request))

        self.each(request, rows.filter(is_primary=True), do, _("Expired"))

    @dialog_action(GrantForm, _("Grant"), permission=CHANGE)
    def grant(
        self,
        request: HttpRequest,
        record: Subscription,
        *,
        plan: Plan | None,
        interval: str,
        until: date | None,
        seats: int | None,
        currency: Currency | None,
        note: str,
    ) -> None:
        """Grant the form's plan for the form's time."""
        grant_subscription(
            company_id=record.company_id,
            plan=plan,
            interval=interval,
            until=end_of(until),
            seats=seats,
            currency=currency.code if currency else "",
            by=staff_of(request),
            note=note,
        )
        self.log_change(
            request, record, _("Granted: %(plan)s. %(note)s") % {"plan": plan or _("Everything"), "note": note}
        )

    @dialog_action(ExtendForm, _("Extend"), permission=CHANGE)
    def extend(self, request: HttpRequest, record: Subscription, *, until: date, note: str) -> None:
        """Move the end to a later day."""
        extend_subscription(
            company_id=record.company_id, until=cast(datetime, end_of(until)), by=staff_of(request), note=note
        )
        self.log_change(request, record, _("Extended to %(day)s. %(note)s") % {"day": until, "note": note})

    @dialog_action(ChangeForm, _("Change plan or seats"), permission=CHANGE)
    def change(
        self, request: HttpRequest, record: Subscription, *, plan: Plan | None, seats: int | None, note: str
    ) -> None:
        """Change the plan or the seats at once."""
        change_subscription(company_id=record.company_id, plan=plan, seats=seats, by=staff_of(request), note=note)
        self.log_change(
            request,
            record,
            _("Changed: plan %(plan)s, seats %(seats)s. %(note)s")
            % {"plan": plan or _("unchanged"), "seats": seats or _("unchanged"), "note": note},
        )

    @dialog_action(PauseForm, _("Pause"), permission=CHANGE)
    def pause(self, request: HttpRequest, record: Subscription, *, until: date, note: str) -> None:
        """Pause the subscription to the end of a day."""
        until_then = cast(datetime, end_of(until))
        pause_subscription(company_id=record.company_id, until=until_then, by=staff_of(request), note=note)
        self.log_change(request, record, _("Paused until %(day)s. %(note)s") % {"day": until, "note": note})

    @dialog_action(CancelForm, _("Cancel subscription"), permission=CHANGE)
    def cancel(self, request: HttpRequest, record: Subscription, *, at_period_end: bool, note: str) -> None:
        """End the subscription, now or with its period."""
        cancel_subscription(company_id=record.company_id, at_period_end=at_period_end, by=staff_of(request), note=note)
        text = _("Cancelled at the end of the period. %(note)s") if at_period_end else _("Cancelled now. %(note)s")
        self.log_change(request, record, text % {"note": note})


def staff_of(request: HttpRequest) -> User:
    """Return the logged-in staff member."""
    return cast(User, request.user)


@admin.register(SubscriptionChange)
class SubscriptionChangeAdmin(CompanyRecordAdmin):
    """The log of changes of subscriptions."""

    icon = "history"
    operators_only = True
    list_display = ("__str__", "created_at", "company", "action", "by", "note", "source")
    list_filter = (("action", ChoicesDropdownFilter), BY_COMPANY)
    search_fields = ("=id", "=source", "company__name", "by__email", "note")

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        return lookup == "subscription__id__exact" or super().lookup_allowed(lookup, value, request)


@register_panel(Subscription, _("Changes"), permission="billing.view_subscriptionchange")
def _changes(subscription: Subscription) -> SafeString:
    rows = (
        SubscriptionChange.objects.filter(subscription=subscription)
        .select_related("by")
        .order_by("-created_at", "-id")[:ROWS]
    )
    cells = [
        (
            render_link(row, choice_text(row, "action")),
            row.by or _("The service"),
            _changed_values(row),
            row.note or "–",
            row.created_at,
        )
        for row in rows
    ]
    more = list_address(SubscriptionChange, subscription__id__exact=subscription.pk)
    return render_table((_("Action"), _("By"), _("Changed values"), _("Note"), _("Time")), cells, more=more)


def _changed_values(change: SubscriptionChange) -> str:
    """Format the changed values, without those that repeat others."""
    names = [name for name in change.after if name not in ("plan_id", "starts_at", "period_start")]
    return (
        "; ".join(
            f"{name_label(name)}: {_text(change.before.get(name))} → {_text(change.after[name])}" for name in names
        )[:500]
        or "–"
    )


def _text(value: Any) -> str:
    if isinstance(value, str) and value[10:11] == "T":
        return value[:16].replace("T", " ")
    if isinstance(value, str) and re.fullmatch("[a-z_]+", value):
        return choice_label(value.replace("_", " ").capitalize())
    if isinstance(value, bool):
        return _("Yes") if value else _("No")
    return "–" if value in (None, "", {}) else str(value)
