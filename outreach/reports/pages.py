"""The pages of reports and dashboards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from functools import cached_property
from typing import Any
from urllib.parse import parse_qs

from django.http import HttpRequest, HttpResponse

from core.text.formats import Formats
from core.web.forms import Field, Form, Option
from core.web.lists import WITHIN, Column
from core.web.pages import MenuItem, Page
from core.web.records import EditRecord, NewRecord, RecordForm, RecordList, Records

LISTS = {
    "lead": "leads",
    "contact": "contacts",
    "genie/send-jobs": "messages",
    "suppression": "suppressions",
    "contact/import": "imports",
    "lead/import": "lead-imports",
    "workflow/runs": "workflow-runs",
}
"""List of the API -> the page that shows it."""
CHARTS = {"bar": "Bars", "line": "Line", "table": "Table alone"}
TILE_CHARTS = {"number": "One number", "bar": "Bars", "line": "Line", "table": "Table"}
RANGES = {
    "last7": "Last 7 days",
    "last30": "Last 30 days",
    "last90": "Last 90 days",
    "thisMonth": "This month",
    "lastMonth": "Last month",
    "custom": "These days",
}
ASKED = ("reportType", "by", "startDate", "endDate")
SHOWN = 10
"""Rows of a tile; its report has all."""
DASHBOARDS = Records(
    "dashboard",
    "dashboards",
    "dashboard",
    "dashboards",
    "layout-dashboard",
    "A dashboard shows several reports beside each other.",
)
TABS = (("reports", "Reports"), ("dashboards", "Dashboards"))


def options(known: Mapping[str, str]) -> list[Option]:
    """Return the options of value -> label."""
    return [Option(value, words) for value, words in known.items()]


def number_text(value: float | None, type: str, formats: Formats) -> str:
    """Write a number as people read it."""
    if value is None:
        return "not known" if type == "percent" else "–"
    if type == "money":
        return formats.money(Decimal(str(value)))
    unit = {"percent": " %", "days": " days"}.get(type, "")
    return f"{value:,.1f}{unit}" if unit else f"{value:,}"


class ReportPage(Page):
    """Shared parts of the pages of reports and dashboards."""

    module = "report"
    menu = MenuItem("Reports", "chart-column", 68, group="Data")

    def picture(self, data: Mapping[str, Any], chart: str, metric: str, most: int | None = None) -> dict[str, Any]:
        """Return a report as templates/web/reports/picture.html draws it, with at most so many rows."""
        columns, formats = data["columns"], self.reader.formats
        shown = next((one for one in columns if one["key"] == metric), columns[0])
        by_day, rows = data["by"] == "day", data["rows"]
        most = None if by_day and chart != "table" else most  # a chart has all days
        names = [shown["title"]]
        return {
            "by": data["byTitle"],
            "by_day": by_day,
            "chart": chart,
            "title": data["title"],
            "names": names,
            "total": number_text(data["totals"][shown["key"]], shown["type"], formats),
            "days": [(date.fromisoformat(row["key"]), [row[shown["key"]] or 0]) for row in rows] if by_day else [],
            "any": any(row[shown["key"]] for row in rows),
            "most": max((row[shown["key"]] or 0 for row in rows), default=0) or 1,
            "columns": [one["title"] for one in columns],
            "rows": [self.row(row, columns, shown, formats) for row in rows[:most]],
            "left": max(len(rows) - most, 0) if most is not None else 0,
            "totals": [number_text(data["totals"][one["key"]], one["type"], formats) for one in columns],
        }

    def row(
        self, row: Mapping[str, Any], columns: Sequence[Mapping[str, Any]], shown: Mapping[str, Any], formats: Formats
    ) -> dict[str, Any]:
        """Return a row as formatted text, with the list of the records that it counts."""
        return {
            "key": row["key"],
            "label": row["label"],
            "address": self.list_of(row["link"]),
            "value": row[shown["key"]] or 0,
            "said": number_text(row[shown["key"]], shown["type"], formats),
            "numbers": [number_text(row[one["key"]], one["type"], formats) for one in columns],
        }

    def list_of(self, link: str | None) -> str:
        """Return the page with the records that a row counts; "" if there is none."""
        path, _, query = (link or "").partition("?")
        tree = parse_qs(query).get("advancedFilters")
        return self.address(LISTS[path], **{WITHIN: tree[0]}) if path in LISTS and tree else ""


class Reports(ReportPage):
    path = name = "reports"
    title = "Reports"
    template = "web/reports/report.html"

    @cached_property
    def types(self) -> list[Mapping[str, Any]]:
        """The reports that the reader may see."""
        found: list[Mapping[str, Any]] = self.read("logs/report/types").data["reports"]
        return found

    @cached_property
    def asked(self) -> dict[str, str]:
        """Return the parameters of the address, without those that do not fit its report."""
        found = {name: str(value) for name, value in self.request.GET.items()}
        of_type = next((one for one in self.types if one["reportType"] == found.get("reportType")), self.types[0])
        found["reportType"] = of_type["reportType"]
        by = next((one for one in of_type["by"] if one["key"] == found.get("by")), of_type["by"][0])
        found["by"] = by["key"]
        if found.get("metric") not in [one["key"] for one in by["columns"]]:
            found["metric"] = by["columns"][0]["key"]
        if found.get("chart") not in CHARTS or (found["chart"] == "line" and by["key"] != "day"):
            found["chart"] = "bar"
        return found

    def form(self) -> Form:
        """Return the form with the reader's choices: report, grouping, days and chart."""
        asked = self.asked
        of_type = next(one for one in self.types if one["reportType"] == asked["reportType"])
        by = next(one for one in of_type["by"] if one["key"] == asked["by"])
        charts = options({name: words for name, words in CHARTS.items() if name != "line" or asked["by"] == "day"})
        names = [Option(one["reportType"], one["title"]) for one in self.types]
        columns = [Option(one["key"], one["title"]) for one in by["columns"]]
        fields = [
            Field("reportType", "Report", "select", required=True, options=names),
            Field("by", "By", "select", True, options=[Option(one["key"], one["title"]) for one in of_type["by"]]),
            Field("startDate", "From", "date"),
            Field("endDate", "To", "date"),
            Field("chart", "Chart", "select", required=True, options=charts),
            Field("metric", "Number", "select", required=True, options=columns),
        ]
        return Form(fields, {field.name: asked.get(field.name, "") for field in fields})

    def get(self, request: HttpRequest) -> HttpResponse:
        if self.types and "download" in request.GET:
            return self.download("logs/report", {**self.query(), "download": "true"})
        return super().get(request)

    def show(self) -> Mapping[str, Any]:
        if not self.types:
            return {"views": TABS}
        form, asked = self.form(), self.asked
        answer = self.ask("GET", "logs/report", self.query())
        context = {"form": form, "views": TABS, "file": self.address(**self.query(), download="true")}
        if not answer.ok:
            form.refuse(answer.message, answer.warning)
            return context
        data = answer.data
        for one in form.fields:
            one.value = one.value or data.get(one.name, "")
        return {
            **context,
            "about": next(one["about"] for one in self.types if one["reportType"] == data["reportType"]),
            "data": data,
            "warning": answer.warning,
            "picture": self.picture(data, asked["chart"], asked["metric"]),
            "adding": self.adding(),
        }

    def query(self) -> dict[str, str]:
        """Return the parameters of the API's report."""
        return {name: self.asked[name] for name in ASKED if self.asked.get(name)}

    def adding(self) -> Form | None:
        """Return the form that puts the report onto a dashboard, for those who may."""
        if not self.may("report", "POST"):
            return None
        query = {"p": "1", "n": "200", "sortBy": "name", "sortOrder": "asc", "fields": "name"}
        found = self.ask("GET", "dashboard", query)
        known = [Option(one["_id"], one["name"]) for one in found.data] if found.ok else []
        fields = [
            Field("dashboard", "Dashboard", "select", options=known, placeholder="A new one"),
            Field("name", "Name of the new one"),
            Field("range", "Days", "select", required=True, options=options(RANGES), value="last30"),
        ]
        return Form([one for one in fields if known or one.name != "dashboard"])

    def do_add(self) -> HttpResponse:
        """Add the report to an existing dashboard, or to a new one."""
        sent = self.request.POST
        tile = {"reportType": self.asked["reportType"], "by": self.asked["by"], "metric": self.asked["metric"]}
        tile |= {"chart": self.asked["chart"], "range": sent.get("range", "last30")}
        if tile["range"] == "custom":
            shown = self.read("logs/report", self.query()).data
            tile |= {name: shown[name] for name in ("startDate", "endDate")}
        if sent.get("dashboard"):
            answer = self.ask("POST", f"dashboard/{self.sent_id('dashboard')}/tiles", None, tile)
        else:
            answer = self.ask("POST", "dashboard", None, {"name": sent.get("name", "").strip(), "tiles": [tile]})
        if not answer.ok:
            return self.refuse(answer)
        return self.done("It is on the dashboard", self.address("dashboard", answer.data["_id"]))


