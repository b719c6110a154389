"""The back office's first page and its navigation, over all apps."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from bson import ObjectId
from django.contrib import admin
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html

from accounts.models import Company, User
from billing.models import Attempt, Difference, Payment, Refund, Subscription
from core.backoffice.paginator import EXACT, capped_count, estimated_count
from core.backoffice.panels import link, list_address, table
from core.jobs.progress import MOVING, grouped, progress_bar
from core.models import EventDelivery
from crm.models import Contact, Import
from outreach.models import GenieScheduler, SendJob, SendJobTransition

ROWS = 10
MONEY: tuple[tuple[str, Any, dict[str, Any]], ...] = (
    ("Bank transfers to approve", Payment, {"bank_state__exact": "submitted"}),
    ("Parked attempts to pay", Attempt, {"status__in": ("wrong", "unknown")}),
    ("Differences from the gateways", Difference, {"cleared_at__isnull": True}),
    ("Companies that are past due", Subscription, {"is_primary__exact": True, "status__exact": "past_due"}),
    ("Refunds that wait for approval", Refund, {"status__exact": "asked"}),
)
"""What waits for staff: its title, and the filter that counts and lists it."""
TITLES = {
    "accounts": "Accounts",
    "billing": "Billing",
    "crm": "CRM",
    "outreach": "Outreach",
    "workflows": "Workflows",
    "core": "System",
    "auth": "Staff",
}
"""The titles of the apps in the sidebar, in its order."""


def navigation(request: HttpRequest) -> list[dict[str, Any]]:
    """Return the sidebar: the pages that the user may see, app by app."""
    apps = {app["app_label"]: app for app in admin.site.get_app_list(request)}
    groups: list[dict[str, Any]] = [
        {"items": [{"title": "Overview", "icon": "monitoring", "link": reverse("admin:index")}]}
    ]
    for label in sorted(apps, key=lambda label: (list(TITLES).index(label) if label in TITLES else len(TITLES), label)):
        items = [
            {
                "title": model["name"][:1].upper() + model["name"][1:],
                "icon": getattr(admin.site.get_model_admin(model["model"]), "icon", "data_object"),
                "link": model["admin_url"],
            }
            for model in apps[label]["models"]
            if model["admin_url"]
        ]
        groups.append(
            {"title": TITLES.get(label, apps[label]["name"]), "separator": True, "collapsible": True, "items": items}
        )
    return groups


def dashboard(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """Add the first page's context: figures, running work, and errors of the last day, each if the user may see it."""
    may = request.user.has_perm
    context["figures"] = _figures(may)
    sections = []
    if _may_see(may, Import):
        sections.append({"title": "Imports under way", "html": _imports(Import.objects.filter(status__in=MOVING))})
    if _may_see(may, GenieScheduler):
        sections.append({"title": "Runs under way", "html": _runs()})
    trouble = _trouble(may)
    if trouble is not None:
        sections.append({"title": "Trouble", "html": trouble})
    context["sections"] = sections
    return context


def _figures(may: Any) -> list[dict[str, Any]]:
    """Return counts that never read a large table: estimates, or the rows of one day by the time in their ids."""
    found = []
    for model, title in ((Company, "Companies"), (User, "Users"), (Contact, "Contacts"), (SendJob, "Messages")):
        if _may_see(may, model):
            found.append({"title": title, "value": _number(estimated_count(model)), "link": list_address(model)})
    if may("outreach.view_sendjob"):
        steps = dict(
            _last_day(SendJobTransition.objects.filter(to_status="sent")).values_list("to_status").annotate(Count("pk"))
        )
        found.append(
            {
                "title": "Sent in 24 hours",
                "value": f"{steps.get('sent', 0):,}",
                "link": list_address(SendJob, status__exact="sent"),
            }
        )
    return found


def _last_day(rows: QuerySet[Any]) -> QuerySet[Any]:
    """Filter rows of the last 24 hours. Ids begin with their time of creation, so the primary key finds them."""
    return rows.order_by().filter(pk__gte=str(ObjectId.from_datetime(timezone.now() - timedelta(days=1))))


def _imports(rows: QuerySet[Import]) -> str:
    address = f"{list_address(Import)}progress/"
    cells = [
        (link(row, row.file.name), link(row.company), row.get_status_display(), progress_bar(row, address=address))
        for row in rows.select_related("file", "company").order_by("-id")[:ROWS]
    ]
    return table(
        ("File", "Company", "Status", "Progress"), cells, more=list_address(Import), empty="No import is running."
    )


def _runs() -> str:
    rows = list(GenieScheduler.objects.filter(status__in=MOVING).select_related("company").order_by("-id")[:ROWS])
    counts = grouped(SendJob.objects.filter(run__in=[row.pk for row in rows]), "run_id", "status")
    address = f"{list_address(GenieScheduler)}progress/"
    cells = [
        (link(row), link(row.company), row.get_status_display(), progress_bar(row, counts.get(row.pk), address=address))
        for row in rows
    ]
    return table(
        ("Run", "Company", "Status", "Progress"),
        cells,
        more=list_address(GenieScheduler),
        empty="No run is being planned.",
    )


def _trouble(may: Any) -> str | None:
    """Render the errors that may need attention, each with its number and a link. None if the user may see none."""
    lately = Q(finished_at__gte=timezone.now() - timedelta(days=1))
    kinds = (
        ("Failed imports", Import, "failed", lately),
        ("Failed runs", GenieScheduler, "failed", lately),
        ("Parked events", EventDelivery, "parked", Q()),
    )
    visible = [kind for kind in kinds if _may_see(may, kind[1])]
    cells = []
    for title, model, status, condition in visible:
        if number := capped_count(model.objects.filter(condition, status=status)):
            cells.append((title, _number(number), _list_link(model, status)))
    if _may_see(may, SendJob):
        steps = _last_day(SendJobTransition.objects.filter(to_status__in=("failed", "unknown")))
        for status, number in sorted(steps.values_list("to_status").annotate(Count("pk"))):
            title = "Messages that failed" if status == "failed" else "Messages whose fate is unknown"
            cells.append((title, f"{number:,}", _list_link(SendJob, status)))
    elif not visible and not any(_may_see(may, model) for _, model, _ in MONEY):
        return None
    for title, model, query in MONEY:
        if _may_see(may, model) and (number := capped_count(model.objects.filter(**query))):
            cells.append((title, _number(number), _show(list_address(model, **listed(query)))))
    return table(("What", "How many", ""), cells, empty="None.")


def _may_see(may: Any, model: Any) -> bool:
    return bool(may(f"{model._meta.app_label}.view_{model._meta.model_name}"))


def _list_link(model: Any, status: str) -> str:
    return format_html('<a class="backoffice-link" href="{}">Show</a>', list_address(model, status__exact=status))


def _show(address: str) -> str:
    return format_html('<a class="backoffice-link" href="{}">Show</a>', address)


def listed(query: dict[str, Any]) -> dict[str, str]:
    """Return a filter as a list's address writes it."""
    return {name: ",".join(value) if isinstance(value, tuple) else str(value) for name, value in query.items()}


def _number(number: int) -> str:
    return f"more than {EXACT:,}" if number == EXACT + 1 else f"{number:,}"
