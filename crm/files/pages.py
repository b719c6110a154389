"""The pages of files: the list, uploading, and a file."""

from __future__ import annotations

from functools import cached_property

from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.filters import Choice
from core.web.forms import Form
from core.web.forms.from_input import form_from_input
from core.web.lists import Column, ListState
from core.web.navigation.places import SETTINGS, MenuItem
from core.web.pages import Page
from crm.files.serializers import FileUpdate

FILE_KINDS = (
    ("image/", gettext_lazy("Image")),
    ("text/csv", gettext_lazy("Table")),
    ("text/tab-separated-values", gettext_lazy("Table")),
    ("spreadsheet", gettext_lazy("Table")),
    ("ms-excel", gettext_lazy("Table")),
    ("application/pdf", "PDF"),
    ("presentation", gettext_lazy("Slides")),
    ("powerpoint", gettext_lazy("Slides")),
    ("word", gettext_lazy("Document")),
    ("opendocument.text", gettext_lazy("Document")),
    ("message/", gettext_lazy("Email")),
    ("zip", gettext_lazy("Archive")),
    ("audio/", gettext_lazy("Sound")),
    ("video/", gettext_lazy("Film")),
    ("text/", gettext_lazy("Text")),
)
"""Part of a file's type -> its word."""
KEPT = {"local": gettext_lazy("On this service"), "service": gettext_lazy("In this service's bucket")}
"""Storage of a file -> its label."""


def shown_file(file: Values) -> JsonObject:
    """Return the file with its type in words."""
    kind = next((word for part, word in FILE_KINDS if part in file["mime"]), _("File"))
    return {
        **file,
        "kind": kind,
        "kept": KEPT.get(file["storage"]) or _("In your bucket %(bucket_name)s") % {"bucket_name": file["bucketName"]},
        "importable": kind == "Table" or file["mime"] == "text/plain",
    }


class FilePage(Page):
    """Shared parts of the pages of files."""

    module = "file"
    menu = MenuItem(
        gettext_lazy("Files"),
        SETTINGS,
        60,
        "folder-open",
        gettext_lazy("Data"),
        gettext_lazy("documents attachments uploads"),
    )


class Files(FilePage):
    path = name = "files"
    purpose = gettext_lazy("Uploaded documents and images.")
    title = gettext_lazy("Files")
    template = "web/files/list.html"

    @cached_property
    def state(self) -> ListState:
        return ListState(self.request.GET, {"mime": Choice("mime", _("Type"), ("contains",))}, zone=self.zone_name)

    def show(self) -> Values:
        state = self.state
        answer = self.read("file", {"sortBy": "createdAt", "sortOrder": "desc", **state.query()})
        return {
            "state": state,
            "files": [shown_file(file) for file in answer.data],
            "columns": [
                Column("name", _("Name"), "name"),
                Column("mime", _("Type"), "mime"),
                Column("size", _("Size"), "size", "num right"),
                Column("by", _("Added by"), "createdBy.name"),
                Column("createdAt", _("When"), "createdAt"),
            ],
            "total": answer.total,
            "more": state.more(answer.next_cursor, len(answer.data)) if answer.next_cursor else None,
        }

    def do_delete(self) -> HttpResponse:
        sent, here = self.request.POST, self.request.path + self.state.link()
        if "all" in sent:
            answer = self.ask("DELETE", "file", self.state.selection(), {"selectAll": True})
        else:
            answer = self.ask("DELETE", "file", None, {"ids": sent.getlist("ids")})
        return self.redirect_with_toast(_("Moved to the recycle bin"), here) if answer.ok else self.refuse(answer, here)


class NewFiles(FilePage):
    path = "files/new"
    name = "file-new"
    title = gettext_lazy("Upload files")
    action = title
    template = "web/files/new.html"

    def do_upload(self) -> HttpResponse:
        if "file" not in self.request.FILES:
            return self.page({"trouble": _("Choose a file first.")}, status=422)
        answer = self.upload()
        if not answer.ok:
            return self.page({"trouble": answer.reason}, status=422)
        count = len(answer.data) if isinstance(answer.data, list) else 1
        return self.redirect_with_toast(
            ngettext("Uploaded %(count)s file", "Uploaded %(count)s files", count) % {"count": count},
            self.address("files"),
        )


FileForm = form_from_input(FileUpdate, {"name": gettext_lazy("Name")})


class FileDetail(FilePage):
    path = "files/<str:id>"
    name = "file"
    tab_name = gettext_lazy("File")
    record_kind = ("file", gettext_lazy("Files"))
    template = "web/files/detail.html"

    @cached_property
    def file(self) -> JsonObject:
        return shown_file(self.read(f"file/{self.params['id']}").data)

    def show(self) -> Values:
        return {"file": self.file, "title": self.file["name"], "form": self.form()}

    def form(self) -> Form:
        return FileForm(initial=self.file)

    def do_save(self) -> HttpResponse:
        form = self.form().bind(self.request.POST)
        answer = self.ask("PUT", f"file/{self.params['id']}", None, form.values)
        return self.redirect_with_toast(_("File renamed")) if answer.ok else self.invalid(form, answer)

    def do_delete(self) -> HttpResponse:
        answer = self.ask("DELETE", "file", None, {"ids": [self.params["id"]]})
        return (
            self.redirect_with_toast(_("Moved to the recycle bin"), self.address("files"))
            if answer.ok
            else self.refuse(answer)
        )


PAGES = [Files, NewFiles, FileDetail]
