"""Endpoints of reports (contract 4.6) and dashboards."""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO

from django.db.models import QuerySet
from django.http import FileResponse
from drf_spectacular.utils import OpenApiParameter
from rest_framework.decorators import action
from rest_framework.request import Request

from accounts.settings.formats import formats_of
from core.api.endpoint import endpoint
from core.api.envelope import respond
from core.api.listing import Listing, ListRequest
from core.api.output import Deleted
from core.api.viewsets import ResourceViewSet
from core.errors import NamedError, shorten
from core.lists.values import refuse
from core.reports import MAX_DAYS, REPORTS, TOP, Period, Report, Table
from core.reports.periods import DEFAULT_DAYS, RANGES, period_of, read_period
from core.tenancy import company_id
from core.types import JsonObject
from crm.exports.formats import FORMATS
from outreach.insights.reports.filters import DASHBOARD_FIELDS
from outreach.insights.reports.models import Dashboard
from outreach.insights.reports.selectors import (
    Clock,
    answer_of,
    before_of,
    check_readable,
    read,
    readable_reports,
    warning_of,
)
from outreach.insights.reports.serializers import (
    DashboardCreate,
    DashboardDataOut,
    DashboardDelete,
    DashboardOut,
    DashboardUpdate,
    ReportOut,
    ReportTypesOut,
    TileInput,
)
from outreach.insights.reports.services import (
    MODULE,
    add_tile,
    create_dashboard,
    delete_dashboards,
    not_found,
    update_dashboard,
    visible_dashboards,
)
from outreach.insights.reports.tiles import CUSTOM, MAX_TILES, read_tiles

CSV = FORMATS["csv"]
PARAMETERS = (
    OpenApiParameter("reportType", str, required=True, enum=list(REPORTS), description="which report"),
    OpenApiParameter(
        "by",
        str,
        enum=list(dict.fromkeys(by for report in REPORTS.values() for by in report.order)),
        description="what its rows are grouped by; the report's first one unless given. GET /logs/report/types tells"
        " which report knows which",
    ),
    OpenApiParameter(
        "startDate", str, description=f"first day, such as 2026-01-31; {DEFAULT_DAYS} days with the last unless given"
    ),
    OpenApiParameter("endDate", str, description="last day, which counts too; today unless given"),
    OpenApiParameter(
        "range",
        str,
        enum=list(RANGES),
        description="days by name, in place of both; custom takes startDate and endDate",
    ),
    OpenApiParameter("compare", bool, description="true: with the totals of the period before"),
    OpenApiParameter("download", bool, description="true: as a CSV file"),
)
ABOUT = (
    f"Days are those of the company's time zone, at most {MAX_DAYS}. Beside its own permission a report takes that of"
    " the records that it counts, and counts those that the caller may read. Each row links to the list of exactly the"
    " records that it counts, where there is such a list."
)
WHOSE = "One's own are seen by nobody else; shared ones by all who may read reports, and changed by all who may change."
CHANGE_ERRORS = ("DashboardNameAlreadyExists_400", "InvalidInput_400")


class ReportViewSet(ResourceViewSet):
    module = MODULE
    alternate_modules = ("logs",)
    singleton = True

    @endpoint(
        "Read a report",
        output=ReportOut,
        parameters=PARAMETERS,
        errors=("ReportNotFound_404", "InvalidRequest_400", "UnauthorizedAction_403"),
        download_type=CSV.mime,
        description=ABOUT,
    )
    def retrieve(self, request: Request) -> object:
        params = request.query_params
        report, download = _report(params), _flag(params, "download")
        by, clock = _grouping(params, report), Clock.load()
        period = _period(params, clock)
        check_readable(report, self.actor)
        table = read(report, self.actor, by, period)
        if download:
            return _file(f"{report.name}-{by}-{period.first}-{period.last}.csv", report.order[by], table)
        warning = warning_of(table, TOP)
        before = before_of(report, self.actor, by, period) if _flag(params, "compare") else None
        answer = answer_of(report, by, period, table, clock, before)
        return respond("OK_200", answer, **({"warning": warning} if warning else {}))

    @action(detail=False, methods=["get"])
    @endpoint(
        "List the reports that there are",
        output=ReportTypesOut,
        description="Those that the caller may read, with what they can be grouped by and what they tell.",
    )
    def types(self, request: Request) -> object:
        return {"reports": readable_reports(self.actor)}


def _report(params: Mapping[str, str]) -> Report:
    name, names = params.get("reportType", ""), ", ".join(REPORTS)
    if not name:
        raise refuse("reportType", f"is required: one of {names}")
    if name not in REPORTS:
        raise NamedError("ReportNotFound_404", f"one of {names}, not {shorten(name, 40)!r}", field="reportType")
    return REPORTS[name]


def _grouping(params: Mapping[str, str], report: Report) -> str:
    by = params.get("by") or next(iter(report.order))
    if by not in report.order:
        raise refuse("by", f"one of {', '.join(report.order)} for {report.name}, not {shorten(by, 40)!r}")
    return by


