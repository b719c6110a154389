"""The steps of a new import: its file, what its columns become, and what its first rows would do."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from django.http import HttpResponse

from core.web.forms import Field, Form, Option
from crm.imports.pages.base import CONTACTS, LEADS, ImportPage, Kind, counted, shown_problem

DELIMITERS = ((",", "Comma"), (";", "Semicolon"), ("\t", "Tab"), ("|", "Vertical bar"))
ENCODINGS = (("utf-8", "Unicode (UTF-8)"), ("cp1252", "Western Europe (Windows)"), ("utf-16", "Unicode (UTF-16)"))
SAMPLES = 3
OPEN = ("paused", "failed")
"""The statuses of an import that may still be changed."""
ID = re.compile(r"[0-9a-f]{24}")


class NewImport(ImportPage):
    path = "imports/new"
    name = "import-new"
    title = "Import"
    template = "web/imports/new.html"
    kind = CONTACTS
    kinds: ClassVar[Mapping[str, Kind]] = {"contact": CONTACTS, "lead": LEADS}

    def show(self) -> Mapping[str, Any]:
        file = self.request.GET.get("file", "")
        wanted = self.request.POST.get("of") or self.request.GET.get("of")
        open_kinds = [kind for kind in self.kinds.values() if self.may(kind.module, "POST")]
        return {
            "kinds": open_kinds,
            "wanted": wanted if wanted in self.kinds else "contact",
            "file": self.read(f"file/{file}").data if ID.fullmatch(file) else None,
            "may_upload": self.may("file", "POST"),
        }

    def do_upload(self) -> HttpResponse:
        if "file" not in self.request.FILES:
            return self.refused("Choose a file first: a table as CSV, Excel or OpenDocument.")
        answer = self.upload()
        return self.begin(answer.data["_id"]) if answer.ok else self.refused(self.reason(answer))

    def do_use(self) -> HttpResponse:
        return self.begin(self.sent_id("file"))

    def begin(self, file: str) -> HttpResponse:
        """Make an import of the file, which waits for its columns."""
        kind = self.kinds.get(self.request.POST.get("of", ""), CONTACTS)
        answer = self.ask("POST", kind.path, None, {"importType": kind.module, "fileId": file})
        if not answer.ok:
            return self.refused(self.reason(answer))
        made = answer.data["import"]["_id"]
        return self.done(to=self.address("import-columns", made, new="1"))

    def refused(self, text: str) -> HttpResponse:
        return self.page({**self.show(), "trouble": text}, status=422)


class ImportColumns(ImportPage):
    path = "imports/<str:id>/columns"
    name = "import-columns"
    title = "Columns"
    template = "web/imports/columns.html"

    def show(self) -> Mapping[str, Any]:
        context = self.shared()
        if not self.job["headers"] or self.job["status"] not in OPEN:
            return context
        return {**context, **self.choices(self.job["columnMapping"]), "form": self.form(), "reading": self.reading()}

    def choices(self, mapping: Mapping[str, str]) -> dict[str, Any]:
        """Return each column with examples and what it becomes."""
        rows = self.job["sample"]
        twice = [key for key in mapping.values() if list(mapping.values()).count(key) > 1]
        found = []
        for place, header in enumerate(self.job["headers"]):
            cells = [str(row[place]) for row in rows if place < len(row) and row[place] not in (None, "")]
            key = mapping.get(header, "")
            found.append(
                {
                    "name": f"c{place}",
                    "header": header,
                    "samples": list(dict.fromkeys(cells))[:SAMPLES],
                    "key": key,
                    "guessed": bool(key) and "new" in self.request.GET,
                    "error": "Another column goes there too; keep one of them." if key and key in twice else "",
                }
            )
        return {"file_columns": found, "targets": list(self.kind.targets.items()), "custom": self.custom}

    def form(self) -> Form:
        """Make the form of what happens to the rows."""
        one = self.kind.module
        rules = [
            Option("skip", f"Keep the {one} as it is, skip the row"),
            Option("update", f"Update the {one} with the row"),
            Option("error", "Refuse the row"),
        ]
        if self.kind is LEADS:
            rules.insert(0, Option("", "As your company's settings say"))
        fields = [
            Field("existing", f"When a {one} exists already", "radio", options=rules),
            Field("skipInvalid", "Take rows with wrong values too, without those values", "switch"),
            Field("category", "Category of them all", "select", options=self.named("contact-category")),
            Field("tags", "Tags for all of them", "checks", options=self.named("tag")),
            Field("dateFormat", "How dates are written", placeholder="DD.MM.YYYY", help="Found out when left empty."),
            Field("rowFrom", "First row", "number", help="As your spreadsheet counts; the header is row 1."),
            Field("rowTo", "Last row", "number"),
        ]
        options = self.job["options"]
        values = {**options, "existing": options.get("existing", rules[0].value)}
        values |= {"category": self.job["category"], "tags": self.job["tags"]}
        return Form([field for field in fields if field.options or field.name not in ("category", "tags")], values)

    def reading(self) -> Form:
        """Make the form of how the file is read."""
        fields = [
            Field("delimiter", "Columns are parted by", "select", options=[Option(*one) for one in DELIMITERS]),
            Field("encoding", "Letters are written in", "select", options=[Option(*one) for one in ENCODINGS]),
            Field("sheet", "Sheet", placeholder="the first one"),
        ]
        for field in fields:
            field.placeholder = field.placeholder or "Found out"
        return Form(fields, self.job["options"])

    def named(self, path: str) -> list[Option]:
        if not self.may(path) or (path == "contact-category" and self.kind is LEADS):
            return []
        answer = self.ask("GET", path, {"p": "1", "n": "100", "sortBy": "name", "sortOrder": "asc"})
        return [Option(one["_id"], one["name"]) for one in answer.data] if answer.ok else []

    def do_check(self) -> HttpResponse:
        sent = self.request.POST
        mapping = {
            header: key for place, header in enumerate(self.job["headers"]) if (key := sent.get(f"c{place}", ""))
        }
        form = self.form().fill(sent)
        values = form.values
        beside: dict[str, Any] = {name: values.pop(name) for name in ("tags", "category") if name in values}
        if "category" in beside:
            beside["category"] = beside["category"] or None
        options = {name: None if value == "" else value for name, value in values.items()}
        if not mapping:
            return self.refused(form, mapping, "Choose what at least one column becomes.")
        if len(set(mapping.values())) < len(mapping):
            return self.refused(form, mapping, "Two columns go to the same field.")
        body: dict[str, Any] = {"columnMapping": mapping, "options": options, "pauseImport": True, **beside}
        answer = self.ask("PUT", self.resource, None, body)
        if answer.ok:
            return self.done(to=self.step("import-check"))
        named = answer.message.partition("Validation error: ")[2]
        form.refuse(answer.message, named or answer.warning)
        return self.refused(form, mapping, "" if form.wrong else self.reason(answer))

    def refused(self, form: Form, mapping: Mapping[str, str], text: str) -> HttpResponse:
        """Show the page again. What it asked for is there already."""
        form.trouble = [text] if text else []
        shown = {**self.shared(), **self.choices(mapping), "form": form, "reading": self.reading()}
        return self.page(shown, status=422)

    def do_reread(self) -> HttpResponse:
        options = {name: value or None for name, value in self.reading().fill(self.request.POST).values.items()}
        answer = self.ask("PUT", self.resource, None, {"options": options, "pauseImport": True})
        back = self.step("import-columns", new="1")
        return self.done("Read again", back) if answer.ok else self.refuse(answer, back)


class ImportCheck(ImportPage):
    """What the first rows would do; it is found out anew each time the page is opened."""

    path = "imports/<str:id>/check"
    name = "import-check"
    title = "Check"
    template = "web/imports/check.html"

    def show(self) -> Mapping[str, Any]:
        context = self.shared()
        if self.job["status"] not in OPEN:
            return context
        answer = self.ask("POST", f"{self.resource}/check")
        if not answer.ok:
            return {**context, "trouble": self.reason(answer)}
        problems = [shown_problem(one, self.job) for one in answer.data["rowErrors"]]
        left = max((self.job["total"] or 0) - self.job["processed"], 0)
        return {**context, "checked": answer.data, "problems": problems, "counted": counted(left, "row")}

    def do_start(self) -> HttpResponse:
        return self.move({"status": "running"}, "")


PAGES = [NewImport, ImportColumns, ImportCheck]
