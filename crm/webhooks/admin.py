"""Back office pages of webhooks."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.contrib.filters.admin import ChoicesDropdownFilter

from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from core.backoffice.references import model_of
from core.text.translation import gettext_lazy as _
from crm.webhooks.models import Webhook, WebhookDelivery


@admin.register(Webhook)
class WebhookAdmin(CompanyRecordAdmin):
    """Webhooks, read-only: their companies look after them. Addresses are shown by their host, since they may hold
    keys."""

    icon = "webhook"
    hides = ("url", "secret", "former_secret", "headers")
    list_display = ("host", "description", "company", "status", "disabled_reason", "failures", "last_success_at")
    list_filter = (BY_COMPANY, ("status", ChoicesDropdownFilter))
    search_fields = ("=id", "description")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Webhook]:
        webhooks: QuerySet[Webhook] = super().get_queryset(request).defer("secret", "former_secret", "headers")
        return webhooks


@admin.register(WebhookDelivery)
class WebhookDeliveryAdmin(CompanyRecordAdmin):
    """Deliveries with their outcomes, without their content."""

    icon = "outbox"
    operators_only = True
    hides = ("body", "response_body")
    refers: ClassVar[Any] = {"object_id": lambda delivery: model_of(delivery.kind)}
    list_display = ("kind", "webhook", "status", "company", "attempts", "response_status", "tried_at", "error_line")
    list_filter = (BY_COMPANY, ("status", ChoicesDropdownFilter))
    search_fields = ("=id", "=event_id", "=object_id", "=webhook__id")
    search_help_text = _("Id of the delivery, event, record or webhook")

    @admin.display(description=_("error"))
    def error_line(self, delivery: WebhookDelivery) -> str:
        return delivery.error[:100]

    def get_queryset(self, request: HttpRequest) -> QuerySet[WebhookDelivery]:
        deliveries: QuerySet[WebhookDelivery] = super().get_queryset(request).defer("body", "response_body")
        return deliveries
