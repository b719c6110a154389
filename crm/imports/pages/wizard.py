"""The first and the last step of a new import: its file, and the expected results of its first rows."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import ClassVar

from django.http import HttpResponse
from django.utils.translation import gettext as _

from core.text.addresses import NO_COUNTRY, OTHER_COUNTRY
from core.text.translation import gettext_lazy
from core.types import Values
from core.web.forms import BoundField, standalone_field
from core.web.prefills import find_named_record
from core.web.words.cures import remedy_key
from crm.imports.pages.base import CONTACTS, IMPORT_KINDS, OPEN, ImportPage, Kind, shown_problem
from crm.imports.pages.requirements import EMAIL, NUMBER, Requirement
from crm.imports.pages.words import (
    MAX_UNKNOWN,
    NO_RECORD,
    assumption_messages,
    country_question,
    join_names,
    row_lines,
    skipped_columns_message,
    unknown_words,
)

NAMES = {"name", "firstName", "lastName"}


class NewImport(ImportPage):
    path = "imports/new"
    name = "import-new"
    title = gettext_lazy("Import")
    action = CONTACTS.import_label
    template = "web/imports/new.html"
    kind = CONTACTS
    kinds: ClassVar[Mapping[str, Kind]] = {kind.name: kind for kind in IMPORT_KINDS}

    def show(self) -> Values:
        gone = _("This file no longer exists. Choose another.")
        import_type = self.request.POST.get("of") or self.request.GET.get("of") or ""
        kind = self.kinds.get(import_type, CONTACTS)
        self.menu_place = kind.place
        open_kinds = [kind for kind in self.kinds.values() if self.may(kind.module, "POST")]
        return {
            "kinds": open_kinds,
            "wanted": kind.name,
            "records": kind,
            "file": find_named_record(self, "file", self.request.GET.get("file", ""), gone),
            "quiet": "quiet" in self.request.POST,
            "behind": "behind" in self.request.POST,
            "may_upload": self.may("file", "POST"),
        }

    def do_upload(self) -> HttpResponse:
        if "file" not in self.request.FILES:
            return self.refused(_("Choose a file first: CSV, Excel, OpenDocument or vCard."))
        answer = self.upload()
        return self.begin(answer.data["_id"]) if answer.ok else self.refused(self.reason(answer))

    def do_use(self) -> HttpResponse:
        return self.begin(self.sent_id("file"))

    def begin(self, file: str) -> HttpResponse:
        """Make an import of the file, which waits for its columns."""
        kind = self.kinds.get(self.request.POST.get("of", ""), CONTACTS)
        automation = "queue" if "behind" in self.request.POST else None
        if "quiet" in self.request.POST:
            automation = "skip"
        body = {"importType": kind.name, "fileId": file, **({"automation": automation} if automation else {})}
        answer = self.ask("POST", kind.path, None, body)
        if not answer.ok:
            return self.refused(self.reason(answer), remedy_key(answer))
        import_id = answer.data["import"]["_id"]
        return self.redirect_with_toast(to=self.address("import-columns", import_id))

    def refused(self, text: str, remedy: str = "") -> HttpResponse:
        return self.page({**self.show(), "trouble": text, "remedy": remedy}, status=422)


class ImportCheck(ImportPage):
    """Show the expected results of the first rows, each time the page is opened."""

    path = "imports/<str:id>/check"
    name = "import-check"
    title = gettext_lazy("Check")
    template = "web/imports/check.html"

    def show(self) -> Values:
        context = self.shared_context()
        if self.job["status"] not in OPEN:
            return context
        if ambiguous := self.job["detected"]["ambiguous"]:
            columns = join_names([entry["column"] for entry in ambiguous])
            return {
                **context,
                "trouble": _("Values of %(columns)s can be read in two ways. Choose one first.") % {"columns": columns},
            }
        answer = self.ask("POST", f"{self.resource}/check")
        if not answer.ok:
            lacking = self.lacking(self.job["columnMapping"])
            more = {"lacking": lacking, "can_require": self.may("custom-field", "PUT")}
            return {**context, **more, "trouble": self.reason(answer), "remedy": remedy_key(answer)}
        checked_rows = [
            {**entry, "kind": kind} for entry, kind in zip(answer.data["rowErrors"], answer.notes["kinds"], strict=True)
        ]
        row_errors = [entry for entry in checked_rows if NO_RECORD not in entry["code"]]
        no_records = [entry for entry in checked_rows if NO_RECORD in entry["code"]]
        gone = _("The record comes from an earlier row of the file.")
        optional = self.optional_keys(row_errors)
        unknown = answer.data["unknownValues"]
        others = rows_besides(row_errors, unknown)
        problems = [shown_problem(entry, self.job, gone=gone, optional=optional) for entry in others]
        checked = {**answer.data, "failed": answer.data["failed"] - answer.data["noRecords"]}
        labels = self.labels() if unknown else {}
        return {
            **context,
            "checked": checked,
            "problems": problems,
            "start": self.start_label(checked),
            "no_records": row_lines(no_records),
            "no_record_count": answer.data["noRecords"],
            "more_no_records": answer.data["noRecords"] - len(no_records),
            "unknown": [unknown_words(entry, self.job["columnMapping"], labels) for entry in unknown],
            "country": self.country_field(row_errors),
            "left_out": skipped_columns_message(self.left_out()),
            "assumptions": assumption_messages(self.job),
            "nameless": not NAMES & set(self.job["columnMapping"].values()),
            "lacks": self.lacks(row_errors),
            "can_require": self.may("custom-field", "PUT"),
        }

    def left_out(self) -> list[str]:
        """Return the columns with values that go nowhere."""
        mapping = self.job["columnMapping"]
        fields = self.job["proposedFields"]
        return [field["column"] for field in fields if field["values"] and field["column"] not in mapping]

    def lacks(self, row_errors: Sequence[Values]) -> list[Requirement]:
        """Return the required values that most of the refused rows lack as their only problem."""
        failed: dict[int, list[Values]] = {}
        for problem in row_errors:
            if problem["failed"]:
                failed.setdefault(problem["row"], []).append(problem)
        if not any(problem["kind"]["missing"] for rows in failed.values() for problem in rows):
            return []
        return [
            needed
            for needed in (NUMBER, EMAIL)
            if 2 * sum(self._lack_only(problems, needed.keys) for problems in failed.values()) >= len(failed)
        ]

    def _lack_only(self, problems: Sequence[Values], keys: Collection[str]) -> bool:
        """Return whether nothing is wrong with a row but that it has no values of these fields of contacts."""
        mapping = self.job["columnMapping"]
        return all(
            entry["kind"]["missing"] and (mapping.get(entry["column"]) in keys or entry["kind"]["key"] in keys)
            for entry in problems
        )

    def country_field(self, row_errors: Sequence[Values]) -> BoundField | None:
        """Ask for the country of the numbers of refused rows that lack theirs, or that are from another one.

        The latter are asked about where the file names another country than that by which they were read.
        """
        codes = {problem["kind"]["code"] for problem in row_errors if problem["failed"]}
        question = country_question(self.job)
        if NO_COUNTRY in codes:
            return standalone_field(question)
        other = question.initial not in ("", self.job["detected"]["country"])
        return standalone_field(question) if other and OTHER_COUNTRY in codes else None

    def start_label(self, checked: Values) -> str:
        """Return the label of the button that starts the import; "" if it would import nothing."""
        left = max((self.job["total"] or 0) - self.job["processed"], 0)
        written = checked["created"] + checked["updated"]
        if checked["rows"] < left:
            return _("Import all %(left)s rows") % {"left": f"{left:,}"}
        if written:
            return self.kind.import_count.of(written)
        return _("Continue to fix these rows") if checked["failed"] else ""

    def do_start(self) -> HttpResponse:
        if self.job["detected"]["ambiguous"]:
            return self.redirect_with_toast(to=self.step("import-columns") + "#questions")
        return self.move({"status": "running"}, "")

    def do_country(self) -> HttpResponse:
        """Read the phone numbers without a country code as those of a country."""
        here, country = self.step(self.name), self.request.POST.get("country", "")
        if not country:
            return self.fail(_("Choose a country first"), here)
        answer = self.ask("PUT", self.resource, None, {"options": {"country": country}, "pauseImport": True})
        return self.redirect_with_toast(_("Country saved"), here) if answer.ok else self.refuse(answer, here)

    def do_optional_number(self) -> HttpResponse:
        return self.make_optional(NUMBER)

    def do_optional_email(self) -> HttpResponse:
        return self.make_optional(EMAIL)

    def make_optional(self, needed: Requirement) -> HttpResponse:
        answer, here = self.optional(needed.keys), self.step(self.name)
        return self.redirect_with_toast(needed.done, here) if answer.ok else self.refuse(answer, here)


def rows_besides(row_errors: Sequence[Values], unknown: Sequence[Values]) -> list[Values]:
    """Return the problems except those with unknown values, if these are all listed separately."""
    columns = {entry["column"] for entry in unknown} if len(unknown) < MAX_UNKNOWN else set[str]()
    return [entry for entry in row_errors if entry["column"] not in columns or not entry["kind"]["unknown"]]


PAGES = [NewImport, ImportCheck]