def _period(params: Mapping[str, str], clock: Clock) -> Period:
    name = params.get("range", CUSTOM)
    first = params.get("startDate", "")
    last = params.get("endDate", "")
    if name not in RANGES:
        raise refuse("range", f"one of {', '.join(RANGES)}, not {shorten(name, 40)!r}")
    if name == CUSTOM:
        return read_period(first, last, clock.today, clock.zone)
    if first or last:
        raise refuse("range", f"startDate and endDate are those of the range {CUSTOM}, not of {name}")
    return period_of(name, clock.today, clock.zone, None, None)


def _flag(params: Mapping[str, str], name: str) -> bool:
    text = params.get(name, "false").strip().lower()
    if text not in ("true", "false"):
        raise refuse(name, f"needs to be true or false, got {shorten(text, 40)!r}")
    return text == "true"


def _file(name: str, first: str, table: Table) -> FileResponse:
    """Return the report as a file: its rows, and their totals in the last one."""
    target = BytesIO()
    headers = [first, *(column.title for column in table.columns)]
    rows = [
        [row.key if hasattr(row.key, "isoformat") else row.label, *(row.values[metric.key] for metric in table.columns)]
        for row in table.rows
    ]
    rows.append(["Total", *(table.totals[metric.key] for metric in table.columns)])
    CSV.write(target, headers, rows, formats_of(company_id()), None)
    target.seek(0)
    response = FileResponse(target, content_type=f"{CSV.mime}; charset=utf-8", as_attachment=True, filename=name)
    response["X-Content-Type-Options"] = "nosniff"
    response["Cache-Control"] = "private, no-store"
    return response


def _visible_dashboards(request: ListRequest) -> QuerySet[Dashboard]:
    return visible_dashboards(request.actor)


class DashboardViewSet(ResourceViewSet):
    module = MODULE
    listing = Listing("List dashboards", _visible_dashboards, DASHBOARD_FIELDS, DashboardOut, description=WHOSE)

    @endpoint(
        "Create a dashboard",
        input=DashboardCreate,
        output=DashboardOut,
        success="DashboardCreated_201",
        errors=CHANGE_ERRORS,
        quota_module=MODULE,
        description=f"{WHOSE} Emits dashboard.created.",
    )
    def create(self, request: Request, data: JsonObject) -> object:
        return self._dashboard_data(create_dashboard(actor=self.actor, values=data).pk)

    @endpoint("Read a dashboard", output=DashboardOut, errors=("DashboardNotFound_404",))
    def retrieve(self, request: Request, id: str) -> object:
        return self._dashboard_data(id)

    @endpoint(
        "Update a dashboard",
        input=DashboardUpdate,
        output=DashboardOut,
        success="DashboardUpdated_200",
        errors=("DashboardNotFound_404", *CHANGE_ERRORS),
        description="What is not given stays; tiles replace those before. Emits dashboard.updated.",
    )
    def update(self, request: Request, id: str, data: JsonObject) -> object:
        return self._dashboard_data(update_dashboard(actor=self.actor, id=id, values=data).pk)

    @endpoint(
        "Delete dashboards",
        input=DashboardDelete,
        output=Deleted,
        bulk=True,
        success="DashboardsDeleted_200",
        errors=("DashboardNotFound_404",),
        description="Those that the caller sees. Emits dashboard.deleted.",
    )
    def bulk_destroy(self, request: Request, data: JsonObject) -> object:
        return {"deletedCount": delete_dashboards(actor=self.actor, selection=self.selection())}

    @action(detail=True, methods=["post"])
    @endpoint(
        "Add a tile to a dashboard",
        input=TileInput,
        output=DashboardOut,
        success="DashboardUpdated_200",
        errors=("DashboardNotFound_404", "InvalidInput_400"),
        description=f"Behind the others, of which there are at most {MAX_TILES}. Emits dashboard.updated.",
    )
    def tiles(self, request: Request, id: str, data: JsonObject) -> object:
        return self._dashboard_data(add_tile(actor=self.actor, id=id, tile=data).pk)

    @action(detail=True, methods=["get"])
    @endpoint(
        "Read the numbers of a dashboard",
        output=DashboardDataOut,
        errors=("DashboardNotFound_404",),
        description="Those of each tile, as GET /logs/report tells them; a tile that shows a number alone has totals"
        " and no rows. A tile that the caller may not read says so in `problem`.",
    )
    def data(self, request: Request, id: str) -> object:
        dashboard = visible_dashboards(self.actor).filter(pk=id).first()
        if dashboard is None:
            raise not_found()
        return {
            "_id": dashboard.pk,
            "name": dashboard.name,
            "description": dashboard.description,
            "shared": dashboard.shared,
            "tiles": read_tiles(dashboard.tiles, self.actor),
        }

    def _dashboard_data(self, id: str) -> JsonObject:
        dashboard = DashboardOut.one(visible_dashboards(self.actor).filter(pk=id))
        if dashboard is None:
            raise not_found()
        return dashboard
