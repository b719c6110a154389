"""Back office page of announcements."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext

from core.announcements.models import Announcement
from core.announcements.services import forget
from core.backoffice.admin import BackOfficeAdmin, BackOfficeForm
from core.text.translation import gettext_lazy as _
from core.types import JsonObject


class AnnouncementForm(BackOfficeForm):
    """An announcement whose end is after its start."""

    def clean(self) -> JsonObject:
        values: JsonObject = super().clean() or self.cleaned_data
        starts_at = values.get("starts_at")
        ends_at = values.get("ends_at")
        if starts_at and ends_at and ends_at <= starts_at:
            raise forms.ValidationError({"ends_at": gettext("Enter an end after the start.")})
        return values


@admin.register(Announcement)
class AnnouncementAdmin(BackOfficeAdmin):
    """Texts above the pages of all companies. A change takes effect at once."""

    icon = "campaign"
    form = AnnouncementForm
    adds = deletes = True
    edits = ("text", "level", "starts_at", "ends_at")
    list_display = ("text", "level", "starts_at", "ends_at")
    list_filter = ("level",)
    search_fields = ("=id", "text")
    search_help_text = _("Text or id")

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        transaction.on_commit(forget)

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        super().delete_model(request, obj)
        transaction.on_commit(forget)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Announcement]) -> None:
        super().delete_queryset(request, queryset)
        transaction.on_commit(forget)
