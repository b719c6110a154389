"""Tables of records: the columns that a reader has chosen, and values that are changed at their place."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import orjson
from django.http import HttpResponse
from django.utils.translation import gettext as _

from core.ids import is_id
from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.ask import Answer
from core.web.field_values import FieldValues, field_values
from core.web.forms import Field, Form, values_differ
from core.web.lists import Column
from core.web.pages import Page, PageError

GONE = gettext_lazy("This record was deleted. Reload the page.")


@dataclass(frozen=True)
class Row:
    """A row of a table. `path` is relative to the list; `who` names the record for readers of the screen."""

    id: str
    path: str
    name: str
    who: str
    record: Values


class TablePage(Page):
    """Shared parts of the pages of a table of records. A subclass declares its columns and rows."""

    resource: ClassVar[str]
    """The path of the API's list, and the name of its saved views."""
    listed_at: ClassVar[str]
    """The name of the list's page."""
    record_page: ClassVar[str]
    """The name of a record's page."""
    usual: ClassVar[Sequence[str]]
    """The names of the columns that are shown before any are chosen; custom ones are added by `usual_columns`."""

    edited_in_record: ClassVar[Sequence[str]] = ()
    """Columns that are edited at their place on the record's page, and not in the table."""

    def known_columns(self) -> list[Column]:
        """Return the known columns."""
        raise NotImplementedError

    def row(self, record: Values) -> Row:
        """Return the row of a record."""
        raise NotImplementedError

    def custom_values(self, rows: Sequence[Row], columns: Iterable[Column]) -> FieldValues:
        """Return a writer of the rows' custom values in the columns."""
        definitions = [column.definition for column in columns if column.definition is not None]
        return field_values(self, definitions, [row.record["formData"] for row in rows])

    @cached_property
    def columns_by_name(self) -> dict[str, Column]:
        return {column.name: column for column in self.known_columns()}

    @cached_property
    def usual_columns(self) -> list[str]:
        """The names of the columns that are shown before any are chosen."""
        return list(self.usual)

    @property
    def columns_key(self) -> str:
        """The name under which the reader's profile keeps the columns; fields differ between companies."""
        return f"{self.resource}:{self.reader.company_id}"

    def preferred_columns(self) -> list[str]:
        """Return the names of the columns that the reader has chosen, or the usual ones."""
        stored = self.reader.columns.get(self.columns_key)
        return stored if isinstance(stored, list) and stored else self.usual_columns

    def columns_of(self, names: Sequence[str]) -> list[Column]:
        """Return the known columns of these names, the fixed ones first."""
        columns = self.columns_by_name
        fixed = [column for column in columns.values() if column.fixed]
        return [
            *fixed,
            *(columns[name] for name in dict.fromkeys(names) if name in columns and not columns[name].fixed),
        ]


class ChooseColumns(TablePage):
    """The columns that a list shows, and their order. Its address has the parameters of the list."""

    template = "web/columns/choose.html"

    @property
    def list_url(self) -> str:
        """The list as it was."""
        return f"{self.address(self.listed_at)}?{self.request.GET.urlencode()}"

    def displayed_columns(self) -> list[str]:
        """Return the names of the columns that the list shows now."""
        if parameter := self.request.GET.get("columns"):
            return parameter.split(",")
        id = self.request.GET.get("saved", "")
        view = self.ask("GET", f"saved-view/{id}") if is_id(id) else None
        names = view.data["columns"] if view is not None and view.ok else []
        return names or self.preferred_columns()

    def show(self) -> Values:
        names = [column.name for column in self.columns_of(self.displayed_columns())]
        rest = [name for name in self.columns_by_name if name not in names]
        return self.choice([*names, *rest], set(names))

    def choice(self, order: Sequence[str], chosen: set[str]) -> JsonObject:
        columns = sorted((self.columns_by_name[name] for name in order), key=lambda column: not column.fixed)
        lines = [(column, column.fixed or column.name in chosen) for column in columns]
        return {"lines": lines, "back": self.list_url, "viewed": "saved" in self.request.GET}

    def read_order(self) -> tuple[list[str], set[str]]:
        """Return the names in the order of the form, and which of them are chosen."""
        order = [name for name in dict.fromkeys(self.request.POST.getlist("order")) if name in self.columns_by_name]
        return order, set(self.request.POST.getlist("shown")) & set(order)

    def do_move(self) -> HttpResponse:
        """Show the form again, with one column moved by a place."""
        order, names = self.read_order()
        for button, by in (("up", -1), ("down", 1)):
            name = self.request.POST.get(button)
            if name in order:
                place = order.index(name)
                order.insert(max(0, place + by), order.pop(place))
        return self.page(self.choice(order, names))

    def do_save(self) -> HttpResponse:
        order, shown_names = self.read_order()
        names = [column.name for column in self.columns_of([name for name in order if name in shown_names])]
        if self.request.GET.get("saved"):
            return self.redirect_with_toast(to=self._list_with(names))
        return self._store_columns(names)

    def do_reset(self) -> HttpResponse:
        if self.request.GET.get("saved"):
            return self.redirect_with_toast(to=self._list_with(self.usual_columns))
        return self._store_columns(None)

    def _store_columns(self, names: list[str] | None) -> HttpResponse:
        answer = self.ask_private("PUT", "profile", None, {"columns": {self.columns_key: names}})
        return self.redirect_with_toast(to=self._list_with(None)) if answer.ok else self.refuse(answer)

    def _list_with(self, names: Sequence[str] | None) -> str:
        query = self.request.GET.copy()
        query.pop("columns", None)
        if names is not None:
            query["columns"] = ",".join(names)
        return f"{self.address(self.listed_at)}?{query.urlencode()}"


