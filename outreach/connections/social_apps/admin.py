"""Back office pages of social apps."""

from __future__ import annotations

from django.contrib import admin

from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from outreach.connections.social_apps.models import SocialAApp, SocialPage
from outreach.connections.social_apps.services import SECRETS


@admin.register(SocialAApp)
class SocialAAppAdmin(CompanyRecordAdmin):
    """Companies' apps at the social platform. Only their company changes their tokens."""

    icon = "share"
    edits = ("name", "is_active")
    hides = (*SECRETS, "hook_salt")
    list_display = ("__str__", "company", "verified", "is_active", "token_expires_at", "last_error", "created_at")
    list_filter = (BY_COMPANY, "verified", "is_active")
    search_fields = ("=id", "name", "=app_id")


@admin.register(SocialPage)
class SocialPageAdmin(CompanyRecordAdmin):
    """Pages whose leads companies read."""

    icon = "web"
    hides = ("token",)
    list_display = ("__str__", "app", "company", "subscribed_at", "created_at")
    search_fields = ("=id", "=page_id", "name")
