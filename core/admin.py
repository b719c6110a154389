"""Back office pages of the kernel's records."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from unfold.contrib.filters.admin import AllValuesCheckboxFilter, ChoicesDropdownFilter, RadioFilter
from unfold.decorators import display

from core.backoffice.admin import BY_COMPANY, BackOfficeAdmin, BackOfficeForm, CompanyRecordAdmin
from core.catalogue import CATALOGUE
from core.models import Event, EventDelivery, ResponseMessage
from core.models.periodic import Chore

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


@admin.register(Event)
class EventAdmin(CompanyRecordAdmin):
    """What happened, as consumers were told."""

    icon = "bolt"
    list_display = ("kind", "company", "object_id", "actor_id", "automation", "created_at")
    list_filter = (BY_COMPANY, "automation")
    search_fields = ("=id", "=object_id")
    search_help_text = "Id of the event or of the record"


@admin.register(EventDelivery)
class EventDeliveryAdmin(CompanyRecordAdmin):
    """Events that a consumer has not handled yet, and those that it could not handle."""

    icon = "outbox"
    list_display = ("event_kind", "consumer", "status", "company", "attempts", "due_at", "error_line")
    list_filter = (("status", ChoicesDropdownFilter), "consumer", BY_COMPANY)
    list_select_related = ("company", "event")
    search_fields = ("=id", "=event__id", "=event__object_id")
    search_help_text = "Id of the delivery, the event or the record"
    commands = ("retry",)

    @admin.display(description="event", ordering="event__kind")
    def event_kind(self, delivery: EventDelivery) -> str:
        return delivery.event.kind

    @admin.display(description="error")
    def error_line(self, delivery: EventDelivery) -> str:
        return delivery.error[:100]

    @admin.display(description="Try again")
    def retry(self, request: HttpRequest, rows: QuerySet[EventDelivery]) -> None:
        def again(delivery: EventDelivery) -> Any:
            changes = {"status": EventDelivery.Status.PENDING, "attempts": 0, "due_at": timezone.now()}
            return EventDelivery.objects.filter(pk=delivery.pk, status=EventDelivery.Status.PARKED).update(**changes)

        self.each(request, rows.filter(status=EventDelivery.Status.PARKED), again, "will be tried again")


@admin.register(Chore)
class ChoreAdmin(BackOfficeAdmin):
    """What comes round by itself: when next, and how it went last."""

    icon = "update"
    list_display = ("name", "due_at", "done_at", "error_line")
    search_fields = ("name",)
    ordering = ("name",)
    commands = ("do_now",)

    @admin.display(description="error")
    def error_line(self, chore: Chore) -> str:
        return chore.error[:100]

    @admin.display(description="Do it now")
    def do_now(self, request: HttpRequest, rows: QuerySet[Chore]) -> None:
        for chore in rows:
            Chore.objects.filter(pk=chore.pk).update(due_at=timezone.now())
            self.log_change(request, chore, "Made due.")
        self.message_user(request, "A worker does it within a second or two", messages.SUCCESS)
