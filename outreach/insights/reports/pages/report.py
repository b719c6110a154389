"""The page of one report over some days."""

from __future__ import annotations

from datetime import date
from functools import cached_property

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext

from core.reports.declarations import DAY
from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.ask import Answer
from core.web.forms import Field, Form, Option
from core.web.navigation.recent import recent_records
from outreach.insights.reports.pages.pictures import CUSTOM, RANGES, ReportPage, change_of, number_text, options

CHARTS = {"bar": gettext_lazy("Bars"), "line": gettext_lazy("Line"), "table": gettext_lazy("Table only")}
DAYS = ("startDate", "endDate")
USUAL = "last30"
CALENDAR = ("thisMonth", "lastMonth", "thisQuarter")
"""Ranges whose period before is that of the calendar."""
COMPARED = {"campaigns": ("sent", "openRate", "clickRate", "replied")}
"""Report that compares its rows, so that its table comes first -> the numbers of its cards."""
PERIODS = {
    "last7": gettext_lazy("7 days"),
    "last30": gettext_lazy("30 days"),
    "last90": gettext_lazy("90 days"),
    "thisMonth": gettext_lazy("This month"),
    "thisQuarter": gettext_lazy("This quarter"),
}
"""Range of the API -> its short label."""


SHOWN = "of"
"""The parameter of the report that the form was shown with, whose grouping it has."""


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
    def of_type(self) -> Values:
        """The report of the address, or else the first."""
        name = self.request.GET.get("reportType")
        return next((option for option in self.types if option["reportType"] == name), self.types[0])

    @property
    def is_same(self) -> bool:
        """Return whether the form was shown with the report that it asks for."""
        name: str = self.of_type["reportType"]
        return self.request.GET.get(SHOWN, name) == name

    @cached_property
    def of_group(self) -> Values:
        """The grouping of the address, or else the report's first, as after the choice of another report."""
        name = self.request.GET.get("by") if self.is_same else ""
        return next((option for option in self.of_type["by"] if option["key"] == name), self.of_type["by"][0])

    @cached_property
    def requested_report(self) -> dict[str, str]:
        """Return the parameters of the address, without those that do not fit its report."""
        sent = self.request.GET
        metrics = [column["key"] for column in self.of_group["columns"]]
        by = self.of_group["key"]
        metric = sent.get("metric", "")
        is_compared = self.of_type["reportType"] in COMPARED
        usual = "table" if is_compared and by != DAY else "bar"
        chart = sent.get("chart", "") if self.is_same or not is_compared else ""
        params = {
            "reportType": self.of_type["reportType"],
            "by": by,
            "metric": metric if metric in metrics else metrics[0],
            "chart": chart if chart in CHARTS and (chart != "line" or by == "day") else usual,
        }
        return params | self.period()

    def period(self) -> dict[str, str]:
        """Return the range of the address, with its days if it has its own."""
        sent = self.request.GET
        days = {name: sent[name] for name in DAYS if sent.get(name)}
        name = sent.get("range", CUSTOM if days else USUAL)
        if name == CUSTOM and days:
            return {"range": CUSTOM, **days}
        return {"range": name if name in RANGES and name != CUSTOM else USUAL}

    @property
    def has_days(self) -> bool:
        """Return whether the report counts what happened in a period, and not only what is so now."""
        return any(option["key"] == DAY for option in self.of_type["by"])

    def form(self) -> Form:
        """Return the form with the reader's choices: report, grouping and chart."""
        by = self.requested_report["by"]
        charts = options({name: label for name, label in CHARTS.items() if name != "line" or by == "day"})
        names = [Option(option["reportType"], option["title"]) for option in self.types]
        keys = {option["key"] for option in self.of_type["by"]}
        # People group leads by stage; the status of the contract stays in the API, and in stored addresses.
        left_out = "status" if "stage" in keys and by != "status" else ""
        groups = [Option(option["key"], option["title"]) for option in self.of_type["by"] if option["key"] != left_out]
        fields = [
            Field("reportType", gettext("Report"), "select", required=True, options=names),
            Field("by", gettext("By"), "select", required=True, options=groups),
            Field("chart", gettext("Chart"), "select", required=True, options=charts),
        ]
        return Form(fields=fields, initial={field.name: self.requested_report[field.name] for field in fields})

    def days_form(self, data: Values) -> Form:
        """Return the form with days of the reader's own."""
        fields = [Field("startDate", gettext("From"), "date"), Field("endDate", gettext("To"), "date")]
        return Form(
            fields=fields, initial={name: self.requested_report.get(name) or data.get(name, "") for name in DAYS}
        )

    def get(self, request: HttpRequest) -> HttpResponse:
        if self.types and "download" in request.GET:
            return self.download("logs/report", {**self.query(), "download": "true"})
        return super().get(request)

    def show(self) -> Values:
        if not self.types:
            return {}
        answer = self.ask("GET", "logs/report", {**self.query(), "compare": "true"})
        days_form = self.days_form(answer.data if answer.ok else {})
        if not answer.ok:
            days_form.refuse(answer)
        return {
            "form": self.form(),
            "days_form": days_form,
            "file": self.address(**self.query(), download="true"),
            "periods": self.periods() if self.has_days else [],
            "is_custom": self.requested_report["range"] == CUSTOM,
            "kept": [
                (SHOWN, self.requested_report["reportType"]),
                *((name, self.requested_report[name]) for name in ("range", *DAYS) if name in self.requested_report),
            ],
            "chosen": [(name, self.requested_report[name]) for name in ("reportType", "by", "chart", "metric")],
            "about": self.of_type["about"],
            **(self.report_context(answer) if answer.ok else {}),
        }

    def report_context(self, answer: Answer) -> JsonObject:
        """Return the parts of the page that show the report."""
        data = answer.data
        return {
            "data": data,
            "is_cut": bool(answer.warning),
            "cards": self.cards(data),
            "table_first": self.requested_report["reportType"] in COMPARED
            and self.requested_report["chart"] == "table",
            "picture": self.picture(data, self.requested_report["chart"], self.requested_report["metric"]),
            "adding": self.adding(),
        }

    def periods(self) -> list[tuple[str, str, bool]]:
        """Return (label, address, whether it is shown) of each period."""
        others = {name: value for name, value in self.requested_report.items() if name not in ("range", *DAYS)}
        return [
            (label, self.address(**others, range=name), self.requested_report["range"] == name)
            for name, label in PERIODS.items()
        ]

    def cards(self, data: Values) -> list[JsonObject]:
        """Return a card for each number: its change, its list, and the address that shows its chart."""
        formats, before = self.reader.formats, data["before"]
        first, last = (date.fromisoformat(str(data[name])) for name in DAYS)
        days = (last - first).days + 1
        earlier = self.earlier(before) if self.requested_report["range"] in CALENDAR else ""
        keys = COMPARED.get(self.requested_report["reportType"])
        return [
            {
                "title": column["title"],
                "text": number_text(data["totals"][column["key"]], column["type"], formats),
                "change": change_of(
                    data["totals"][column["key"]], before["totals"][column["key"]], column["type"], days, earlier
                ),
                "list": self.counted_list(data["lists"], column) if data["totals"][column["key"]] else "",
                "address": self.address(**{**self.requested_report, "metric": column["key"]}),
                "is_chosen": column["key"] == self.requested_report["metric"],
            }
            for column in data["columns"]
            if keys is None or column["key"] in keys or column["key"] == self.requested_report["metric"]
        ]

    def earlier(self, before: Values) -> str:
        """Return the days of the period before, as text."""
        first, last = (self.reader.formats.date(date.fromisoformat(str(before[name]))) for name in DAYS)
        return gettext("%(first)s – %(last)s") % {"first": first, "last": last}

    def query(self) -> dict[str, str]:
        """Return the parameters of the API's report."""
        return {name: value for name, value in self.requested_report.items() if name not in ("chart", "metric")}

    def adding(self) -> Form | None:
        """Return the form that puts the report onto a dashboard, for those who may."""
        if not self.may("report", "POST"):
            return None
        query = {"p": "1", "n": "200", "sortBy": "name", "sortOrder": "asc", "fields": "name"}
        answer = self.ask("GET", "dashboard", query)
        dashboards = [Option(entry["_id"], entry["name"]) for entry in answer.data] if answer.ok else []
        fields = [
            Field(
                "dashboard",
                gettext("Dashboard"),
                "select",
                options=dashboards,
                placeholder=gettext("A new one"),
                initial=self.usual_dashboard([option.value for option in dashboards]),
            ),
            Field("name", gettext("New dashboard name")),
            Field("range", gettext("Days"), "select", required=True, options=options(RANGES), initial=USUAL),
        ]
        return Form(fields=[entry for entry in fields if dashboards or entry.name != "dashboard"])

    def usual_dashboard(self, ids: list[str]) -> str:
        """Return the only dashboard, or else the one that the reader opened last, if there is one."""
        if len(ids) == 1:
            return ids[0]
        records = recent_records(self.request, self.reader.company_id)
        return next((id for name, id, _title in records if name == "dashboard" and id in ids), "")

    def do_add(self) -> HttpResponse:
        """Add the report to an existing dashboard, or to a new one."""
        sent = self.request.POST
        tile = {name: self.requested_report[name] for name in ("reportType", "by", "metric", "chart")}
        tile["range"] = sent.get("range", USUAL)
        if tile["range"] == CUSTOM:
            shown = self.read("logs/report", self.query()).data
            tile |= {name: shown[name] for name in DAYS}
        if sent.get("dashboard"):
            answer = self.ask("POST", f"dashboard/{self.sent_id('dashboard')}/tiles", None, tile)
        else:
            answer = self.ask("POST", "dashboard", None, {"name": sent.get("name", "").strip(), "tiles": [tile]})
        if not answer.ok:
            return self.refuse_adding(answer)
        return self.redirect_with_toast(
            gettext("Added to the dashboard"), self.address("dashboard", answer.data["_id"])
        )

    def refuse_adding(self, answer: Answer) -> HttpResponse:
        """Show the page again, with the refusal at the fields of the form that adds the report."""
        context = self.show()
        form = context.get("adding")
        if form is None:
            return self.refuse(answer)
        form.bind(self.request.POST)
        form.refuse(answer)
        return self.page(context, status=422)
