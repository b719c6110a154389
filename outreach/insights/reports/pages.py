"""The pages of reports and dashboards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from functools import cached_property
from urllib.parse import parse_qs

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext

from core.text.formats import Formats
from core.text.timezones import zone_of
from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.figures import PERIODS, RANGES, change_text, dates_before, dates_of, folded, number_text
from core.web.forms import REST, Field, Fieldset, Form, Option
from core.web.lists import WITHIN, Column
from core.web.navigation.places import REPORTS, MenuItem
from core.web.pages import Page
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
CHARTS = {"bar": gettext_lazy("Bars"), "line": gettext_lazy("Line"), "table": gettext_lazy("Table only")}
TILE_CHARTS = {
    "number": gettext_lazy("One number"),
    "bar": gettext_lazy("Bars"),
    "line": gettext_lazy("Line"),
    "table": gettext_lazy("Table"),
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
    gettext_lazy("A dashboard shows several reports on one page."),
)


def options(labels: Mapping[str, str]) -> list[Option]:
    """Return the options of value -> label."""
    return [Option(value, label) for value, label in labels.items()]


class ReportPage(Page):
    """Shared parts of the pages of reports and dashboards."""

    module = "report"
    menu = MenuItem(
        gettext_lazy("Reports"),
        REPORTS,
        10,
        "chart-column",
        keywords=gettext_lazy("analytics statistics charts numbers"),
    )

    def picture(self, data: Values, chart: str, metric: str, most: int | None = None) -> JsonObject:
        """Return a report as templates/web/reports/picture.html draws it, with at most so many rows."""
        columns, formats = data["columns"], self.reader.formats
        shown = next((column for column in columns if column["key"] == metric), columns[0])
        by_day, rows = data["by"] == "day", data["rows"]
        most = None if by_day and chart != "table" else most  # a chart has all days
        names = [shown["title"]]
        drawn = [self.row(row, columns, shown, formats) for row in rows[:most]]
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
            "columns": [column["title"] for column in columns],
            "rows": drawn,
            "table": folded(drawn) if by_day else drawn,
            "left": max(len(rows) - most, 0) if most is not None else 0,
            "totals": [number_text(data["totals"][column["key"]], column["type"], formats) for column in columns],
        }

    def row(self, row: Values, columns: Sequence[Values], shown: Values, formats: Formats) -> JsonObject:
        """Return a row as formatted text, with the list of the records that it counts."""
        return {
            "key": row["key"],
            "label": row["label"],
            "address": self.list_of(row["link"]),
            "has_data": any(row[column["key"]] for column in columns),
            "value": row[shown["key"]] or 0,
            "said": number_text(row[shown["key"]], shown["type"], formats),
            "numbers": [number_text(row[column["key"]], column["type"], formats) for column in columns],
        }

    def list_of(self, link: str | None) -> str:
        """Return the page with the records that a row counts; "" if there is none."""
        path, _, query = (link or "").partition("?")
        tree = parse_qs(query).get("advancedFilters")
        return self.address(LISTS[path], **{WITHIN: tree[0]}) if path in LISTS and tree else ""


class Reports(ReportPage):
    path = name = "reports"
    title = gettext_lazy("Reports")
    template = "web/reports/report.html"

    @cached_property
    def types(self) -> list[Values]:
        """The reports that the reader may see."""
        reports: list[Values] = self.read("logs/report/types").data["reports"]
        return reports

    @cached_property
    def asked(self) -> dict[str, str]:
        """Return the parameters of the address, without those that do not fit its report."""
        params = {name: str(value) for name, value in self.request.GET.items()}
        of_type = next(
            (option for option in self.types if option["reportType"] == params.get("reportType")), self.types[0]
        )
        params["reportType"] = of_type["reportType"]
        by = next((option for option in of_type["by"] if option["key"] == params.get("by")), of_type["by"][0])
        params["by"] = by["key"]
        if params.get("metric") not in [option["key"] for option in by["columns"]]:
            params["metric"] = by["columns"][0]["key"]
        if params.get("chart") not in CHARTS or (params["chart"] == "line" and by["key"] != "day"):
            params["chart"] = "bar"
        if params.get("range") not in PERIODS:
            params["range"] = "custom" if params.get("startDate") or params.get("endDate") else "last30"
        today = timezone.now().astimezone(zone_of(self.zone_name)).date()
        return params | dates_of(params["range"], today)

    def form(self) -> Form:
        """Return the form with the reader's choices: report, grouping, days and chart."""
        params = self.asked
        of_type = next(option for option in self.types if option["reportType"] == params["reportType"])
        by = next(option for option in of_type["by"] if option["key"] == params["by"])
        charts = options({name: label for name, label in CHARTS.items() if name != "line" or params["by"] == "day"})
        names = [Option(option["reportType"], option["title"]) for option in self.types]
        columns = [Option(option["key"], option["title"]) for option in by["columns"]]
        fields = [
            Field("reportType", gettext("Report"), "select", required=True, options=names),
            Field(
                "by",
                gettext("By"),
                "select",
                True,
                options=[Option(option["key"], option["title"]) for option in of_type["by"]],
            ),
            Field("range", gettext("Period"), "select", required=True, options=options(PERIODS)),
            Field("startDate", gettext("From"), "date"),
            Field("endDate", gettext("To"), "date"),
            Field("chart", gettext("Chart"), "select", required=True, options=charts),
            Field("metric", gettext("Number"), "select", required=True, options=columns),
        ]
        return Form(fields=fields, initial={field.name: params.get(field.name, "") for field in fields})

    def get(self, request: HttpRequest) -> HttpResponse:
        if self.types and "download" in request.GET:
            return self.download("logs/report", {**self.query(), "download": "true"})
        return super().get(request)

    def show(self) -> Values:
        if not self.types:
            return {}
        form, params = self.form(), self.asked
        answer = self.ask("GET", "logs/report", self.query())
        context = {"form": form, "file": self.address(**self.query(), download="true")}
        if not answer.ok:
            form.refuse(answer)
            return context
        data = answer.data
        for entry in form:
            entry.replace(entry.value() or data.get(entry.name, ""))
        return {
            **context,
            "about": next(entry["about"] for entry in self.types if entry["reportType"] == data["reportType"]),
            "data": data,
            "warning": answer.warning,
            "picture": self.picture(data, params["chart"], params["metric"]),
            "change": self.change(data, params["metric"]),
            "adding": self.adding(),
        }

    def change(self, data: Values, metric: str) -> str:
        """Describe the change of a report's number since the period before; "" where that has none."""
        column = next((column for column in data["columns"] if column["key"] == metric), None)
        dates = dates_before(data)
        answer = self.ask("GET", "logs/report", {**self.query(), **dates})
        if column is None or not answer.ok:
            return ""
        days = (date.fromisoformat(dates["endDate"]) - date.fromisoformat(dates["startDate"])).days + 1
        now, before = data["totals"][metric], answer.data["totals"].get(metric)
        before_text = number_text(before, column["type"], self.reader.formats)
        return change_text(now, before, before_text, days, in_points=column["type"] == "percent")

    def query(self) -> dict[str, str]:
        """Return the parameters of the API's report."""
        return {name: self.asked[name] for name in ASKED if self.asked.get(name)}

    def adding(self) -> Form | None:
        """Return the form that puts the report onto a dashboard, for those who may."""
        if not self.may("report", "POST"):
            return None
        query = {"p": "1", "n": "200", "sortBy": "name", "sortOrder": "asc", "fields": "name"}
        answer = self.ask("GET", "dashboard", query)
        dashboards = [Option(entry["_id"], entry["name"]) for entry in answer.data] if answer.ok else []
        fields = [
            Field("dashboard", gettext("Dashboard"), "select", options=dashboards, placeholder=gettext("A new one")),
            Field("name", gettext("New dashboard name")),
            Field("range", gettext("Days"), "select", required=True, options=options(RANGES), initial="last30"),
        ]
        return Form(fields=[entry for entry in fields if dashboards or entry.name != "dashboard"])

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
        return self.done(gettext("Added to the dashboard"), self.address("dashboard", answer.data["_id"]))


