"""Dialogs: commands that show a form first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.forms import ChoiceField, Field, Form, ModelChoiceField
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html

from core.backoffice.panels import render_figures
from core.errors import ApiError
from core.text.labels.choices import choice_label
from core.text.labels.words import name_label
from core.types import JsonObject


@dataclass(frozen=True)
class Dialog:
    """The title of a button, its form, and the permission that it needs."""

    title: str
    form: type[Form]
    permission: str


@dataclass(frozen=True)
class Action:
    """A button of a record's page: a command, or with an address a dialog. The primary one is highlighted."""

    name: str
    title: str
    address: str = ""
    wanted: bool = False


def has_status(*statuses: str) -> Callable[[Any], bool]:
    """Return a condition of `when`: the record has one of these statuses."""
    return lambda record: record.status in statuses


def dialog_action(
    form: type[Form], title: str, *, permission: str
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Turn a ModelAdmin's method `(request, record, **cleaned_data)` into a dialog. It may return a response.

    The form shows an ApiError that it raises. The admin names the method in its `dialogs`.
    """

    def mark(method: Callable[..., Any]) -> Callable[..., Any]:
        method.dialog = Dialog(title, form, permission)  # type: ignore[attr-defined]
        return method

    return mark


def name_inputs(fields: Mapping[str, Field]) -> None:
    """Give labels from the glossary to the inputs that have none."""
    for name, field in fields.items():
        field.label = field.label or name_label(name)
        if isinstance(field, ChoiceField) and not isinstance(field, ModelChoiceField):
            choices: Any = field.choices
            field.choices = [(value, choice_label(str(label))) for value, label in choices]


class DialogMixin:
    """A ModelAdmin with a button for each of `dialogs` on record pages."""

    dialogs: tuple[str, ...] = ()

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.dialog_view)  # type: ignore[attr-defined]
        return [path("<path:object_id>/ask/<slug:name>/", view, name=self._dialog_url), *super().get_urls()]  # type: ignore[misc]

    @property
    def _dialog_url(self) -> str:
        opts = self.opts  # type: ignore[attr-defined]
        return f"{opts.app_label}_{opts.model_name}_ask"

    when: ClassVar[Mapping[str, Callable[[Any], bool]]] = {}
    """Dialog or command -> whether the record's state admits it. Without a condition it is always on offer."""
    last: tuple[str, ...] = ("cancel", "expire", "end", "remove", "block", "reject", "revoke", "remove_second_factor")
    """Destructive commands: they come last, and none is ever the primary one."""

    def offered_dialogs(self, request: HttpRequest, record: Any) -> list[Action]:
        """Return the dialogs that the request's user may open for the record."""
        dialogs = [(name, getattr(self, name).dialog) for name in self.dialogs]
        return [
            Action(
                name,
                f"{self.dialog_title(record, name)}…",
                reverse(f"admin:{self._dialog_url}", args=(record.pk, name)),
            )
            for name, dialog in dialogs
            if request.user.has_perm(dialog.permission) and self.admits(record, name)
        ]

    def admits(self, record: Any, name: str) -> bool:
        """Return whether the record's state admits a dialog or command, so that its page offers it."""
        condition = self.when.get(name)
        return condition is None or bool(condition(record))

    def dialog_title(self, record: Any, name: str) -> str:
        """Return the text of a dialog's buttons for the record."""
        dialog: Dialog = getattr(self, name).dialog
        return dialog.title

    def dialog_initial(self, record: Any, name: str) -> JsonObject:
        """Return the values that a dialog's form begins with."""
        return {}

    def dialog_facts(self, record: Any, name: str) -> Iterable[tuple[str, Any]]:
        """Return the data above a dialog's form: names and values."""
        return ()

    def dialog_view(self, request: HttpRequest, object_id: str, name: str) -> HttpResponse:
        """Show the form, and run the method with its data."""
        if name not in self.dialogs:
            raise Http404("there is no such dialog")
        method = getattr(self, name)
        dialog: Dialog = method.dialog
        if not request.user.has_perm(dialog.permission) or not self.has_view_permission(request):  # type: ignore[attr-defined]
            raise PermissionDenied
        record = self.get_object(request, unquote(object_id))  # type: ignore[attr-defined]
        if record is None:
            raise Http404("there is no such record")
        posted = request.POST if request.method == "POST" else None
        form = dialog.form(posted, initial=self.dialog_initial(record, name))
        name_inputs(form.fields)
        place = reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_change", args=(record.pk,))  # type: ignore[attr-defined]
        if form.is_valid():
            try:
                return method(request, record, **form.cleaned_data) or HttpResponseRedirect(place)
            except ApiError as error:
                form.add_error(None, error.detail or str(error))
        context = {
            **self.admin_site.each_context(request),  # type: ignore[attr-defined]
            "title": self.dialog_title(record, name),
            "content_subtitle": str(record),
            "form": form,
            "facts": render_figures(pairs) if (pairs := list(self.dialog_facts(record, name))) else "",
            "back": place,
            "record": format_html('<a class="backoffice-link" href="{}">{}</a>', place, record),
            "opts": self.opts,  # type: ignore[attr-defined]
        }
        return TemplateResponse(request, "admin/dialog.html", context)
