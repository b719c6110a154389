"""The back office's first page, over all apps: figures, the last 14 days, running work, and what needs attention."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

from django.db import connection
from django.db.models import Count, Model, Q, QuerySet
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from accounts.models import Company, User
from billing.models import Attempt, Difference, Payment, Refund, Subscription
from config.backoffice.menu import hold_of
from config.backoffice.people import people_search
from config.backoffice.service import service_state, work_state
from core.backoffice.columns import choice_text
from core.backoffice.paginator import EXACT, capped_count, estimated_counts
from core.backoffice.panels import list_address, render_link, render_table
from core.ids import min_id_at
from core.jobs.progress import MOVING, counts_by_status, progress_bar
from core.models import EventDelivery, TaskSchedule
from core.text.formats import day_text, moment_text, short_day_text
from core.text.translation import gettext_lazy as _
from core.types import JsonObject
from crm.models import Contact, Import
from outreach.models import GenieScheduler, SendJob, SendJobTransition

ROWS = 10
HOLD_TEXT = _(
    "On hold since %(time)s UTC: %(reason)s. Nothing is sent, called or charged."
    " The operator ends the hold with manage.py release."
)
MONEY: tuple[tuple[str, Any, JsonObject], ...] = (
    (_("Bank transfers to approve"), Payment, {"bank_state__exact": "submitted"}),
    (_("Parked payments"), Attempt, {"status__in": ("wrong", "unknown")}),
    (_("Differences from payment gateways"), Difference, {"cleared_at__isnull": True}),
    (_("Companies past due"), Subscription, {"is_primary__exact": True, "status__exact": "past_due"}),
    (_("Refunds to approve"), Refund, {"status__exact": "asked"}),
)
"""Records that wait for staff: a title, and the filter that counts and lists them."""
DAYS = 14
SCANNED = 10_000
"""The most rows of a day that a chart reads."""


def dashboard(request: HttpRequest, context: JsonObject) -> JsonObject:
    """Add the first page's context: figures, running work, and errors of the last day, each if the user may see it."""
    may = request.user.has_perm
    context["figures"] = _figures(request)
    sections = []
    people = people_search(request)
    if people is not None:
        sections.append({"title": gettext("People"), "html": people})
    if hold := hold_of(request):
        text = HOLD_TEXT % {"time": moment_text(hold.since), "reason": hold.reason}
        sections.append({"title": gettext("On hold: nothing is sent"), "html": format_html("<p>{}</p>", text)})
    problems = _problems(request)
    if problems is not None:
        sections.append({"title": gettext("Problems"), "html": problems})
    if _may_see(may, TaskSchedule):
        sections.append({"title": gettext("Service"), "html": service_state()})
        sections.append({"title": gettext("Waiting work"), "html": work_state()})
    if charts := [chart for chart in CHARTS if _may_see(may, chart[2])]:
        sections.append({"title": gettext("The last %(days)s days") % {"days": DAYS}, "html": _charts(charts)})
    if _may_see(may, Import):
        sections.append(
            {"title": gettext("Running imports"), "html": _imports(Import.objects.filter(status__in=MOVING))}
        )
    if _may_see(may, GenieScheduler):
        sections.append({"title": gettext("Outreach in planning"), "html": _runs()})
    context["sections"] = sections
    return context


def _figures(request: HttpRequest) -> list[JsonObject]:
    """Return counts that never read a large table: estimates, or the rows of one day by the time in their ids."""
    may = request.user.has_perm
    figures = []
    kinds: dict[type[Model], str] = {
        Company: gettext("Companies"),
        User: gettext("Users"),
        Contact: gettext("Contacts"),
        SendJob: gettext("Messages"),
    }
    counts = estimated_counts([model for model in kinds if _may_see(may, model)])
    for model, number in counts.items():
        figures.append({"title": kinds[model], "value": _number(number), "link": list_address(model)})
    if may("outreach.view_sendjob"):
        steps = _steps_of_last_day(request)
        figures.append(
            {
                "title": gettext("Sent in the last 24 hours"),
                "value": f"{steps.get('sent', 0):,}",
                "link": list_address(SendJob, status__exact="sent"),
            }
        )
    return figures


