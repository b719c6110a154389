"""The back office page of terms of plans that are kept for those who pay for them."""

from __future__ import annotations

from datetime import date
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Count
from django.http import HttpRequest
from unfold.widgets import UnfoldAdminDateWidget

from billing.plans.models import PlanVersion
from billing.subscriptions.versions import end_version
from core.backoffice.admin import BackOfficeAdmin
from core.backoffice.dialogs import dialog_action
from core.text.translation import gettext_lazy as _


class EndForm(forms.Form):
    """The day on which terms end."""

    on = forms.DateField(
        label=_("From"),
        help_text=_("Subscribers move with their next period after this day."),
        widget=UnfoldAdminDateWidget(),
    )


@admin.register(PlanVersion)
class PlanVersionAdmin(BackOfficeAdmin):
    """Terms of plans as they were before a change, for those who pay for them. They are never edited."""

    icon = "history_edu"
    title_needs = ("plan",)
    dialogs = ("end",)
    list_display = ("__str__", "subscribers", "min_seats", "max_seats", "ends_on", "created_at")
    search_fields = ("=id", "plan__name")

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).annotate(subscribers=Count("subscriptions"))

    @admin.display(description=_("subscribers"), ordering="subscribers")
    def subscribers(self, row: Any) -> int:
        return int(row.subscribers)

    @dialog_action(EndForm, _("Move subscribers to the current terms"), permission="billing.change_planversion")
    def end(self, request: HttpRequest, record: PlanVersion, *, on: date) -> None:
        """End the terms on a date and notify their subscribers."""
        end_version(record, on)
        self.log_change(request, record, _("Ends on %(day)s.") % {"day": on})
