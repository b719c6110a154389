"""Pages of plain records: a list, a form that adds one, and a form that changes or deletes one.

A domain defines the labels, columns and fields of its records (`crm/tags/pages.py` is the shortest example).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from django.http import HttpResponse
from django.utils.translation import gettext as _

from core.text.formats import Formats
from core.text.translation import PluralText, gettext_lazy
from core.types import JsonObject, Values
from core.web.field_values import dated_text, number_text
from core.web.filters import Choice
from core.web.forms import BoundField, Form
from core.web.lists import Column, ListState
from core.web.pages import Page


@dataclass(frozen=True)
class Records:
    """Shared settings of the pages of a kind of record. `path` is the API's, `pages` the name of the list's page."""

    path: str
    pages: str
    icon: str
    about: str
    """Their purpose, in a sentence."""


class RecordList(Page):
    """A list with search, filters and sort. `rows` is the template of its rows, which finds `records`."""

    template = "web/records/list.html"
    kind: ClassVar[Records]
    rows: ClassVar[str]
    columns: ClassVar[Sequence[Column]]
    hint: ClassVar[str] = gettext_lazy("Name")
    """Label of the data that the search covers."""
    none: ClassVar[str]
    """The title of the empty list."""
    count: ClassVar[PluralText]
    """Text for the number of records."""
    adds: ClassVar[str] = ""
    """The name of the page that adds a record."""
    add_label: ClassVar[str] = ""
    """Label of the link to that page."""
    picks: ClassVar[str] = ""
    """The template of the actions for chosen rows."""
    extra: ClassVar[Values] = {}
    """Parameters of the API's list in addition to those of the address."""

    @cached_property
    def choices(self) -> Sequence[Choice]:
        """The fields that people filter by."""
        return ()

    @cached_property
    def state(self) -> ListState:
        return ListState(self.request.GET, {choice.name: choice for choice in self.choices}, zone=self.zone_name)

    def show(self) -> Values:
        answer = self.read(self.kind.path, {**self.state.query(), **self.extra})
        return {
            "records": answer.data,
            "total": answer.total,
            "counted": self.count.of(answer.total),
            "more": self.state.more(answer.next_cursor, len(answer.data)) if answer.next_cursor else None,
            "state": self.state,
            "choices": self.choices,
            "columns": self.columns,
        }


class RecordForm(Page):
    """Shared parts of the forms of a kind of record."""

    template = "web/records/form.html"
    kind: ClassVar[Records]
    form_class: ClassVar[type[Form]]
    save_label: ClassVar[str] = gettext_lazy("Save")

    def list_address(self) -> str:
        """Return the address of the list that the form leads back to."""
        return self.address(self.kind.pages)

    def form(self, values: Values | None = None) -> Form:
        """Return the form, with a record's values if they are given."""
        return self.form_class(initial=values)

    def body(self, values: Values) -> JsonObject:
        """Return the API's body for values of the form."""
        return dict(values)

    def show_refused(self, form: Form, **context: Any) -> HttpResponse:
        """Show the form again. It has been made already, so that `show` need not ask for its fields."""
        return self.page({**context, "form": form}, status=422)


class NewRecord(RecordForm):
    """A form that adds a record."""

    added: ClassVar[str]
    """Message about the new record."""
    shows_new: ClassVar[str] = ""
    """The name of the page that shows the new record; without one the list follows."""

    def show(self) -> Values:
        return {"form": self.form() if self.may(self.module, "POST") else None}

    def do_save(self) -> HttpResponse:
        form = self.form().bind(self.request.POST)
        if not form.is_valid():
            return self.show_refused(form)
        answer = self.ask("POST", self.kind.path, None, self.body(form.cleaned_data))
        if not answer.ok:
            form.refuse(answer)
            return self.show_refused(form)
        address = self.address(self.shows_new, answer.data["_id"]) if self.shows_new else self.list_address()
        return self.redirect_with_toast(self.added, address)


class EditRecord(RecordForm):
    """A form that changes a record or deletes it; who may not change it reads its values."""

    saved: ClassVar[str]
    """Message about the changed record."""
    deleted: ClassVar[str]
    """Message about the deleted record."""
    removable: ClassVar[bool] = True

    @cached_property
    def record(self) -> Values:
        values: Values = self.read(f"{self.kind.path}/{self.params['id']}").data
        return values

    def values(self) -> Values:
        """Return the record's values by the names of the form."""
        return self.record

    def changed_by(self) -> str:
        """Return who has changed the record last, if that is known."""
        by = self.record.get("updatedBy")
        return str(by.get("name") or "") if isinstance(by, Mapping) else ""

    def consequence(self) -> str:
        """Return the warning about the consequences of deleting the record."""
        return _("This can't be undone.")

    def context(self) -> JsonObject:
        title = self.record.get("name") or self.tab_name
        return {"record": self.record, "title": title, "consequence": self.consequence()}

    def show(self) -> Values:
        context = self.context()
        form = self.form(self.values())
        if self.may(self.module, "PUT"):
            return {**context, "form": form}
        return {
            **context,
            "form": None,
            "facts": [(field.label, shown_value(field, self.reader.formats)) for field in form],
        }

    def do_save(self) -> HttpResponse:
        form = self.bound_form()
        back = self.list_address()
        if not form.is_valid():
            return self.show_refused(form, **self.context())
        changed = form.changed(self.values())
        if not changed:
            return self.report_unchanged(back)
        answer = self.ask("PUT", f"{self.kind.path}/{self.params['id']}", None, self.body(changed))
        if not answer.ok:
            form.refuse(answer)
            return self.show_refused(form, **self.context())
        return self.redirect_with_toast(self.saved, back, undo=answer.job)

    def bound_form(self) -> Form:
        """Return the form with the browser's input, which keeps the changes of others since then."""
        return self.form(self.values()).bind(self.request.POST, self.changed_by())

    def do_delete(self) -> HttpResponse:
        back = self.list_address()
        answer = self.ask("DELETE", self.kind.path, None, {"ids": [self.params["id"]]})
        if not answer.ok:
            return self.refuse(answer, self.request.path)
        return self.redirect_with_toast(self.deleted, back, undo=answer.job)


def shown_value(field: BoundField, formats: Formats) -> str:
    """Write a field's value as people read it."""
    value = field.value()
    if field.kind == "switch":
        return _("Yes") if value else _("No")
    if field.kind in ("date", "datetime") and value:
        return dated_text(str(value), formats)
    if isinstance(value, int | float) and not isinstance(value, bool) and field.kind == "number":
        return number_text(value)
    labels = {option.value: option.label for option in field.options}
    return ", ".join(str(labels.get(text, text)) for text in field.chosen)