class EditCell(TablePage):
    """One value of a record, changed at its place in the table; without script a small page of its own."""

    template = "web/cells/cell.html"

    def fields(self, column: Column) -> list[Field]:
        """Return the fields of the column's form."""
        raise NotImplementedError

    def values(self, record: Values) -> Values:
        """Return the record's values by the names of the fields."""
        form_data: Values = record["formData"]
        return form_data

    def body(self, values: Values) -> JsonObject:
        """Return the API's body for values of the form."""
        return {"formData": values}

    def cell_body(self, form: Form, values: Values) -> JsonObject:
        """Return the API's body for changed values of the form. Errors are added to it."""
        return self.body(values)

    @property
    def in_record(self) -> bool:
        """Return whether the value is one of a record's page."""
        return self.request.GET.get("at") == "record"

    @cached_property
    def column(self) -> Column:
        """The column that the address names, or the first one that can be changed."""
        more = self.edited_in_record if self.in_record else ()
        columns = self.columns_by_name.values()
        editable = [replace(column, editable=True) for column in columns if column.editable or column.name in more]
        name = self.request.GET.get("field")
        edited = next((column for column in editable if name in (None, column.name)), None)
        if edited is None:
            raise PageError(404, _("This value can't be edited here"), _("Open the record to change it."))
        return edited

    @property
    def is_part(self) -> bool:
        return self.frame == "web/bare.html"

    def cell_form(self, values: Values) -> Form:
        """Make the form of the column with the record's values; a field that it lacks is empty."""
        fields = self.fields(self.column)
        return Form(fields=fields, initial={field.name: values.get(field.name) for field in fields})

    @cached_property
    def record(self) -> Values:
        values: Values = self.read(f"{self.resource}/{self.params['id']}").data
        return values

    def show(self) -> Values:
        may = self.may(self.module, "PUT")
        return self.editing(self.cell_form(self.values(self.record)) if may else None, self.record)

    def editing(self, form: Form | None, record: Values) -> JsonObject:
        before = {field.name: self.values(record).get(field.name) for field in form} if form else {}
        row = self.row(record)
        return {"form": form, "row": row, "column": self.column, "before": json.dumps(before), "title": row.name}

    def get(self, request: Any) -> HttpResponse:
        return self._conflict_or_missing(lambda: super(EditCell, self).get(request))

    def post(self, request: Any) -> HttpResponse:
        return self._conflict_or_missing(lambda: super(EditCell, self).post(request))

    def do_save(self) -> HttpResponse:
        values, before = self.values(self.record), self._values_at_opening()
        form = self.cell_form(before).bind(self.request.POST)
        if not form.is_valid():
            return self.page(self.editing(form, self.record), status=422)
        changed = form.changed(before)
        if foreign := [field for field in form if values_differ(values.get(field.name), before.get(field.name))]:
            own_changes = {name: value for name, value in changed.items() if values_differ(values.get(name), value)}
            if own_changes:
                now = ", ".join(
                    f"“{words}”" for field in foreign if (words := field.field.words(values.get(field.name)))
                )
                text = _("Someone else changed this to %(now)s. Save again to keep your value.") % {
                    "now": now or "nothing"
                }
                form.add_error(None, text)
                return self.page(self.editing(form, self.record), status=422)
            changed = {}
        if not changed:
            return self._show_saved(self.record)
        body = self.cell_body(form, changed)
        if form.errors:
            return self.page(self.editing(form, self.record), status=422)
        answer = self.ask("PUT", f"{self.resource}/{self.params['id']}", None, body)
        if answer.status == 403:
            self.require_ok(answer)
        if not answer.ok:
            form.refuse(answer)
            return self.page(self.editing(form, self.record), status=422)
        return self._show_saved(answer.data, answer)

    def _values_at_opening(self) -> JsonObject:
        """Return the values with which the form was opened."""
        try:
            before = orjson.loads(self.request.POST.get("before", ""))
        except ValueError:
            before = None
        return before if isinstance(before, dict) else dict(self.values(self.record))

    def _show_saved(self, record: Values, answer: Answer | None = None) -> HttpResponse:
        text = (_("Saved. %(warning)s") % {"warning": answer.notice}).strip() if answer else ""
        undo = answer.job if answer else ""
        if not self.is_part:
            to = self.address(self.record_page, self.params["id"]) if self.in_record else self.address(self.listed_at)
            return self.redirect_with_toast(text, to, undo=undo)
        if text:
            self.add_toast(text, undo=undo)
        rows = [self.row(record)]
        columns = [self.column]
        context = {"rows": rows, "columns": columns, "field_values": self.custom_values(rows, columns)}
        if self.in_record:
            context |= {"row": rows[0], "column": self.column, "in_record": True, "cell_url": self.request.path}
        return self.page({**context, "title": _("Saved"), "saved": True})

    def _conflict_or_missing(self, answer: Any) -> HttpResponse:
        """Return the page's response; for a part of the page, show its refusal in the cell."""
        try:
            response: HttpResponse = answer()
        except PageError as error:
            if not self.is_part:
                raise
            text = GONE if error.status == 404 else f"{error.message}. {error.detail}".strip()
            return self.page({"gone": text, "title": error.message}, status=422)
        return response