class DashboardPage(ReportPage):
    menu = MenuItem(gettext_lazy("Dashboards"), REPORTS, 20, "layout-dashboard", keywords=gettext_lazy("charts tiles"))
    kind = DASHBOARDS


class Dashboards(RecordList, DashboardPage):
    path = name = "dashboards"
    title = gettext_lazy("Dashboards")
    template = "web/reports/dashboards.html"
    rows = "web/reports/rows.html"
    adds = "dashboard-new"
    hint = gettext_lazy("Name, description")
    columns = (
        Column("name", gettext_lazy("Name"), "name"),
        Column("shared", gettext_lazy("Visible to"), "shared"),
        Column("tiles", gettext_lazy("Reports"), css="right num"),
        Column("createdBy", gettext_lazy("Created by"), "createdBy.name"),
        Column("updatedAt", gettext_lazy("Changed"), "updatedAt"),
    )


class Dashboard(DashboardPage):
    path = "dashboards/<str:id>"
    name = "dashboard"
    tab_name = gettext_lazy("Dashboard")
    template = "web/reports/dashboard.html"

    def show(self) -> Values:
        dashboard = self.read(f"dashboard/{self.params['id']}/data").data
        return {
            "dashboard": dashboard,
            "title": dashboard["name"],
            "tiles": [self.tile(tile) for tile in dashboard["tiles"]],
        }

    def tile(self, tile: Values) -> JsonObject:
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

    def form(self, values: Values | None = None) -> Form:
        fields = [
            Field("name", gettext("Name"), required=True, autofocus=values is None),
            Field("description", gettext("Description")),
            Field("shared", gettext("Visible to everyone who can view reports"), "switch", initial=False),
        ]
        return Form(fields=fields, initial=values)


