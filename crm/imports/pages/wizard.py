"""The first and the last step of a new import: its file, and what its first rows would do."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from django.http import HttpResponse

from crm.imports.pages.base import CONTACTS, LEADS, OPEN, ImportPage, Kind, counted, shown_problem
from crm.imports.pages.words import NO_RECORD, left_out, listed

ID = re.compile(r"[0-9a-f]{24}")
NAMES = {"name", "firstName", "lastName"}
MISSING = "is missing, but needed"
"""How the check says that a row has no value of a field that all records have."""


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
            return self.refused("Choose a file first: CSV, Excel, OpenDocument or vCard.")
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
        return self.done(to=self.address("import-columns", made))

    def refused(self, text: str) -> HttpResponse:
        return self.page({**self.show(), "trouble": text}, status=422)


class ImportCheck(ImportPage):
    """Show what the first rows would do, each time the page is opened."""

    path = "imports/<str:id>/check"
    name = "import-check"
    title = "Check"
    template = "web/imports/check.html"

    def show(self) -> Mapping[str, Any]:
        context = self.shared()
        if self.job["status"] not in OPEN:
            return context
        if ambiguous := self.job["detected"]["ambiguous"]:
            columns = listed([one["column"] for one in ambiguous])
            return {**context, "trouble": f"Values of {columns} can be read in two ways. Choose one first."}
        answer = self.ask("POST", f"{self.resource}/check")
        if not answer.ok:
            lacking = self.lacking(self.job["columnMapping"])
            more = {"lacking": lacking, "can_require": self.may("custom-field", "PUT")}
            return {**context, **more, "trouble": self.reason(answer)}
        found = [one for one in answer.data["rowErrors"] if NO_RECORD not in one["code"]]
        no_records = [one for one in answer.data["rowErrors"] if NO_RECORD in one["code"]]
        labels, gone = self.labels_for(found), "an earlier row of the file"
        problems = [shown_problem(one, self.job, labels, gone=gone) for one in found]
        checked = {**answer.data, "failed": answer.data["failed"] - len(no_records)}
        return {
            **context,
            "checked": checked,
            "problems": problems,
            "start": self.start_label(checked),
            "no_records": [shown_problem(one, self.job, labels)["line"] for one in no_records],
            "left_out": left_out(self.left_out()),
            "nameless": not NAMES & set(self.job["columnMapping"].values()),
            "lacks_number": self.lacks_number(found),
            "can_require": self.may("custom-field", "PUT"),
        }

    def left_out(self) -> list[str]:
        """Return the columns with values that go nowhere."""
        mapping = self.job["columnMapping"]
        fields = self.job["proposedFields"]
        return [one["column"] for one in fields if one["values"] and one["column"] not in mapping]

    def lacks_number(self, found: Sequence[Mapping[str, Any]]) -> bool:
        """Return whether most of the refused rows lack a phone number, which contacts must have."""
        keys, mapping = {"number", "countryCode"}, self.job["columnMapping"]
        failed = {one["row"] for one in found if one["failed"]}
        missing = [one for one in found if one["failed"] and MISSING in one["message"]]
        if not missing:
            return False
        names = tuple(one["name"] for one in self.contact_fields if one["uniqueFieldID"] in keys)
        of_number = [one for one in missing if mapping.get(one["column"]) in keys or one["message"].startswith(names)]
        wrong = {one["row"] for one in found if mapping.get(one["column"]) in keys and MISSING not in one["message"]}
        lacking = {one["row"] for one in of_number} - wrong
        return 2 * len(lacking) > len(failed)

    def start_label(self, checked: Mapping[str, Any]) -> str:
        """Return what the button says that starts the import; "" if nothing would come of it."""
        left = max((self.job["total"] or 0) - self.job["processed"], 0)
        written = checked["created"] + checked["updated"]
        if checked["rows"] < left:
            return f"Import all {left:,} rows"
        if written:
            return f"Import {counted(written, self.kind.module)}"
        return "Continue to fix these rows" if checked["failed"] else ""

    def do_start(self) -> HttpResponse:
        if self.job["detected"]["ambiguous"]:
            return self.done(to=self.step("import-columns") + "#questions")
        return self.move({"status": "running"}, "")

    def do_optional_number(self) -> HttpResponse:
        return self.make_optional(("number", "countryCode"), "Phone numbers are optional now")

    def do_optional_email(self) -> HttpResponse:
        return self.make_optional(("email",), "Email addresses are optional now")

    def make_optional(self, keys: Sequence[str], text: str) -> HttpResponse:
        answer, here = self.optional(keys), self.step(self.name)
        return self.done(text, here) if answer.ok else self.refuse(answer, here)


PAGES = [NewImport, ImportCheck]
