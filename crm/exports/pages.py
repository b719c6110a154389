"""The pages of exports: their list, and one with its progress and its file."""

from __future__ import annotations

from django.http import HttpResponse
from django.utils.translation import gettext as _

from core.text.labels.list_names import list_name
from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.lists import Column, ListState
from core.web.navigation.places import SETTINGS, MenuItem
from core.web.pages import Page

STATES = {
    "queued": (gettext_lazy("Waiting"), "none"),
    "running": (gettext_lazy("Writing"), "info"),
    "completed": (gettext_lazy("Ready"), "ok"),
    "failed": (gettext_lazy("Failed"), "bad"),
    "cancelled": (gettext_lazy("Cancelled"), "none"),
}
"""Status -> its word and tone."""
FORMATS = {"csv": "CSV", "xlsx": "Excel"}
LISTS = (
    ("contact", "contacts", gettext_lazy("Open contacts")),
    ("contact", "organizations", gettext_lazy("Open organizations")),
    ("lead", "leads", gettext_lazy("Open leads")),
    ("genie", "messages", gettext_lazy("Open messages")),
)
"""Permission module, page and words of lists that are exported often."""


def shown_export(job: Values) -> JsonObject:
    """Return the export with the texts of the pages."""
    word, tone = STATES.get(job["status"], STATES["queued"])
    return {
        **job,
        "records": list_name(job["resource"]),
        "kind": FORMATS.get(job["format"], job["format"]),
        "word": _("File deleted") if job["status"] == "completed" and not job["file"] else word,
        "tone": tone if job["file"] or job["status"] != "completed" else "none",
        "narrowed": bool({"searchValue", "filters", "advancedFilters"} & set(job["query"])),
        "moving": job["status"] in ("queued", "running"),
    }


class ExportPage(Page):
    """Shared parts of the pages of exports."""

    module = "file"
    menu = MenuItem(
        gettext_lazy("Exports"),
        SETTINGS,
        50,
        "download",
        gettext_lazy("Data"),
        gettext_lazy("export download csv excel backup"),
    )


class Exports(ExportPage):
    path = name = "exports"
    purpose = gettext_lazy("Files with your exported records.")
    title = gettext_lazy("Exports")
    template = "web/exports/list.html"

    def show(self) -> Values:
        state = ListState(self.request.GET)
        answer = self.read("export", {"sortBy": "createdAt", "sortOrder": "desc", **state.query()})
        return {
            "state": state,
            "exports": [shown_export(export) for export in answer.data],
            "columns": [
                Column("resource", _("Records"), "resource"),
                Column("status", _("Status"), "status"),
                Column("total", _("Rows"), "total", "num right"),
                Column("format", _("Format"), "format"),
                Column("by", _("By"), "createdBy.name"),
                Column("createdAt", _("When"), "createdAt"),
                Column("file", _("File")),
            ],
            "total": answer.total,
            "more": state.more(answer.next_cursor, len(answer.data)) if answer.next_cursor else None,
            "start": self.start(),
        }

    def start(self) -> tuple[str, str] | None:
        """Return the address and the words of the first list that the reader may export, for the empty list."""
        return next(((self.address(page), label) for module, page, label in LISTS if self.may(module)), None)


class ExportDetail(ExportPage):
    path = "exports/<str:id>"
    name = "export"
    tab_name = gettext_lazy("Export")
    template = "web/exports/detail.html"

    def show(self) -> Values:
        job = shown_export(self.read(f"export/{self.params['id']}").data)
        return {"job": job, "title": _("Export: %(records)s") % {"records": job["records"]}}

    def do_cancel(self) -> HttpResponse:
        answer = self.ask("PUT", f"export/{self.params['id']}", None, {"status": "cancelled"})
        return self.redirect_with_toast(_("Cancelled")) if answer.ok else self.refuse(answer)

    def do_delete(self) -> HttpResponse:
        answer = self.ask("DELETE", "export", None, {"ids": [self.params["id"]]})
        done = _("Export deleted; its file is in the recycle bin")
        return self.redirect_with_toast(done, self.address("exports")) if answer.ok else self.refuse(answer)


PAGES = [Exports, ExportDetail]