class NewDashboard(NewRecord, DashboardForm):
    path = "dashboards/new"
    name = "dashboard-new"
    title = gettext_lazy("New dashboard")
    action = title
    shows_new = "dashboard"


class EditDashboard(EditRecord, DashboardForm):
    """A dashboard and its tiles: their titles, charts, days and order."""

    path = "dashboards/<str:id>/edit"
    name = "dashboard-edit"
    tab_name = gettext_lazy("Edit dashboard")
    template = "web/reports/edit.html"

    def list_address(self) -> str:
        return self.address("dashboard", self.params["id"])

    def context(self) -> JsonObject:
        return {**super().context(), "tile_forms": self.tile_forms()}

    def consequence(self) -> str:
        return gettext("Reports are kept. This cannot be undone.")

    @cached_property
    def titles(self) -> dict[tuple[str, str], list[Option]]:
        """Report and grouping -> the numbers to choose from."""
        types = self.read("logs/report/types").data["reports"]
        return {
            (report["reportType"], by["key"]): [Option(column["key"], column["title"]) for column in by["columns"]]
            for report in types
            for by in report["by"]
        }

    def tile_forms(self) -> list[Form]:
        """Return a form of each tile, as it is stored."""
        return [self.tile_form(place, tile) for place, tile in enumerate(self.record["tiles"], start=1)]

    def tile_form(self, place: int, tile: Values) -> Form:
        metrics = self.titles.get((tile["reportType"], tile["by"])) or [Option(tile["metric"], tile["metric"])]
        charts = {name: label for name, label in TILE_CHARTS.items() if name != "line" or tile["by"] == "day"}
        ranges = {name: label for name, label in RANGES.items() if name != "custom" or tile["range"] == "custom"}
        fields = [
            Field("title", gettext("Title")),
            Field("chart", gettext("Chart"), "select", required=True, options=options(charts)),
            Field("metric", gettext("Number"), "select", required=True, options=metrics),
            Field("range", gettext("Days"), "select", required=True, options=options(ranges)),
            Field("place", gettext("Position"), "number"),
            Field("remove", gettext("Remove from dashboard"), "switch"),
        ]
        values = {**tile, "place": place, "remove": False}
        initial = {f"{field.name}-{place}": values[field.name] for field in fields}
        for field in fields:
            field.name = f"{field.name}-{place}"
        rows = ((f"chart-{place}", f"metric-{place}"), (f"range-{place}", f"place-{place}"))
        return Form(fields=fields, initial=initial, fieldsets=(Fieldset("", (f"title-{place}", *rows, REST)),))

    def do_save(self) -> HttpResponse:
        form = self.bound_form()
        tile_forms = [entry.bind(self.request.POST) for entry in self.tile_forms()]
        if not all(entry.is_valid() for entry in (form, *tile_forms)):
            return self.refused(form, **{**self.context(), "tile_forms": tile_forms})
        tiles = [
            (place if isinstance(place, int | float) else number, number, {**tile, **sent})
            for number, (tile, entry) in enumerate(zip(self.record["tiles"], tile_forms, strict=True), start=1)
            for sent in ({name.partition("-")[0]: value for name, value in entry.values.items()},)
            for place in (sent.pop("place"),)
            if not sent.pop("remove")
        ]
        # Of two at one place, the one that was moved there goes where it was moved to.
        kept = [
            self.body_of(tile)
            for _, _, tile in sorted(tiles, key=lambda entry: (entry[0], (entry[1] < entry[0]) - (entry[1] > entry[0])))
        ]
        answer = self.ask("PUT", f"dashboard/{self.params['id']}", None, {**form.values, "tiles": kept})
        if not answer.ok:
            form.refuse(answer)
            return self.refused(form, **{**self.context(), "tile_forms": tile_forms})
        return self.done(gettext("Dashboard saved"), self.list_address())

    def body_of(self, tile: Values) -> JsonObject:
        """Return a tile as the API takes it: days of its own only where it has a range of its own."""
        days = {} if tile["range"] == "custom" else {"startDate": None, "endDate": None}
        return {**tile, **days}

    def do_delete(self) -> HttpResponse:
        answer = self.ask("DELETE", self.kind.path, None, {"ids": [self.params["id"]]})
        if not answer.ok:
            return self.refuse(answer, self.request.path)
        return self.done(gettext("Dashboard deleted"), self.address("dashboards"))


PAGES = [Reports, Dashboards, NewDashboard, Dashboard, EditDashboard]
