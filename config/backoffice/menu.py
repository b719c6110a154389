"""The back office's menu, over all apps."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext

from core.backoffice.columns import capitalize_lazily
from core.hold.models import Hold
from core.hold.services import current_hold
from core.text.translation import gettext_lazy as _
from core.types import JsonObject

COMPANIES = _("Companies")
PEOPLE = _("People")
CRM = _("CRM")
OUTREACH = _("Outreach")
WEBSITE = _("Website and chat")
CONNECTIONS = _("Connections")
WORKFLOWS = _("Workflows")
BILLING = _("Billing")
TEXTS = _("Texts")
SYSTEM = _("System")
INTERNALS = _("Internals")
GROUPS = (COMPANIES, PEOPLE, CRM, OUTREACH, WEBSITE, CONNECTIONS, WORKFLOWS, BILLING, TEXTS, SYSTEM, INTERNALS)
"""The groups of the menu, in its order. Internals has the records that only operators need (operators_only)."""
PLACES = {
    "accounts": PEOPLE,
    "accounts.companies": COMPANIES,
    "accounts.settings": COMPANIES,
    "accounts.programs": COMPANIES,
    "accounts.staff_visits": COMPANIES,
    "accounts.mails": TEXTS,
    "accounts.notifications": SYSTEM,
    "accounts.request_log": SYSTEM,
    "billing": BILLING,
    "core": SYSTEM,
    "core.announcements": TEXTS,
    "core.messages": TEXTS,
    "crm": CRM,
    "crm.files": SYSTEM,
    "crm.webhooks": CONNECTIONS,
    "django.contrib.auth": PEOPLE,
    "outreach": OUTREACH,
    "outreach.chat": WEBSITE,
    "outreach.connections": CONNECTIONS,
    "outreach.site": WEBSITE,
    "workflows": WORKFLOWS,
}
"""Package of models -> their group. The longest name counts."""


def navigation(request: HttpRequest) -> list[JsonObject]:
    """Return the sidebar: the pages that the user may see, by group."""
    items: dict[str, list[JsonObject]] = {group: [] for group in GROUPS}
    for app in admin.site.get_app_list(request):
        for model in app["models"]:
            if not model["admin_url"]:
                continue
            page = admin.site.get_model_admin(model["model"])
            title = capitalize_lazily(str(model["name"]))
            icon = getattr(page, "icon", "data_object")
            items[group_of(model["model"])].append({"title": title, "icon": icon, "link": model["admin_url"]})
    overview: JsonObject = {
        "items": [{"title": gettext("Overview"), "icon": "monitoring", "link": reverse("admin:index")}]
    }
    return [overview, *(_group(title, pages) for title, pages in items.items() if pages)]


def group_of(model: type[Model]) -> str:
    """Return the group of the menu that lists a model."""
    if getattr(admin.site.get_model_admin(model), "operators_only", False):
        return INTERNALS
    module = f"{model.__module__}."
    packages = [package for package in PLACES if module.startswith(f"{package}.")]
    return PLACES[max(packages, key=len)] if packages else SYSTEM


def _group(title: str, items: list[JsonObject]) -> JsonObject:
    items.sort(key=lambda item: str(item["title"]).lower())
    return {"title": title, "separator": True, "collapsible": True, "items": items}


def hold_of(request: HttpRequest) -> Hold | None:
    """Return the service's hold. It is read once for a page."""
    if not hasattr(request, "hold"):
        request.hold = current_hold()  # type: ignore[attr-defined]
    hold: Hold | None = request.hold  # type: ignore[attr-defined]
    return hold


def environment(request: HttpRequest) -> list[str] | None:
    """Return the label next to the title of each page if the service is held."""
    return (
        [gettext("On hold: nothing is sent"), "danger"] if request.user.is_authenticated and hold_of(request) else None
    )
