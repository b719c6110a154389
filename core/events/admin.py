"""Back office pages of events."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from unfold.contrib.filters.admin import ChoicesDropdownFilter

from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from core.backoffice.dialogs import has_status
from core.backoffice.references import model_of
from core.events.models import Event, EventDelivery
from core.text.labels.words import code_label
from core.text.translation import gettext_lazy as _


@admin.register(Event)
class EventAdmin(CompanyRecordAdmin):
    """The events, as consumers receive them."""

    icon = "bolt"
    operators_only = True
    list_display = ("kind", "company", "object_id", "actor_id", "automation", "created_at")
    refers: ClassVar[Any] = {"object_id": lambda event: model_of(event.kind)}
    list_filter = (BY_COMPANY, "automation")
    search_fields = ("=id", "=object_id")
    search_help_text = _("Id of the event or the record")


@admin.register(EventDelivery)
class EventDeliveryAdmin(CompanyRecordAdmin):
    """Deliveries that wait for their consumer, and deliveries that failed."""

    icon = "outbox"
    operators_only = True
    list_display = ("event_kind", "consumer", "status", "company", "attempts", "due_at", "error_line")
    list_filter = (("status", ChoicesDropdownFilter), "consumer", BY_COMPANY)
    list_select_related = ("company", "event")
    search_fields = ("=id", "=event__id", "=event__object_id")
    search_help_text = _("Id of the delivery, the event or the record")
    commands = ("retry",)
    when: ClassVar[Any] = {"retry": has_status(EventDelivery.Status.PARKED)}

    @admin.display(description=_("event"), ordering="event__kind")
    def event_kind(self, delivery: EventDelivery) -> str:
        return code_label(delivery.event.kind)

    @admin.display(description=_("error"))
    def error_line(self, delivery: EventDelivery) -> str:
        return delivery.error[:100]

    @admin.display(description=_("Try again"))
    def retry(self, request: HttpRequest, rows: QuerySet[EventDelivery]) -> None:
        def again(delivery: EventDelivery) -> Any:
            changes = {"status": EventDelivery.Status.PENDING, "attempts": 0, "due_at": timezone.now()}
            return EventDelivery.objects.filter(pk=delivery.pk, status=EventDelivery.Status.PARKED).update(**changes)

        self.each(request, rows.filter(status=EventDelivery.Status.PARKED), again, _("Queued to try again"))
