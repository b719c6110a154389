"""A page of settings over one address of the API."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

from django.http import HttpResponse
from django.utils.translation import gettext as _

from core.types import JsonObject, Values
from core.web.forms import Form
from core.web.pages import Page
from core.web.records import shown_value


class SettingsForm(Page):
    """A form over one address of the API, GET and PUT. Who may not change it reads its values."""

    template = "web/settings/form.html"
    resource: ClassVar[str]
    form_class: ClassVar[type[Form]]

    def form(self, values: Values | None = None) -> Form:
        """Return the form, with the values if they are given."""
        return self.form_class(initial=values)

    @cached_property
    def current(self) -> Values:
        """Return the values of now, by the names of the form."""
        values: Values = self.read(self.resource).data
        return values

    def body(self, values: Values) -> JsonObject:
        return dict(values)

    def field_name(self, path: str) -> str:
        """Return the form's name of a path in the body."""
        return path

    def show(self) -> Values:
        form = self.form(self.current)
        if self.may(self.module, "PUT"):
            return {"form": form}
        return {
            "form": None,
            "facts": [(field.label, shown_value(field, self.reader.formats)) for field in form],
        }

    def do_save(self) -> HttpResponse:
        form = self.form(self.current).bind(self.request.POST)
        if not form.is_valid():
            return self.page({"form": form}, status=422)
        changed = form.changed(self.current)
        if not changed:
            return self.report_unchanged()
        answer = self.ask("PUT", self.resource, None, self.body(changed))
        if not answer.ok:
            form.refuse(answer, self.field_name)
            return self.page({"form": form}, status=422)
        return self.redirect_with_toast(_("Saved"))
