"""The steps of a new import: its file, what its columns become, and what its first rows would do."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
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
NEW = "+"
"""What is chosen for a column that becomes a new field."""
MOST_NEW = 10
TYPES = (
    ("number", "number", re.compile(r"[-+]?\d+(?:[.,]\d+)?")),
    ("date", "day", re.compile(r"\d{4}-\d\d?-\d\d?(?:[T ].*)?|\d\d?[./]\d\d?[./]\d{4}")),
    ("email", "e-mail address", re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")),
    ("url", "web address", re.compile(r"https?://\S+")),
    ("text", "text", re.compile(r".{0,80}")),
    ("textarea", "long text", re.compile(r".*", re.DOTALL)),
)
"""Type of a new field, its words, and what all of its examples look like."""
LOOKS = {
    "email": (re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+"), "an e-mail address"),
    "number": (re.compile(r"\+?[\d\s().\-/]{5,}"), "a phone number"),
}
"""What a column becomes -> what its values look like, and its words."""


class NewImport(ImportPage):
    path = "imports/new"
    name = "import-new"
    title = "Import"
    deed = "Import contacts"
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
            "quiet": "quiet" in self.request.POST,
            "behind": "behind" in self.request.POST,
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
        automation = "skip" if "quiet" in self.request.POST else "queue" if "behind" in self.request.POST else None
        body = {"importType": kind.module, "fileId": file, **({"automation": automation} if automation else {})}
        answer = self.ask("POST", kind.path, None, body)
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

    def cells(self, place: int) -> list[str]:
        """Return the column's values in the first rows."""
        rows = self.job["sample"]
        return [str(row[place]) for row in rows if place < len(row) and row[place] not in (None, "")]

    def new_type(self, place: int) -> tuple[str, str]:
        """Guess the type of a field that holds the column. Returns it with its words."""
        cells = self.cells(place)
        fits = ((name, words) for name, words, shape in TYPES if all(map(shape.fullmatch, cells)))
        return next(fits) if cells else ("text", "text")

    def choices(self, mapping: Mapping[str, str], errors: Mapping[str, str] | None = None) -> dict[str, Any]:
        """Return each column with examples and what it becomes; `errors`: header -> why it cannot."""
        twice = [key for key in mapping.values() if key != NEW and list(mapping.values()).count(key) > 1]
        found = []
        for place, header in enumerate(self.job["headers"]):
            cells = self.cells(place)
            key = mapping.get(header, "")
            found.append(
                {
                    "name": f"c{place}",
                    "header": header,
                    "samples": list(dict.fromkeys(cells))[:SAMPLES],
                    "key": key,
                    "guessed": bool(key) and "new" in self.request.GET,
                    "doubt": doubt(key, cells),
                    "new": self.new_type(place)[1],
                    "error": (errors or {}).get(header, "")
                    or ("Another column goes there too; keep one of them." if key and key in twice else ""),
                }
            )
        return {
            "file_columns": found,
            "targets": list(self.kind.targets.items()),
            "custom": self.custom,
            "can_add": self.may("custom-field", "POST"),
        }

    def add_fields(self, mapping: dict[str, str]) -> dict[str, str]:
        """Make the new fields that the mapping asks for, and put them into it. Returns header -> its refusal."""
        errors: dict[str, str] = {}
        wanted = [header for header, key in mapping.items() if key == NEW]
        for header in wanted[:MOST_NEW]:
            kind, _ = self.new_type(self.job["headers"].index(header))
            body = {"name": header, "fieldType": kind, "panel": self.kind.module}
            answer = self.ask("POST", "custom-field", None, body)
            if answer.ok:
                mapping[header] = answer.data["uniqueFieldID"]
            else:
                errors[header] = self.reason(answer)
        if len(wanted) > len(errors):
            self.__dict__.pop("custom", None)  # the choices have them from now on
        return errors | dict.fromkeys(wanted[MOST_NEW:], f"At most {MOST_NEW} new fields at a time; check again.")

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
        categories = [] if self.kind is LEADS else self.options_of("contact-category")
        fields = [
            Field("existing", f"When a {one} exists already", "radio", options=rules),
            Field("skipInvalid", "Take rows with wrong values too, without those values", "switch"),
            Field("category", "Category of them all", "select", options=categories),
            Field("tags", "Tags for all of them", "checks", options=self.options_of("tag")),
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
        targets = [key for key in mapping.values() if key != NEW]
        if len(set(targets)) < len(targets):
            return self.refused(form, mapping, "Two columns go to the same field.")
        if errors := self.add_fields(mapping):
            return self.refused(form, mapping, "A new field could not be made.", errors)
        body: dict[str, Any] = {"columnMapping": mapping, "options": options, "pauseImport": True, **beside}
        answer = self.ask("PUT", self.resource, None, body)
        if answer.ok:
            return self.done(to=self.step("import-check"))
        named = answer.message.partition("Validation error: ")[2]
        form.refuse(answer.message, named or answer.warning)
        return self.refused(form, mapping, "" if form.wrong else self.reason(answer))

    def refused(
        self, form: Form, mapping: Mapping[str, str], text: str, errors: Mapping[str, str] | None = None
    ) -> HttpResponse:
        """Show the page again. What it asked for is there already."""
        form.trouble = [text] if text else []
        shown = {**self.shared(), **self.choices(mapping, errors), "form": form, "reading": self.reading()}
        return self.page(shown, status=422)

    def do_reread(self) -> HttpResponse:
        options = {name: value or None for name, value in self.reading().fill(self.request.POST).values.items()}
        answer = self.ask("PUT", self.resource, None, {"options": options, "pauseImport": True})
        back = self.step("import-columns", new="1")
        return self.done("Read again", back) if answer.ok else self.refuse(answer, back)


def doubt(key: str, cells: Sequence[str]) -> str:
    """Say that none of a column's examples is what it is to become, or nothing."""
    shape, words = LOOKS.get(key, (None, ""))
    if shape is None or not cells or any(map(shape.fullmatch, cells)):
        return ""
    return f"None of these is {words}. Is it the right column?"


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
        found = answer.data["rowErrors"]
        labels, gone = self.labels_for(found), "an earlier row of the file"
        problems = [shown_problem(one, self.job, labels, gone=gone) for one in found]
        return {**context, "checked": answer.data, "problems": problems, "start": self.start_label(answer.data)}

    def start_label(self, checked: Mapping[str, Any]) -> str:
        """Return what the button says that starts the import; "" if nothing would come of it."""
        left = max((self.job["total"] or 0) - self.job["processed"], 0)
        written = checked["created"] + checked["updated"]
        if checked["rows"] < left:
            return f"Import all {left:,} rows"
        if written:
            return f"Import {counted(written, self.kind.module)}"
        return "Continue, to fix these rows" if checked["failed"] else ""

    def do_start(self) -> HttpResponse:
        return self.move({"status": "running"}, "")


PAGES = [NewImport, ImportColumns, ImportCheck]
