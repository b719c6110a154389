"""The lists of imports, and an import as it runs and ends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse

from core.web.lists import Column, ListState
from core.web.menu import registered
from crm.imports.pages.base import CONTACTS, LEADS, ImportPage, counted, shown_import, shown_problem

ERRORS = 50


class Imports(ImportPage):
    path = name = "imports"
    title = "Imports"
    template = "web/imports/list.html"
    kind = CONTACTS

    def tabs(self) -> list[tuple[str, str]]:
        """Return the lists of imports that the reader may open, for the template."""
        found = (("imports", "Contacts", "contact"), ("lead-imports", "Leads", "lead"))
        return [(name, words) for name, words, module in found if self.may(module)]

    def get(self, request: HttpRequest) -> HttpResponse:
        if not self.may(self.kind.module):  # who reads leads alone
            return self.done(to=self.address("lead-imports"))
        return super().get(request)

    def show(self) -> Mapping[str, Any]:
        state = ListState(self.request.GET)
        found = self.read(self.kind.path, {"sortBy": "createdAt", "sortOrder": "desc", **state.query()})
        return {
            "state": state,
            "kind": self.kind,
            "imports": [
                {**shown_import(one, self.kind), "address": self.address("import", one["_id"])} for one in found.data
            ],
            "columns": [
                Column("file", "File", "file.name"),
                Column("status", "State", "status"),
                *(
                    Column(name, label, name, "num right")
                    for name, label in (
                        ("created", "Created"),
                        ("updated", "Updated"),
                        ("skipped", "Skipped"),
                        ("failed", "Refused"),
                    )
                ),
                Column("by", "By", "createdBy.name"),
                Column("createdAt", "When", "createdAt"),
            ],
            "counted": counted(found.total, "import"),
            "more": state.more(found.next_cursor, len(found.data)) if found.next_cursor else None,
        }


class ImportDetail(ImportPage):
    path = "imports/<str:id>"
    name = "import"
    template = "web/imports/detail.html"

    def show(self) -> Mapping[str, Any]:
        job, state = self.job, ListState(self.request.GET)
        problems: list[Any] = []
        more = None
        if job["processed"]:
            query = {**state.query(size=ERRORS), "sortBy": "skipped", "sortOrder": "asc"}
            found = self.ask("GET", f"{self.resource}/errors", query)
            problems = [shown_problem(one, job) for one in found.data] if found.ok else []
            more = state.more(found.next_cursor, len(problems)) if found.ok and found.next_cursor else None
        undoing = self.undoing() if job["over"] else None
        if undoing is not None and undoing["status"] == "completed":
            job |= {"word": "Undone", "tone": "none"}
        return {
            **self.shared(),
            "title": job["name"],
            "state": state,
            "problems": problems,
            "more": more,
            "can_undo": self.may(self.kind.module, "POST") and self.may(self.kind.module, "DELETE"),
            "can_delete": self.may(self.kind.module, "DELETE"),
            "records": self.address(self.kind.page) if self.kind.page in {page.name for page in registered()} else "",
            "undoing": undoing,
        }

    def undoing(self) -> Mapping[str, Any] | None:
        """Return the job that undoes the import, if there is one."""
        query = {"filters": {"undoesImport": self.job["_id"]}, "p": "1", "n": "1"}
        answer = self.ask("GET", "bulk-job", {**query, "sortBy": "createdAt", "sortOrder": "desc"})
        found = answer.data[0] if answer.ok and answer.data else None
        return None if found is None or found["status"] in ("failed", "cancelled") else found

    def do_download(self) -> HttpResponse:
        """Send the rows that failed or were skipped, as a file."""
        return self.download(f"{self.resource}/errors.csv")

    def do_start(self) -> HttpResponse:
        return self.move({"status": "running"}, "Goes on")

    def do_pause(self) -> HttpResponse:
        return self.move({"status": "paused"}, "It pauses after the rows at hand")

    def do_cancel(self) -> HttpResponse:
        return self.move({"status": "cancelled"}, "Cancelled")

    def do_undo(self) -> HttpResponse:
        answer = self.ask("POST", f"{self.resource}/undo", None, {})
        here = self.step("import")
        return (
            self.done("Undoing the import", here, watch=answer.data["_id"]) if answer.ok else self.refuse(answer, here)
        )

    def do_delete(self) -> HttpResponse:
        answer = self.ask("DELETE", self.kind.path, None, {"ids": [self.job["_id"]]})
        if not answer.ok:
            return self.refuse(answer, self.step("import"))
        return self.done("Import deleted", self.address(self.kind.imports))


class LeadImports(Imports):
    path, name, module, kind = "imports/leads", "lead-imports", "lead", LEADS
    also = ()


PAGES = [Imports, LeadImports, ImportDetail]
