"""The back office's menu, over all apps."""

from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse

from core.hold.models import Hold
from core.hold.services import current_hold
from core.types import JsonObject

TITLES = {
    "accounts": "Accounts",
    "billing": "Billing",
    "crm": "CRM",
    "outreach": "Outreach",
    "workflows": "Workflows",
    "core": "System",
    "auth": "Staff",
}
"""The titles of the apps in the menu, in its order."""
OPERATORS_ONLY = "Behind the scenes"
"""Menu title of the records that only operators need (BackOfficeAdmin.operators_only)."""


def navigation(request: HttpRequest) -> list[JsonObject]:
    """Return the sidebar: the pages that the user may see, app by app."""
    apps = {app["app_label"]: app for app in admin.site.get_app_list(request)}
    groups: list[JsonObject] = [
        {"items": [{"title": "Overview", "icon": "monitoring", "link": reverse("admin:index")}]}
    ]
    last_items: list[JsonObject] = []
    for label in sorted(apps, key=lambda label: (list(TITLES).index(label) if label in TITLES else len(TITLES), label)):
        items: list[JsonObject] = []
        for model in apps[label]["models"]:
            page = admin.site.get_model_admin(model["model"])
            item = {
                "title": model["name"][:1].upper() + model["name"][1:],
                "icon": getattr(page, "icon", "data_object"),
                "link": model["admin_url"],
            }
            if model["admin_url"]:
                (last_items if getattr(page, "operators_only", False) else items).append(item)
        items.sort(key=lambda item: item["title"].lower())
        if items:
            groups.append(_group(TITLES.get(label, apps[label]["name"]), items))
    if last_items:
        groups.append(_group(OPERATORS_ONLY, sorted(last_items, key=lambda item: item["title"].lower())))
    return groups


def _group(title: str, items: list[JsonObject]) -> JsonObject:
    return {"title": title, "separator": True, "collapsible": True, "items": items}


def hold_of(request: HttpRequest) -> Hold | None:
    """Return the service's hold. It is read once for a page."""
    if not hasattr(request, "hold"):
        request.hold = current_hold()  # type: ignore[attr-defined]
    hold: Hold | None = request.hold  # type: ignore[attr-defined]
    return hold


def environment(request: HttpRequest) -> list[str] | None:
    """Return the label next to the title of each page if the service is held."""
    return ["Held: nothing goes out", "danger"] if request.user.is_authenticated and hold_of(request) else None
