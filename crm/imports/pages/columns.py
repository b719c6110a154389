"""The second step of a new import: the format of its file, and the targets of its columns."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property

from django.http import HttpResponse
from django.utils.translation import gettext

from core.text.translation import gettext_lazy
from core.text.whole_numbers import whole_number
from core.types import JsonObject, Values
from core.web.forms import BoundField, Field, Form, Option, options_of
from core.web.pages import PageError
from crm.imports.pages.base import CONTACTS, LEADS, OPEN, ImportPage
from crm.imports.pages.requirements import EMAIL, NUMBER
from crm.imports.pages.words import (
    COUNTRY_QUESTION,
    DELIMITERS,
    ENCODINGS,
    MARKS,
    TYPES,
    countries,
    country_name,
    country_question,
    lacks_country,
    questions,
    skipped_columns_message,
)

SAMPLES = 3
NEW, NEW_TEXT = "+", "+text"
"""Choices for a column that becomes a new field: of the type that its values have, or a text."""
SEVERAL = ("email", "number")
"""Targets of several columns: the first value counts, others are kept in new fields."""
COLUMN_PATTERNS = {
    "email": (
        re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+"),
        gettext_lazy("No email addresses found. Is this the right column?"),
    ),
    "number": (
        re.compile(r"\+?[\d\s().\-/]{5,}"),
        gettext_lazy("No phone numbers found. Is this the right column?"),
    ),
}
"""Target of a column -> the pattern of its values, and the warning if none fits."""
DETAILS = ("country", "decimalMark", "dateFormat", "timeZone", "rowFrom", "rowTo")
"""The fields under a heading that opens."""


class ImportColumns(ImportPage):
    path = "imports/<str:id>/columns"
    name = "import-columns"
    title = gettext_lazy("Columns")
    template = "web/imports/columns.html"

    @property
    def is_open(self) -> bool:
        """Return whether the file is read and its import has not begun."""
        return bool(self.job["headers"]) and self.job["status"] in OPEN

    def show(self) -> Values:
        if not self.is_open:
            return self.shared_context()
        mapping = self.proposal() if self.job["isProposed"] else self.job["columnMapping"]
        return self.context(mapping, self.form(mapping))

    def context(self, mapping: Mapping[str, str], form: Form) -> JsonObject:
        """Return the page's data for a mapping. Raises PageError once another tab has started the import."""
        if not self.is_open:
            raise PageError(409, gettext("The columns can't be changed now"), gettext("The import has started."))
        mapping = {header: self.target_of(key) for header, key in mapping.items()}
        columns = self.choices(mapping)
        filled = [column for column in columns if column["values"] or column["error"]]
        return {
            **self.shared_context(),
            "file_columns": filled,
            "empty_columns": [column for column in columns if column not in filled],
            "left_out": skipped_columns_message([column["header"] for column in filled if not column["key"]]),
            "targets": list(self.targets.items()),
            "custom": self.custom,
            "can_add": self.can_add,
            "is_proposed": self.job["isProposed"],
            "form": form,
            "asked": [field for field in form if is_question(field)],
            "plain": [field for field in form if field.name not in DETAILS],
            "details": [field for field in form if field.name in DETAILS and not is_question(field)],
            "reading": None if self.is_cards else self.reading(),
            "lacking": self.lacking(mapping),
            "can_require": self.may("custom-field", "PUT"),
        }

    @property
    def is_cards(self) -> bool:
        """Return whether the file has vCards, which have neither headers nor separators."""
        return "vcard" in (self.job["file"] or {}).get("mime", "")

    @cached_property
    def can_add(self) -> bool:
        return self.may("custom-field", "POST")

    def proposal(self) -> dict[str, str]:
        """Return the service's proposal: fields that exist, and new ones for those who may add them.

        For others, one column each feeds the address and the number, and those that have a field for further values.
        """
        mapping = dict(self.job["columnMapping"])
        if self.can_add:
            keys_by_field = {
                (field["name"].casefold(), field["fieldType"]): field["uniqueFieldID"] for field in self.own_fields
            }
            new = {
                field["column"]: key
                if (key := keys_by_field.get((field["name"].casefold(), field["fieldType"])))
                else NEW
                for field in self.job["proposedFields"]
                if field["preselected"]
            }
            taken = set(mapping.values())
            new = {header: NEW if key in taken else key for header, key in new.items()}
            return {header: key for header in self.job["headers"] if (key := mapping.get(header) or new.get(header))}
        names = {name.casefold() for _, name in self.custom}
        seen: set[str] = set()
        kept = {}
        for header in self.job["headers"]:
            key = mapping.get(header)
            if key and not (key in SEVERAL and key in seen and header.casefold() not in names):
                kept[header] = key
                seen.add(key)
        return kept

    def choices(self, mapping: Mapping[str, str]) -> list[JsonObject]:
        """Return each column with examples and its target."""
        keys = [key for key in mapping.values() if not key.startswith(NEW) and key not in SEVERAL]
        twice = {key for key in keys if keys.count(key) > 1}
        filled: set[str] = set()
        columns = []
        for place, (header, new) in enumerate(zip(self.job["headers"], self.job["proposedFields"], strict=True)):
            key = mapping.get(header, "")
            cells = self.cells(place)
            further = key in SEVERAL and key in filled
            if new["values"]:
                filled.add(key)
            columns.append(
                {
                    "name": f"c{place}",
                    "header": header,
                    "values": new["values"],
                    "samples": list(dict.fromkeys(cells))[:SAMPLES],
                    "key": key,
                    "doubt": mismatch_hint(key, cells),
                    "further": further,
                    "new": TYPES[new["fieldType"]],
                    "also_text": new["fieldType"] not in ("text", "textarea"),
                    "error": gettext("Two columns become this field. Choose one.") if key in twice else "",
                }
            )
        return columns

    def cells(self, place: int) -> list[str]:
        """Return the column's values in the first rows."""
        rows = self.job["sample"]
        return [str(row[place]) for row in rows if place < len(row) and row[place] not in (None, "")]

    def asks_country(self, mapping: Mapping[str, str]) -> bool:
        """Return whether examples of phone numbers lack their country, which nobody has named."""
        if self.job["options"].get("country") or self.job["detected"]["country"] or "countryCode" in mapping.values():
            return False
        places = [place for place, header in enumerate(self.job["headers"]) if mapping.get(header) == "number"]
        return any(lacks_country(cell) for place in places for cell in self.cells(place))

    def form(self, mapping: Mapping[str, str]) -> Form:
        """Return the form of the options for rows, with the open questions about the file and its mapping."""
        detected = self.job["detected"]
        rules = [
            Option("skip", gettext("Keep the record, skip the row")),
            Option("update", gettext("Update the record with the row")),
            Option("error", gettext("Reject the row")),
        ]
        if self.kind is LEADS:
            rules.insert(0, Option("", gettext("Use the company's settings")))
        categories = self.options_of("contact-category") if self.kind is CONTACTS else []
        open_questions = questions(self.job, self.job["options"])
        if self.asks_country(mapping):
            open_questions.append(country_question(self.job))
        mark = next((name for value, name in MARKS if value == detected["decimalMark"]), "")
        fields = [
            Field("existing", gettext("If a record already exists"), "radio", options=rules),
            Field("skipInvalid", gettext("Import rows with errors, leaving invalid values empty"), "switch"),
            Field("category", gettext("Category of all contacts"), "select", options=categories),
            Field(
                "tags",
                gettext("Tags for all records"),
                "checks",
                options=self.options_of("tag"),
            ),
            Field(
                "country",
                gettext("Country of phone numbers without a code"),
                "select",
                options=countries(),
                placeholder=country_name(detected["country"]) or gettext("Not known"),
            ),
            Field(
                "decimalMark",
                gettext("Number format"),
                "select",
                options=options_of(MARKS),
                placeholder=gettext("As detected: %(mark)s") % {"mark": mark} if mark else gettext("As detected"),
            ),
            Field("dateFormat", gettext("Date format"), placeholder=detected["dateFormat"] or "DD.MM.YYYY"),
            Field("timeZone", gettext("Time zone"), placeholder=detected["timeZone"] or "Europe/Berlin"),
            Field("rowFrom", gettext("First row"), "number", help_text=gettext("Row numbers match your spreadsheet.")),
            Field("rowTo", gettext("Last row"), "number"),
        ]
        names = {field.name for field in open_questions}
        fields = [*open_questions, *(field for field in fields if field.name not in names)]
        options = self.job["options"]
        values = {**options, "existing": options.get("existing", rules[0].value)}
        values |= {"category": self.job["category"], "tags": self.job["tags"]}
        return Form(
            fields=[field for field in fields if field.options or field.name not in ("category", "tags")],
            initial=values,
        )

    def reading(self) -> Form:
        """Make the form of how the file is read. Workbooks have sheets, texts have delimiters and encodings."""
        detected = self.job["detected"]
        rows = [Option(str(choice["row"]), "") for choice in self.job["firstRows"]]
        fields = []
        if rows:
            fields.append(Field("headerRow", gettext("Header row"), "radio", options=[*rows, Option("0", "")]))
        if len(detected["sheets"]) > 1:
            sheets = [Option(name, name) for name in detected["sheets"]]
            fields.append(Field("sheet", gettext("Sheet"), "select", required=True, options=sheets))
        if not detected["sheets"]:
            encoding = next((name for code, name in ENCODINGS if code == detected["encoding"]), detected["encoding"])
            marks = options_of(DELIMITERS)
            encodings = options_of(ENCODINGS)
            fields += [
                Field(
                    "delimiter",
                    gettext("Column separator"),
                    "select",
                    options=marks,
                    placeholder=gettext("As detected"),
                ),
                Field(
                    "encoding",
                    gettext("Encoding"),
                    "select",
                    options=encodings,
                    placeholder=encoding or gettext("As detected"),
                ),
            ]
        defaults = {"headerRow": detected["headerRow"], "sheet": detected["sheet"]}
        options = {name: value for name, value in self.job["options"].items() if value is not None}
        return Form(fields=fields, initial=defaults | options)

    def do_check(self) -> HttpResponse:
        sent = self.request.POST
        mapping = self.sent_mapping()
        form = self.form(mapping).bind(sent)
        values = form.values
        more: JsonObject = {name: values.pop(name) for name in ("tags", "category") if name in values}
        if "category" in more:
            more["category"] = more["category"] or None
        if not mapping:
            return self.refused(form, mapping, gettext("Choose what at least one column becomes."))
        keys = [key for key in mapping.values() if not key.startswith(NEW) and key not in SEVERAL]
        if len(set(keys)) < len(keys):
            return self.refused(form, mapping, gettext("Two columns become the same field."))
        for field in form:
            if is_question(field) and field.kind == "radio" and not field.value():
                field.add_error(gettext("Choose one of the answers."))
        if form.refused_fields:
            return self.refused(form, mapping, "")
        options = {name: None if value == "" else value for name, value in values.items()}
        body: JsonObject = {"columnMapping": mapping, "options": options, "pauseImport": True, **more}
        answer = self.ask("PUT", self.resource, None, body)
        if answer.ok and answer.data["detected"]["ambiguous"]:  # of columns that become new fields
            return self.redirect_with_toast(
                gettext("Answer the question about your file"), self.step(self.name) + "#questions"
            )
        if answer.ok:
            return self.redirect_with_toast(to=self.step("import-check"))
        form.refuse(answer)
        return self.refused(form, mapping, "" if form.refused_fields else self.reason(answer))

    def sent_mapping(self) -> dict[str, str]:
        sent = self.request.POST
        return {header: key for place, header in enumerate(self.job["headers"]) if (key := sent.get(f"c{place}", ""))}

    def refused(self, form: Form, mapping: Mapping[str, str], text: str) -> HttpResponse:
        """Show the page again with the choices."""
        form.replace_errors([text] if text else [])
        return self.page(self.context(mapping, form), status=422)

    def do_reread(self) -> HttpResponse:
        """Read the file again, from another row, sheet or encoding."""
        form, detected = self.reading(), self.job["detected"]
        before = form.values
        values = {name: value or None for name, value in form.bind(self.request.POST).values.items()}
        if "headerRow" in values:
            text = str(values["headerRow"] or "")
            row = whole_number(text)
            moved = row != detected["headerRow"] or "headerRow" in self.job["options"]
            other_sheet = values.get("sheet") != before.get("sheet")  # whose rows nobody has seen
            values["headerRow"] = row if moved and not other_sheet else None
        answer = self.ask("PUT", self.resource, None, {"options": values, "pauseImport": True})
        back = self.step(self.name)
        return self.redirect_with_toast(gettext("File read again"), back) if answer.ok else self.refuse(answer, back)

    def do_optional_number(self) -> HttpResponse:
        return self.make_optional(NUMBER.keys)

    def do_optional_email(self) -> HttpResponse:
        return self.make_optional(EMAIL.keys)

    def make_optional(self, keys: Sequence[str]) -> HttpResponse:
        """Make these values of contacts optional, and show the page again with the choices."""
        answer = self.optional(keys)
        mapping = self.sent_mapping()
        form = self.form(mapping).bind(self.request.POST)
        return self.page(self.context(mapping, form)) if answer.ok else self.refused(form, mapping, self.reason(answer))


def is_question(field: BoundField) -> bool:
    """Return whether a field is a question about the file, shown above the columns."""
    return field.name in DETAILS and (field.kind == "radio" or field.label == COUNTRY_QUESTION)


def mismatch_hint(key: str, cells: Sequence[str]) -> str:
    """Return a warning if no example of a column fits its target; else an empty text."""
    shape, hint = COLUMN_PATTERNS.get(key, (None, ""))
    if shape is None or not cells or any(map(shape.fullmatch, cells)):
        return ""
    return str(hint)


PAGES: list[type[ImportPage]] = [ImportColumns]
