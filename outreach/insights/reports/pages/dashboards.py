"""The pages of dashboards."""

from __future__ import annotations

from functools import cached_property

from django.http import HttpResponse
from django.utils.translation import gettext

from core.text.translation import gettext_lazy, ngettext_lazy
from core.types import JsonObject, Values
from core.web.forms import REST, Field, Fieldset, Form, Option
from core.web.lists import Column
from core.web.navigation.places import REPORTS, MenuItem
from core.web.records import EditRecord, NewRecord, RecordForm, RecordList, Records
from outreach.insights.reports.pages.pictures import CUSTOM, RANGES, ReportPage, options

TILE_CHARTS = {
    "number": gettext_lazy("One number"),
    "bar": gettext_lazy("Bars"),
    "line": gettext_lazy("Line"),
    "table": gettext_lazy("Table"),
}
DAYS = ("startDate", "endDate")
SHOWN = 10
"""Rows of a tile; its report has all."""
DASHBOARDS = Records(
    "dashboard", "dashboards", "layout-dashboard", gettext_lazy("A dashboard shows several reports on one page.")
)


class DashboardPage(ReportPage):
    menu = MenuItem(gettext_lazy("Dashboards"), REPORTS, 20, "layout-dashboard", keywords=gettext_lazy("charts tiles"))
    kind = DASHBOARDS


class Dashboards(RecordList, DashboardPage):
    path = name = "dashboards"
    title = gettext_lazy("Dashboards")
    template = "web/reports/dashboards.html"
    rows = "web/reports/rows.html"
    adds = "dashboard-new"
    add_label = gettext_lazy("New dashboard")
    none = gettext_lazy("No dashboards yet")
    count = ngettext_lazy("%(count)s dashboard", "%(count)s dashboards")
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
    record_kind = ("dashboard", gettext_lazy("Dashboards"))
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
        query = {"reportType": data["reportType"], "by": data["by"], "chart": tile["chart"], "metric": tile["metric"]}
        query |= {name: data[name] for name in DAYS} if tile["range"] == CUSTOM else {"range": tile["range"]}
        address = self.address("reports", **query)
        picture = self.picture(data, tile["chart"], tile["metric"], SHOWN)
        undated = {column["key"] for column in data["columns"] if not column["isDated"]}
        is_dated = tile["metric"] not in undated
        days = RANGES[tile["range"]] if is_dated else gettext("Now")
        return {**tile, "address": address, "picture": picture, "days": days, "is_dated": is_dated}


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
    shows_new = "dashboard"
    title = gettext_lazy("New dashboard")
    action = title
    added = gettext_lazy("Dashboard added")


class EditDashboard(EditRecord, DashboardForm):
    """A dashboard and its tiles: their titles, charts, days and order."""

    path = "dashboards/<str:id>/edit"
    name = "dashboard-edit"
    tab_name = gettext_lazy("Edit dashboard")
    saved = gettext_lazy("Dashboard saved")
    deleted = gettext_lazy("Dashboard deleted")
    template = "web/reports/edit.html"

    def list_address(self) -> str:
        return self.address("dashboard", self.params["id"])

    def context(self) -> JsonObject:
        return {**super().context(), "tile_forms": self.tile_forms()}

    def consequence(self) -> str:
        return gettext("Reports are kept. This can't be undone.")

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
            return self.show_refused(form, **{**self.context(), "tile_forms": tile_forms})
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
            return self.show_refused(form, **{**self.context(), "tile_forms": tile_forms})
        return self.redirect_with_toast(gettext("Dashboard saved"), self.list_address())

    def body_of(self, tile: Values) -> JsonObject:
        """Return a tile in the form of the API. It has days only with a custom range."""
        days = {} if tile["range"] == "custom" else {"startDate": None, "endDate": None}
        return {**tile, **days}

    def do_delete(self) -> HttpResponse:
        answer = self.ask("DELETE", self.kind.path, None, {"ids": [self.params["id"]]})
        if not answer.ok:
            return self.refuse(answer, self.request.path)
        return self.redirect_with_toast(gettext("Dashboard deleted"), self.address("dashboards"))
