"""Back office page of the named messages."""

from __future__ import annotations

from typing import Any, ClassVar

from django import forms
from django.contrib import admin, messages
from django.db.models import F, Q, QuerySet
from django.http import HttpRequest
from unfold.contrib.filters.admin import AllValuesCheckboxFilter, RadioFilter
from unfold.decorators import display

from core.backoffice.admin import BackOfficeAdmin, BackOfficeForm
from core.messages.models import ResponseMessage

BODILESS = (204, 205, 304)
"""Statuses whose answers have no body, so that a message has no place."""


class ResponseMessageForm(BackOfficeForm):
    """The form of a message. A failure keeps a status from 400 to 599, a success one from 200 to 299."""

    def clean_status(self) -> int:
        status: int = self.cleaned_data["status"]
        kind = range(200, 300) if (self.instance.default_status or self.instance.status) < 400 else range(400, 600)
        if status not in kind or status in BODILESS:
            text = f"Choose a status from {kind.start} to {kind.stop - 1} whose answers have a body."
            raise forms.ValidationError(text)
        return status


class Edited(RadioFilter):
    """Messages that differ from their defaults."""

    title = "edited"
    parameter_name = "edited"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("yes", "Edited"), ("no", "Not edited")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[ResponseMessage]) -> QuerySet[ResponseMessage]:
        same = Q(default_text=None) | Q(status=F("default_status"), text=F("default_text"))
        return {"yes": queryset.exclude(same), "no": queryset.filter(same)}.get(self.value() or "", queryset)


@admin.register(ResponseMessage)
class ResponseMessageAdmin(BackOfficeAdmin):
    """Text and status of named messages. Edits take effect within seconds."""

    icon = "translate"
    form = ResponseMessageForm
    list_display = ("name", "status", "text", "edited", "default", "updated_at")
    list_filter = (Edited, ("status", AllValuesCheckboxFilter))
    search_fields = ("=id", "name", "text", "=status")
    search_help_text = "Name, text or status"
    ordering = ("name",)
    edits = ("status", "text")
    hides = ("default_status", "default_text")
    extra = ("edited", "default")
    commands = ("reset",)
    when: ClassVar[Any] = {"reset": lambda message: message.is_edited}

    @display(description="edited", label={"edited": "warning"})
    def edited(self, message: ResponseMessage) -> str | None:
        return "edited" if message.is_edited else None

    @admin.display(description="default")
    def default(self, message: ResponseMessage) -> str:
        return "none" if message.default is None else f"{message.default_status} {message.default_text}"

    @admin.display(description="Reset to the default")
    def reset(self, request: HttpRequest, rows: QuerySet[ResponseMessage]) -> None:
        done = 0
        for message in rows:
            if message.default is not None:
                status, text = message.default
                message.status = status
                message.text = text
                message.save()
                self.log_change(request, message, "Reset to the default.")
                done += 1
        self.message_user(request, f"Reset to the default: {done}", messages.SUCCESS)