class DashboardPage(ReportPage):
    kind = DASHBOARDS


class Dashboards(RecordList, DashboardPage):
    path = name = "dashboards"
    title = "Dashboards"
    template = "web/reports/dashboards.html"
    rows = "web/reports/rows.html"
    adds = "dashboard-new"
    hint = "Name, description"
    columns = (
        Column("name", "Name", "name"),
        Column("shared", "Seen by", "shared"),
        Column("tiles", "Reports", css="right num"),
        Column("createdBy", "Made by", "createdBy.name"),
        Column("updatedAt", "Changed", "updatedAt"),
    )

    def show(self) -> Mapping[str, Any]:
        return {**super().show(), "views": TABS}


class Dashboard(DashboardPage):
    path = "dashboards/<str:id>"
    name = "dashboard"
    template = "web/reports/dashboard.html"

    def show(self) -> Mapping[str, Any]:
        found = self.read(f"dashboard/{self.params['id']}/data").data
        return {"dashboard": found, "title": found["name"], "tiles": [self.tile(one) for one in found["tiles"]]}

    def tile(self, tile: Mapping[str, Any]) -> dict[str, Any]:
        """Return a tile with its chart, and the address of its report."""
        data = tile["data"]
        if data is None:
            return {**tile, "picture": None}
        query = {name: data[name] for name in ASKED}
        address = self.address("reports", **query, chart=tile["chart"], metric=tile["metric"])
        picture = self.picture(data, tile["chart"], tile["metric"], SHOWN)
        return {**tile, "address": address, "picture": picture, "days": RANGES[tile["range"]]}


