"""Back office page of the named messages."""

from __future__ import annotations

from typing import Any, ClassVar

from django import forms
from django.contrib import admin, messages
from django.db.models import F, Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.utils.translation import gettext, ngettext
from unfold.contrib.filters.admin import AllValuesCheckboxFilter, DropdownFilter, RadioFilter
from unfold.decorators import action, display
from unfold.widgets import UnfoldAdminFileFieldWidget

from core.backoffice.admin import BackOfficeAdmin, BackOfficeForm
from core.backoffice.panels import list_address
from core.messages.files import MAX_FILE_BYTES, export_texts, import_texts, problem_of
from core.messages.models import ResponseMessage
from core.messages.places import places_by_name
from core.text.translation import gettext_lazy as _
from core.types import JsonObject

MAX_PROBLEMS = 20
"""The most rows of a file whose problems the form shows."""


class ResponseMessageForm(BackOfficeForm):
    """The form of a message. A failure keeps a status from 400 to 599, a success one from 200 to 299."""

    def clean(self) -> JsonObject:
        values: JsonObject = super().clean() or self.cleaned_data
        if "status" in values and (problem := problem_of(self.instance, str(values["status"]), self.instance.text)):
            self.add_error("status", problem)
        if "text" in values and (problem := problem_of(self.instance, str(self.instance.status), values["text"])):
            self.add_error("text", problem)
        return values


class FileForm(forms.Form):
    """A CSV file of message texts."""

    file = forms.FileField(
        label=_("CSV file"), help_text=_("Columns: name, status, text."), widget=UnfoldAdminFileFieldWidget()
    )

    def clean_file(self) -> str:
        """Return the text of the file."""
        file = self.cleaned_data["file"]
        if file.size > MAX_FILE_BYTES:
            raise forms.ValidationError(gettext("Choose a file of up to 1 MB."))
        try:
            return str(file.read().decode())
        except UnicodeDecodeError:
            raise forms.ValidationError(gettext("Save the file as UTF-8.")) from None


class Edited(RadioFilter):
    """Messages that differ from their defaults."""

    title = _("Changed by staff")
    parameter_name = "edited"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("yes", gettext("Changed")), ("no", gettext("Default"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[ResponseMessage]) -> QuerySet[ResponseMessage]:
        same = Q(default_text=None) | Q(status=F("default_status"), text=F("default_text"))
        return {"yes": queryset.exclude(same), "no": queryset.filter(same)}.get(self.value() or "", queryset)


class Area(DropdownFilter):
    """Messages of one area of the product."""

    title = _("area")
    parameter_name = "area"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(area, str(area)) for area in sorted({entry.area for entry in places_by_name().values()})]

    def queryset(self, request: HttpRequest, queryset: QuerySet[ResponseMessage]) -> QuerySet[ResponseMessage]:
        if not self.value():
            return queryset
        return queryset.filter(
            name__in=[name for name, entry in places_by_name().items() if entry.area == self.value()]
        )


@admin.register(ResponseMessage)
class ResponseMessageAdmin(BackOfficeAdmin):
    """Text and status of named messages. Edits take effect within seconds."""

    icon = "translate"
    form = ResponseMessageForm
    list_display = ("text", "area", "status", "edited", "name")
    list_filter = (Area, Edited, ("status", AllValuesCheckboxFilter))
    actions_list = ("export_file", "import_file")
    search_fields = ("=id", "name", "text", "default_text", "=status")
    search_help_text = _("Text, name or status")
    ordering = ("name",)
    edits = ("status", "text")
    hides = ("default_status", "default_text")
    extra = ("area", "edited", "default")
    commands = ("reset",)
    when: ClassVar[Any] = {"reset": lambda message: message.is_edited}

    @display(description=_("edited"), label={_("Edited"): "warning"})
    def edited(self, message: ResponseMessage) -> str | None:
        return _("Edited") if message.is_edited else None

    @admin.display(description=_("area"))
    def area(self, message: ResponseMessage) -> str:
        entry = places_by_name().get(message.name)
        return str(entry.area) if entry else ""

    @action(description=_("Export"), url_path="export", permissions=["view"], icon="download")
    def export_file(self, request: HttpRequest) -> HttpResponse:
        """Return all texts as a CSV file."""
        response = HttpResponse(export_texts(), content_type="text/csv; charset=utf-8")
        response["Content-Disposition"] = 'attachment; filename="message-texts.csv"'
        return response

    @action(description=_("Import"), url_path="import", permissions=["command"], icon="upload")
    def import_file(self, request: HttpRequest) -> HttpResponse:
        """Show a form for a CSV file, and write its texts: all or none."""
        posted = (request.POST, request.FILES) if request.method == "POST" else (None, None)
        form = FileForm(*posted)
        back = list_address(ResponseMessage)
        if form.is_valid():
            changed, problems = import_texts(form.cleaned_data["file"])
            if not problems:
                for message in changed:
                    self.log_change(request, message, _("Imported."))
                text = ngettext("%(number)s text changed", "%(number)s texts changed", len(changed))
                self.message_user(request, text % {"number": len(changed)}, messages.SUCCESS)
                return HttpResponseRedirect(back)
            for problem in problems[:MAX_PROBLEMS]:
                text = gettext("Line %(line)s: %(problem)s")
                form.add_error(None, text % {"line": problem.line, "problem": problem.text})
        context = {
            **self.admin_site.each_context(request),
            "title": gettext("Import message texts"),
            "form": form,
            "back": back,
            "record": "CSV",
            "opts": self.opts,
        }
        return TemplateResponse(request, "admin/dialog.html", context)

    @admin.display(description=_("default"))
    def default(self, message: ResponseMessage) -> str:
        return _("None") if message.default is None else f"{message.default_status} {message.default_text}"

    @admin.display(description=_("Reset to the default"))
    def reset(self, request: HttpRequest, rows: QuerySet[ResponseMessage]) -> None:
        done = 0
        for message in rows:
            if message.default is not None:
                status, text = message.default
                message.status = status
                message.text = text
                message.save()
                self.log_change(request, message, _("Reset to the default."))
                done += 1
        text = ngettext("%(number)s text reset.", "%(number)s texts reset.", done)
        self.message_user(request, text % {"number": done}, messages.SUCCESS)
