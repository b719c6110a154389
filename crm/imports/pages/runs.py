"""The lists of imports, and an import as it runs and ends."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from core.text.translation import gettext_lazy, ngettext_lazy
from core.types import JsonObject, Values
from core.web.lists import Column, ListState
from crm.imports.pages.base import (
    CONTACTS,
    CREATED,
    LEADS,
    ORGANIZATIONS,
    SKIPPED,
    UPDATED,
    ImportPage,
    outcome,
    results,
    shown_import,
    shown_problem,
)
from crm.imports.pages.corrections import MendRow, mend_rows
from crm.imports.pages.words import NO_RECORD, row_lines

ERRORS = 50
MENDED = 25
NO_RECORDS = 20
"""The most rows that are shown as no records."""
IMPORTS = ngettext_lazy("%(count)s import", "%(count)s imports")
STILL_WRONG = ngettext_lazy("%(count)s still wrong", "%(count)s still wrong")
REMOVED = ngettext_lazy("Removed: %(count)s record.", "Removed: %(count)s records.")
KEPT = ngettext_lazy(
    "Kept, since changed or used: %(count)s record.", "Kept, since changed or used: %(count)s records."
)


class Imports(ImportPage):
    path = name = "imports"
    purpose = gettext_lazy("Uploaded files and their results.")
    title = gettext_lazy("Imports")
    template = "web/imports/list.html"
    kind = CONTACTS

    def tabs(self) -> list[tuple[str, str]]:
        """Return the lists of imports that the reader may open, for the template."""
        lists = (
            ("imports", _("Contacts"), "contact"),
            ("organization-imports", _("Organizations"), "contact"),
            ("lead-imports", _("Leads"), "lead"),
        )
        return [(name, label) for name, label, module in lists if self.may(module)]

    def get(self, request: HttpRequest) -> HttpResponse:
        if not self.may(self.kind.module):  # who reads leads alone
            return self.redirect_with_toast(to=self.address("lead-imports"))
        return super().get(request)

    def show(self) -> Values:
        state = ListState(self.request.GET)
        answer = self.read(self.kind.path, {"sortBy": "createdAt", "sortOrder": "desc", **state.query()})
        return {
            "state": state,
            "kind": self.kind,
            "imports": [
                {**shown_import(job, self.kind), "address": self.address("import", job["_id"])} for job in answer.data
            ],
            "columns": [
                Column("file", _("File"), "file.name"),
                Column("status", _("Status"), "status"),
                *(
                    Column(name, label, name, "num right")
                    for name, label in (
                        ("created", _("Created")),
                        ("updated", _("Updated")),
                        ("skipped", _("Skipped")),
                        ("failed", _("Refused")),
                    )
                ),
                Column("by", _("By"), "createdBy.name"),
                Column("createdAt", _("When"), "createdAt"),
            ],
            "counted": IMPORTS.of(answer.total),
            "more": state.more(answer.next_cursor, len(answer.data)) if answer.next_cursor else None,
        }


class ImportDetail(ImportPage):
    path = "imports/<str:id>"
    name = "import"
    tab_name = gettext_lazy("Import")
    record_kind = ("contact/import", gettext_lazy("Imports"))
    template = "web/imports/detail.html"

    def show(self) -> Values:
        job, state = self.job, ListState(self.request.GET)
        problems, more = self.errors(state)
        no_records, no_record_count = self.no_records
        undoing = self.undoing
        undone = job["isUndone"]
        there = undoing["createdLeft"] if undone and undoing else job["created"]
        return {
            **self.shared_context(),
            "title": job["name"],
            "outcome": outcome(job, no_record_count),
            "state": state,
            "problems": [shown_problem(entry, job) for entry in problems],
            "rows": self.rows_to_mend(problems) if self.can_fix_rows and undoing is None else [],
            "no_records": row_lines(no_records),
            "no_record_count": no_record_count,
            "more_no_records": no_record_count - len(no_records),
            "can_mend": self.can_fix_rows and undoing is None,
            "more": more,
            "can_undo": self.may(self.kind.module, "POST") and self.may(self.kind.module, "DELETE"),
            "can_delete": self.may(self.kind.module, "DELETE"),
            "records": self.address(self.kind.page, f=f"importId:in:{job['_id']}") if there else "",
            "undoing": undoing["job"] if undoing else None,
            "stats": undone_stats(undoing["job"]) if undone and undoing else run_stats(job, no_record_count),
            "left": self.left_behind(undoing) if undone and undoing else [],
            "empty_fields": [entry["name"] for entry in undoing["emptyFields"]] if undoing else [],
        }

    @property
    def can_fix_rows(self) -> bool:
        """Return whether rows can be fixed: no worker counts them at present, and the member may create records."""
        return not self.job["moving"] and self.may(self.kind.module, "POST")

    def errors(self, state: ListState) -> tuple[list[Any], tuple[str, bool] | None]:
        """Return a page of the row errors, those that failed first, and the link to the next one."""
        if not self.job["processed"]:
            return [], None
        size = MENDED if self.can_fix_rows else ERRORS
        others = only_codes("notEquals", NO_RECORD)
        query = {**state.query(size=size), "sortBy": "skipped,row", "sortOrder": "asc,asc", **others}
        answer = self.ask("GET", f"{self.resource}/errors", query)
        if not answer.ok:
            return [], None
        return answer.data, state.more(answer.next_cursor, len(answer.data)) if answer.next_cursor else None

    @cached_property
    def no_records(self) -> tuple[list[Any], int]:
        """The first rows that are titles, totals and footers, and the number of all."""
        if not self.job["failed"]:
            return [], 0
        query = {"p": "1", "n": str(NO_RECORDS), "sortBy": "row", "sortOrder": "asc", **only_codes("equals", NO_RECORD)}
        answer = self.ask("GET", f"{self.resource}/errors", query)
        return (answer.data, answer.total or len(answer.data)) if answer.ok else ([], 0)

    def rows_to_mend(self, problems: list[Any]) -> list[MendRow]:
        return mend_rows(problems, self.job, self.optional_keys(problems))

    def do_mend(self) -> HttpResponse:
        """Save one row, or the rows of the page whose values were changed. Input in other rows stays in them.

        A row that is not a record is written only on request.
        """
        sent, state = self.request.POST, ListState(self.request.GET)
        chosen, problems = sent.get("row", ""), self.errors(state)[0]
        rows = [row for row in mend_rows(problems, self.job) if row.mendable]
        body = [
            {"row": row.number, "values": changes}
            for row in rows
            for changes in [row.changes(sent)]
            if (str(row.number) == chosen if chosen else changes)
        ]
        if chosen and not body:
            body = [{"row": entry["row"], "values": {}} for entry in self.no_records[0] if str(entry["row"]) == chosen]
        here = self.request.get_full_path()
        if not body:
            nothing = _("No more rows to fix") if chosen or not rows else _("Change a value first")
            return self.redirect_with_toast(nothing, here)
        answer = self.ask("POST", f"{self.resource}/mend", None, {"rows": body})
        if answer.ok:
            self.report_fixed_rows(answer.data)
        else:
            messages.error(self.request, answer.refusal)
        saved = {entry["row"] for entry in body} if answer.ok else set[int]()
        if not any(row.changes(sent) for row in rows if row.number not in saved):
            return self.redirect_with_toast(to=here if len(saved) < len(rows) else self.step("import"))
        for name in ("found", "job", "no_records"):  # the counts are others now
            self.__dict__.pop(name, None)
        context = dict(self.show())
        for row in context["rows"]:
            if row.number not in saved:
                row.fill(sent)
        return self.page(context)

    def report_fixed_rows(self, mended: Values) -> None:
        """Show the result of the fixed rows."""
        counts = (
            (CREATED, mended["created"]),
            (UPDATED, mended["updated"]),
            (SKIPPED, mended["skipped"]),
            (STILL_WRONG, mended["failed"]),
        )
        is_done = any(number for _text, number in counts)
        text = results(mended["rows"], counts) if is_done else _("These rows were fixed already")
        (messages.error if mended["failed"] else messages.success)(self.request, text)

    @cached_property
    def undoing(self) -> Values | None:
        """Return the job that undoes the import or has undone it, with the remaining records; None without such a
        job."""
        answer = self.ask("GET", f"{self.resource}/undo") if self.job["over"] else None
        job = answer.data["job"] if answer is not None and answer.ok else None
        return None if answer is None or job is None or job["status"] in ("failed", "cancelled") else answer.data

    def left_behind(self, undoing: Values) -> list[str]:
        """Return a summary of the undone and the remaining records."""
        job = undoing["job"]
        left = undoing["createdLeft"]
        removed = REMOVED.of(job["changed"]) if job["changed"] else _("No records were left.")
        return [removed, KEPT.of(left)] if left else [removed]

    def do_download(self) -> HttpResponse:
        """Send the rows that failed or were skipped, as a file."""
        return self.download(f"{self.resource}/errors.csv")

    def do_start(self) -> HttpResponse:
        return self.move({"status": "running"}, _("The import continues"))

    def do_pause(self) -> HttpResponse:
        return self.move({"status": "paused"}, _("The import pauses after the current rows"))

    def do_cancel(self) -> HttpResponse:
        return self.move({"status": "cancelled"}, _("Cancelled"))

    def do_undo(self) -> HttpResponse:
        answer = self.ask("POST", f"{self.resource}/undo", None, {})
        here = self.step("import")
        return (
            self.redirect_with_toast(_("Undoing the import"), here, watch=answer.data["_id"])
            if answer.ok
            else self.refuse(answer, here)
        )

    def do_remove_fields(self) -> HttpResponse:
        """Remove the fields that were made for the file and are empty now."""
        here = self.step("import")
        ids = [field["_id"] for field in self.undoing["emptyFields"]] if self.undoing else []
        if not ids:
            return self.redirect_with_toast(_("No empty fields left"), here)
        answer = self.ask("DELETE", "custom-field", None, {"ids": ids})
        if not answer.ok:
            return self.refuse(answer, here)
        return self.redirect_with_toast(_("Field removed") if len(ids) == 1 else _("Fields removed"), here)

    def do_delete(self) -> HttpResponse:
        answer = self.ask("DELETE", self.kind.path, None, {"ids": [self.job["_id"]]})
        if not answer.ok:
            return self.refuse(answer, self.step("import"))
        return self.redirect_with_toast(_("Import deleted"), self.address(self.kind.imports))


def only_codes(operator: str, code: str) -> JsonObject:
    """Return the parameters of a list of row errors that has those of a code, or all others."""
    condition = {"field": "code", "operator": operator, "value": code}
    return {"advancedFilters": {"operator": "and", "conditions": [condition]}}


def run_stats(job: Values, no_records: int) -> list[tuple[str, int]]:
    """Return the results of the rows."""
    names = ((_("Created"), "created"), (_("Updated"), "updated"), (_("Skipped (duplicates)"), "skipped"))
    stats = [(label, job[name]) for label, name in names]
    stats.append((_("Refused"), max(job["failed"] - no_records, 0)))
    return [*stats, (_("Not records"), no_records)] if no_records else stats


def undone_stats(job: Values) -> list[tuple[str, int]]:
    """Return the results of undoing the import."""
    others = (
        (_("Changed since (kept)"), job["report"].get("keptCount", 0)),
        (_("Not restored"), job["failed"]),
    )
    return [(_("Removed"), job["changed"]), *(stat for stat in others if stat[1])]


class LeadImports(Imports):
    path = "imports/leads"
    name = "lead-imports"
    module = "lead"
    kind = LEADS
    title = gettext_lazy("Imports of leads")
    alternate_modules = ()


class OrganizationImports(Imports):
    path = "imports/organizations"
    name = "organization-imports"
    kind = ORGANIZATIONS
    title = gettext_lazy("Imports of organizations")
    alternate_modules = ()


PAGES = [Imports, LeadImports, OrganizationImports, ImportDetail]
