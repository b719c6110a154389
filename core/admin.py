"""Back office pages of the kernel's records."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.contrib.filters.admin import AllValuesCheckboxFilter, RadioFilter
from unfold.decorators import display

from core.backoffice.admin import BackOfficeAdmin, BackOfficeForm
from core.catalogue import CATALOGUE
from core.events import admin as events_admin  # noqa: F401  (registers its pages)
from core.jobs import admin as jobs_admin  # noqa: F401  (registers its pages)
from core.models import ResponseMessage

BODILESS = (204, 205, 304)
"""Statuses whose answers have no body, and so cannot say anything."""


class ResponseMessageForm(BackOfficeForm):
    """A message, which stays what it is: a refusal is answered with 400 to 599, a success with 200 to 299."""

    def clean_status(self) -> int:
        status: int = self.cleaned_data["status"]
        known = CATALOGUE.get(self.instance.name)
        kind = range(200, 300) if known and known[0] < 400 else range(400, 600)
        if status not in kind or status in BODILESS:
            raise forms.ValidationError(f"Choose a status from {kind.start} to {kind.stop - 1} whose answers have a body.")
        return status


class Edited(RadioFilter):
    """Messages that differ from the catalogue."""

    title = "edited"
    parameter_name = "edited"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("yes", "Edited"), ("no", "As in the catalogue")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[ResponseMessage]) -> QuerySet[ResponseMessage]:
        if self.value() not in ("yes", "no"):
            return queryset
        rows = ResponseMessage.objects.values_list("pk", "name", "status", "text")
        edited = [pk for pk, name, *values in rows if CATALOGUE.get(name) != tuple(values)]
        return queryset.filter(pk__in=edited) if self.value() == "yes" else queryset.exclude(pk__in=edited)


@admin.register(ResponseMessage)
class ResponseMessageAdmin(BackOfficeAdmin):
    """Text and status of named messages; edits show everywhere within seconds."""

    icon = "translate"
    form = ResponseMessageForm
    list_display = ("name", "status", "text", "differs", "updated_at")
    list_filter = (Edited, ("status", AllValuesCheckboxFilter))
    search_fields = ("=id", "name", "text", "=status")
    search_help_text = "Name, text or status"
    ordering = ("name",)
    edits = ("status", "text")
    extra = ("in_the_catalogue",)
    commands = ("reset",)

    @display(description="edited", label={"edited": "warning"})
    def differs(self, message: ResponseMessage) -> str | None:
        return "edited" if CATALOGUE.get(message.name) != (message.status, message.text) else None

    @admin.display(description="in the catalogue")
    def in_the_catalogue(self, message: ResponseMessage) -> str:
        status, text = CATALOGUE.get(message.name, ("", "not there"))
        return f"{status} {text}".strip()

    @admin.display(description="Reset to the catalogue")
    def reset(self, request: HttpRequest, rows: QuerySet[ResponseMessage]) -> None:
        done = 0
        for message in rows:
            if message.name in CATALOGUE:
                message.status, message.text = CATALOGUE[message.name]
                message.save()
                self.log_change(request, message, "Reset to the catalogue.")
                done += 1
        self.message_user(request, f"Reset to the catalogue: {done}", messages.SUCCESS)