class DashboardForm(RecordForm, DashboardPage):
    """Name, description and readers of a dashboard."""

    def form(self, values: Mapping[str, Any] | None = None) -> Form:
        fields = [
            Field("name", "Name", required=True, autofocus=values is None),
            Field("description", "Description"),
            Field("shared", "Everybody who may read reports sees it", "switch", value=False),
        ]
        return Form(fields, values)


class NewDashboard(NewRecord, DashboardForm):
    path = "dashboards/new"
    name = "dashboard-new"
    title = "New dashboard"
    action = title


class EditDashboard(EditRecord, DashboardForm):
    """A dashboard and its tiles: their titles, charts, days and order."""

    path = "dashboards/<str:id>/edit"
    name = "dashboard-edit"
    template = "web/reports/edit.html"

    def list_address(self) -> str:
        return self.address("dashboard", self.params["id"])

    def context(self) -> dict[str, Any]:
        return {**super().context(), "tile_forms": self.tile_forms()}

    def consequence(self) -> str:
        return "What it shows stays where it is. This cannot be undone."

    @cached_property
    def titles(self) -> dict[tuple[str, str], list[Option]]:
        """Report and grouping -> the numbers to choose from."""
        types = self.read("logs/report/types").data["reports"]
        return {
            (one["reportType"], by["key"]): [Option(column["key"], column["title"]) for column in by["columns"]]
            for one in types
            for by in one["by"]
        }

    def tile_forms(self) -> list[Form]:
        """Return a form of each tile, as it is stored."""
        return [self.tile_form(place, tile) for place, tile in enumerate(self.record["tiles"], start=1)]

    def tile_form(self, place: int, tile: Mapping[str, Any]) -> Form:
        known = self.titles.get((tile["reportType"], tile["by"])) or [Option(tile["metric"], tile["metric"])]
        charts = {name: words for name, words in TILE_CHARTS.items() if name != "line" or tile["by"] == "day"}
        ranges = {name: words for name, words in RANGES.items() if name != "custom" or tile["range"] == "custom"}
        fields = [
            Field("title", "Title", value=tile["title"]),
            Field("chart", "Chart", "select", required=True, options=options(charts), value=tile["chart"]),
            Field("metric", "Number", "select", required=True, options=known, value=tile["metric"]),
            Field("range", "Days", "select", required=True, options=options(ranges), value=tile["range"]),
            Field("place", "Place", "number", value=place),
            Field("remove", "Take it off", "switch", value=False),
        ]
        for one in fields:
            one.name = f"{one.name}-{place}"
        return Form(fields)

    def do_save(self) -> HttpResponse:
        form = self.form(self.values()).fill(self.request.POST)
        tile_forms = [one.fill(self.request.POST) for one in self.tile_forms()]
        tiles = [
            (place if isinstance(place, int | float) else number, number, {**tile, **sent})
            for number, (tile, one) in enumerate(zip(self.record["tiles"], tile_forms, strict=True), start=1)
            for sent in ({name.partition("-")[0]: value for name, value in one.values.items()},)
            for place in (sent.pop("place"),)
            if not sent.pop("remove")
        ]
        # Of two at one place, the one that was moved there goes where it was moved to.
        kept = [
            self.body_of(tile)
            for _, _, tile in sorted(tiles, key=lambda one: (one[0], (one[1] < one[0]) - (one[1] > one[0])))
        ]
        answer = self.ask("PUT", f"dashboard/{self.params['id']}", None, {**form.values, "tiles": kept})
        if not answer.ok:
            form.refuse(answer.message, answer.warning)
            return self.refused(form, **{**self.context(), "tile_forms": tile_forms})
        return self.done("Dashboard saved", self.list_address())

    def body_of(self, tile: Mapping[str, Any]) -> dict[str, Any]:
        """Return a tile as the API takes it: days of its own only where it has a range of its own."""
        days = {} if tile["range"] == "custom" else {"startDate": None, "endDate": None}
        return {**tile, **days}

    def do_delete(self) -> HttpResponse:
        answer = self.ask("DELETE", self.kind.path, None, {"ids": [self.params["id"]]})
        if not answer.ok:
            return self.refuse(answer, self.request.path)
        return self.done("Dashboard deleted", self.address("dashboards"))


PAGES = [Reports, Dashboards, NewDashboard, Dashboard, EditDashboard]
