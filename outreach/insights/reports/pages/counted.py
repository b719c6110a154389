"""Lists of what reports count and no other page lists: activities, submissions of forms, and payments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from django.utils.translation import gettext

from core.text.translation import gettext_lazy, ngettext_lazy
from core.types import Values
from core.web.cells import format_cell
from core.web.filters import Choice
from core.web.lists import Column
from core.web.records import RecordList, Records
from outreach.insights.reports.pages.pictures import ReportPage

ACTIVITIES = {
    "created": gettext_lazy("Lead created"),
    "changed": gettext_lazy("Values changed"),
    "status": gettext_lazy("Stage changed"),
    "assigned": gettext_lazy("Assigned"),
    "note": gettext_lazy("Note"),
    "mail": gettext_lazy("Email"),
    "call": gettext_lazy("Call"),
    "meeting": gettext_lazy("Meeting"),
    "follow_up": gettext_lazy("Task"),
    "merged": gettext_lazy("Merged"),
    "deleted": gettext_lazy("Deleted"),
    "restored": gettext_lazy("Restored"),
    "imported": gettext_lazy("Imported"),
}
SUBMISSIONS = {
    "new": gettext_lazy("Waiting"),
    "imported": gettext_lazy("Lead"),
    "failed": gettext_lazy("Failed"),
}
PAYMENTS = {
    "payment": gettext_lazy("Payment"),
    "refund": gettext_lazy("Refund"),
    "credit": gettext_lazy("To the balance"),
    "chargeback": gettext_lazy("Chargeback"),
    "reversal": gettext_lazy("Reversal"),
}


@dataclass(frozen=True, slots=True)
class Cell:
    """A value of a row: a text that may lead to a page, a time, or an amount of money."""

    text: str = ""
    link: str = ""
    at: str = ""
    amount: Values | None = None
    css: str = ""


class CountedList(RecordList):
    """A list without a place of its own in the navigation: the numbers of reports lead to it."""

    template = "web/reports/counted.html"
    rows = "web/reports/counted_rows.html"
    small: ClassVar[Mapping[str, str]] = {}
    """Column -> its place in a row of a small screen: first, second, aside."""
    menu = ReportPage.menu

    def show(self) -> Values:
        context = super().show()
        rows = [
            {"id": record["_id"], "cells": [self.cell(record, column) for column in self.columns]}
            for record in context["records"]
        ]
        return {**context, "records": rows}

    def cell(self, record: Values, column: Column) -> Cell:
        value: Any = record[column.name]
        css = " ".join(filter(None, (self.small.get(column.name), column.css)))
        if column.kind == "when":
            return Cell(at=value, css=css)
        if column.kind == "money":
            return Cell(amount=value, css=css)
        if column.name == "lead" and value:
            contact = value.get("contact") or {}
            name = contact.get("name") or contact.get("email") or gettext("Open lead")
            return Cell(name, self.address("lead", value["_id"]) if self.may("lead") else "", css=css)
        label = column.labels.get(value) if isinstance(value, str) and column.labels else ""
        return Cell(str(label) or format_cell(value), css=css)


class Activities(CountedList):
    path = "reports/activities"
    name = "activities"
    title = gettext_lazy("Activities")
    module = "lead-activity"
    kind = Records("lead-activity", "activities", "chart-column", gettext_lazy("What happened to leads."))
    none = gettext_lazy("No activities yet")
    count = ngettext_lazy("%(count)s activity", "%(count)s activities")
    hint = gettext_lazy("Notes")
    small: ClassVar[Mapping[str, str]] = {"kind": "first", "lead": "second", "happenedAt": "aside"}
    columns = (
        Column("happenedAt", gettext_lazy("When"), "happenedAt", kind="when"),
        Column("kind", gettext_lazy("Activity"), labels=ACTIVITIES),
        Column("lead", gettext_lazy("Lead")),
        Column("member", gettext_lazy("By")),
        Column("notes", gettext_lazy("Notes")),
    )
    choices = (Choice("kind", gettext_lazy("Activity"), ("in",), list(ACTIVITIES.items())),)


class Submissions(CountedList):
    path = "reports/submissions"
    name = "submissions"
    title = gettext_lazy("Form submissions")
    module = "lead"
    kind = Records("form/lead", "submissions", "chart-column", gettext_lazy("Answers that people sent by forms."))
    none = gettext_lazy("No submissions yet")
    count = ngettext_lazy("%(count)s submission", "%(count)s submissions")
    hint = gettext_lazy("Form")
    small: ClassVar[Mapping[str, str]] = {"form": "first", "lead": "second", "submittedAt": "aside"}
    columns = (
        Column("submittedAt", gettext_lazy("When"), "submittedAt", kind="when"),
        Column("form", gettext_lazy("Form")),
        Column("status", gettext_lazy("Result"), "status", labels=SUBMISSIONS),
        Column("lead", gettext_lazy("Lead")),
    )
    choices = (Choice("status", gettext_lazy("Result"), ("in",), list(SUBMISSIONS.items())),)


class Payments(CountedList):
    path = "reports/payments"
    name = "transactions"
    title = gettext_lazy("Payments")
    module = "plan"
    kind = Records(
        "subscription/transactions", "transactions", "chart-column", gettext_lazy("Your company's payments.")
    )
    none = gettext_lazy("No payments yet")
    count = ngettext_lazy("%(count)s payment", "%(count)s payments")
    hint = gettext_lazy("Invoice")
    small: ClassVar[Mapping[str, str]] = {"createdAt": "first", "kind": "second", "amount": "aside"}
    columns = (
        Column("createdAt", gettext_lazy("When"), "createdAt", kind="when"),
        Column("kind", gettext_lazy("Kind"), labels=PAYMENTS),
        Column("amount", gettext_lazy("Amount"), css="right num", kind="money"),
        Column("invoiceNumber", gettext_lazy("Invoice")),
    )
    choices = (Choice("kind", gettext_lazy("Kind"), ("in",), list(PAYMENTS.items())),)