CHARTS: tuple[tuple[str, Any, Any, str, dict[str, str]], ...] = (
    (_("Messages sent"), SendJobTransition, SendJob, "sent_at", {"to_status": "sent"}),
    (_("Failed messages"), SendJobTransition, SendJob, "updated_at", {"to_status": "failed"}),
    (_("New contacts"), Contact, Contact, "created_at", {}),
    (_("New companies"), Company, Company, "created_at", {}),
)
"""A chart: its title, the rows counted by the time in their ids, the list of a day's records and filters.

The list comes with its date column, the filters select the rows that count.
"""
LISTED = {"to_status": "status__exact"}
"""Column that a chart counts by -> the same in the list's address."""


def _charts(charts: list[tuple[str, Any, Any, str, dict[str, str]]]) -> SafeString:
    """Render a bar for each day (UTC), which leads to its records."""
    today = timezone.now().astimezone(UTC).date()
    days = [today - timedelta(days=ago) for ago in reversed(range(DAYS))]
    return render_to_string("admin/charts.html", {"charts": [_chart(*chart, days) for chart in charts]})


def _chart(title: str, model: Any, listed: Any, column: str, only: dict[str, str], days: list[date]) -> JsonObject:
    counts = _by_day(model, only, days)
    highest = max(1, *(number for number, _ in counts))
    bars = []
    for day, (number, more) in zip(days, counts, strict=True):
        after = day + timedelta(days=1)
        query = {f"{column}__gte": f"{day}", f"{column}__lt": f"{after}"}
        query |= {LISTED[name]: value for name, value in only.items()}
        bars.append(
            {
                "percent": max(number * 100 // highest, 3 if number else 0),
                "address": list_address(listed, **query),
                "words": gettext("%(day)s: %(number)s")
                % {"day": day_text(day), "number": _at_least(number, more=more)},
            }
        )
    total = sum(number for number, _ in counts)
    more = any(more for _, more in counts)
    ends = [short_day_text(day) for day in (days[0], days[-1])]
    return {"title": title, "total": _at_least(total, more=more), "bars": bars, "ends": ends}


def _by_day(model: Any, only: dict[str, str], days: list[date]) -> list[tuple[int, bool]]:
    """Count the rows created on each day, and return whether there may be more than were read, by one query.

    Ids begin with their time, so that the primary key finds a day's rows; at most SCANNED of a day are read.
    """
    edges = [min_id_at(datetime(day.year, day.month, day.day, tzinfo=UTC)) for day in days]
    edges.append(min_id_at(datetime(days[-1].year, days[-1].month, days[-1].day, tzinfo=UTC) + timedelta(days=1)))
    columns = {name: model._meta.get_field(name).column for name in only}
    quote = connection.ops.quote_name
    condition = " AND ".join(f"{quote(column)} = %s" for column in columns.values()) or "true"
    columns_sql = ", ".join(["id", *map(quote, columns.values())])
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            SELECT found.matching, found.read
            FROM unnest(%s::text[], %s::text[]) WITH ORDINALITY AS day(since, until, place),
            LATERAL (
                SELECT count(*) FILTER (WHERE {condition}) AS matching, count(*) AS read
                FROM (
                    SELECT {columns_sql} FROM {quote(model._meta.db_table)}
                    WHERE id >= day.since COLLATE "C" AND id < day.until COLLATE "C" LIMIT {SCANNED}
                ) AS rows
            ) AS found
            ORDER BY day.place
            """,  # noqa: S608  # names of tables and columns of ours
            [edges[:-1], edges[1:], *only.values()],  # the order of the placeholders above
        )
        return [(matching, columns_sql == SCANNED) for matching, columns_sql in cursor.fetchall()]


def _last_day(rows: QuerySet[Any]) -> QuerySet[Any]:
    """Filter rows of the last 24 hours. Ids begin with their time of creation, so the primary key finds them."""
    return rows.order_by().filter(pk__gte=min_id_at(timezone.now() - timedelta(days=1)))


def _imports(rows: QuerySet[Import]) -> str:
    address = f"{list_address(Import)}progress/"
    cells = [
        (
            render_link(row, row.file.name),
            render_link(row.company),
            choice_text(row, "status"),
            progress_bar(row, address=address),
        )
        for row in rows.select_related("file", "company").order_by("-id")[:ROWS]
    ]
    return render_table(
        (gettext("File"), gettext("Company"), gettext("Status"), gettext("Progress")),
        cells,
        more=list_address(Import),
        empty=gettext("No imports are running."),
    )


def _runs() -> str:
    rows = list(GenieScheduler.objects.filter(status__in=MOVING).select_related("company").order_by("-id")[:ROWS])
    counts = counts_by_status(SendJob.objects.filter(run__in=[row.pk for row in rows]), "run_id", "status")
    address = f"{list_address(GenieScheduler)}progress/"
    cells = [
        (
            render_link(row),
            render_link(row.company),
            choice_text(row, "status"),
            progress_bar(row, counts.get(row.pk), address=address),
        )
        for row in rows
    ]
    return render_table(
        (gettext("Run"), gettext("Company"), gettext("Status"), gettext("Progress")),
        cells,
        more=list_address(GenieScheduler),
        empty=gettext("No outreach is being planned."),
    )


def _steps_of_last_day(request: HttpRequest) -> dict[str, int]:
    """Count the messages of the last 24 hours by the status that they got. They are counted once for a page."""
    if not hasattr(request, "message_steps"):
        rows = _last_day(SendJobTransition.objects.filter(to_status__in=("sent", "failed", "unknown")))
        request.message_steps = dict(rows.values_list("to_status").annotate(Count("pk")))  # type: ignore[attr-defined]
    steps: dict[str, int] = request.message_steps  # type: ignore[attr-defined]
    return steps


def _problems(request: HttpRequest) -> str | None:
    """Render the errors that may need attention, each with its number and a link. None if the user may see none."""
    may = request.user.has_perm
    lately = Q(finished_at__gte=timezone.now() - timedelta(days=1))
    kinds = (
        (gettext("Failed imports"), Import, "failed", lately),
        (gettext("Failed outreach runs"), GenieScheduler, "failed", lately),
        (gettext("Parked events"), EventDelivery, "parked", Q()),
    )
    visible = [kind for kind in kinds if _may_see(may, kind[1])]
    cells = []
    for title, model, status, condition in visible:
        if number := capped_count(model.objects.filter(condition, status=status)):
            cells.append((title, _number(number), _list_link(model, status)))
    if _may_see(may, SendJob):
        steps = {status: number for status, number in _steps_of_last_day(request).items() if status != "sent"}
        for status, number in sorted(steps.items()):
            title = gettext("Failed messages") if status == "failed" else gettext("Messages with unknown delivery")
            cells.append((title, f"{number:,}", _list_link(SendJob, status)))
    elif not visible and not any(_may_see(may, entry[1]) for entry in MONEY):
        return None
    for title, model, query in MONEY:
        if _may_see(may, model) and (number := capped_count(model.objects.filter(**query))):
            cells.append((title, _number(number), _show(list_address(model, **filter_query(query)))))
    return render_table((gettext("Problem"), gettext("Number"), ""), cells, empty=gettext("No problems."))


def _may_see(may: Any, model: Any) -> bool:
    return bool(may(f"{model._meta.app_label}.view_{model._meta.model_name}"))


def _list_link(model: Any, status: str) -> str:
    return _show(list_address(model, status__exact=status))


def _show(address: str) -> str:
    return format_html('<a class="backoffice-link" href="{}">{}</a>', address, gettext("Show"))


def filter_query(query: JsonObject) -> dict[str, str]:
    """Return a filter as a list's address writes it."""
    return {name: ",".join(value) if isinstance(value, tuple) else str(value) for name, value in query.items()}


def _number(number: int) -> str:
    return _at_least(EXACT, more=True) if number == EXACT + 1 else f"{number:,}"


def _at_least(number: int, *, more: bool) -> str:
    return gettext("more than %(number)s") % {"number": f"{number:,}"} if more else f"{number:,}"
