"""The base of all back office pages: read-only by default, without secrets, and fast on large tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from django.contrib import messages
from django.contrib.admin import display
from django.contrib.admin.filters import AllValuesFieldListFilter, FieldListFilter
from django.contrib.admin.views.main import ChangeList as DjangoChangeList
from django.core.exceptions import PermissionDenied
from django.db import models, transaction
from django.db.models import QuerySet
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext
from unfold.admin import ModelAdmin
from unfold.contrib.filters.admin import AutocompleteSelectFilter
from unfold.views import ChangeList

from core.backoffice.columns import capitalize_lazily, display_field, field_of
from core.backoffice.dialogs import Action, DialogMixin, name_inputs
from core.backoffice.display import TECHNICAL, DisplayMixin, is_secret
from core.backoffice.inputs import ColorSelect
from core.backoffice.paginator import LimitedPaginator
from core.backoffice.panels import panels_of
from core.errors import ApiError
from core.fields import CompanyForeignKey
from core.internals.django import ValidatedFields
from core.tenancy import company_scope
from core.tenancy.models import CompanyRow
from core.text.labels.words import value_label
from core.types import JsonObject

if TYPE_CHECKING:
    _ModelForm = ModelForm[Any]
else:
    _ModelForm = ModelForm

BY_COMPANY = ("company", AutocompleteSelectFilter)
"""A list filter: one company, with autocompletion."""


class BackOfficeForm(ValidatedFields, _ModelForm):
    """A form that checks constraints with the company, which no form edits."""

    validated = frozenset({"company"})


class CodesFilter(AllValuesFieldListFilter):
    """A list filter by the stored codes of a column without choices, which it shows as words."""

    def choices(self, changelist: DjangoChangeList) -> Iterator[Any]:
        for choice in super().choices(changelist):
            choice["display"] = value_label(self.field.name, str(choice["display"]))
            yield choice


class PreparedChangeList(ChangeList):
    """A list for which the ModelAdmin reads data for all rows of a page at once (`prepare`)."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        self.result_list: Any = list(self.result_list)
        self.model_admin.prepare(request, self.result_list)
        self.model_admin.name_rows(self.result_list)

    def get_filters(self, request: HttpRequest) -> Any:
        """Return the filters, whose titles and choices are words for people."""
        filters, *rest = super().get_filters(request)
        for entry in filters:
            if isinstance(entry, FieldListFilter):
                entry.field = display_field(entry.field)
                entry.title = entry.field.verbose_name
        return filters, *rest


class BackOfficeAdmin(DisplayMixin, DialogMixin, ModelAdmin):
    """Base of the ModelAdmins. `edits` names the editable fields; `adds` and `deletes` allow both.

    What its pages show is core.backoffice.display's. `commands` names methods `(request, queryset)` that are actions
    of lists and buttons on record pages; they need the change permission. `dialogs` names those that show a form first
    (core.backoffice.dialogs), `when` which states admit them.
    """

    adds = False
    deletes = False
    commands: tuple[str, ...] = ()
    operators_only = False
    """Only the operator needs these records, so the menu lists them last."""
    finds = False
    """The search of the menu includes these records."""
    icon = "data_object"

    form = BackOfficeForm
    ordering: ClassVar[Any] = ("-id",)
    list_per_page = 50
    list_max_show_all = 200
    list_filter_submit = True
    show_full_result_count = False
    show_facets = False
    paginator = LimitedPaginator
    save_on_top = False
    warn_unsaved_form = True
    change_form_outer_before_template = "admin/record_head.html"

    # Permissions

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self.adds and super().has_add_permission(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(self.edits) and super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.deletes and super().has_delete_permission(request, obj)

    def has_command_permission(self, request: HttpRequest) -> bool:
        """Return whether the user may run commands, even on records without editable fields."""
        return request.user.has_perm(f"{self.opts.app_label}.change_{self.opts.model_name}")

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        names = ("view", "change")
        return any(request.user.has_perm(f"{self.opts.app_label}.{name}_{self.opts.model_name}") for name in names)

    # Display

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        if self.fields:
            return list(self.fields)
        fields = self.shown_fields()
        if obj is None:
            return [name for name in fields if name in self.edits]
        edited, rest = (
            [name for name in fields if name in self.edits],
            [name for name in fields if name not in self.edits],
        )
        return [*edited, *self.extra, *sorted(rest, key=TECHNICAL.__contains__)]

    def get_list_filter(self, request: HttpRequest) -> list[Any]:
        return [(name, CodesFilter) if self._has_codes(name) else name for name in super().get_list_filter(request)]

    def _has_codes(self, name: object) -> bool:
        """Return whether a filter is a text column of this model whose values have no declared words."""
        field = field_of(self, name) if isinstance(name, str) else None
        return isinstance(field, models.CharField) and not field.choices

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[DjangoChangeList]:
        return PreparedChangeList

    def prepare(self, request: HttpRequest, rows: list[Any]) -> None:
        """Read data for the columns of these rows that select_related cannot, in a fixed number of queries."""

    def formfield_for_dbfield(self, db_field: models.Field[Any, Any], request: HttpRequest, **kwargs: Any) -> Any:
        if isinstance(db_field, models.URLField):
            kwargs["assume_scheme"] = "https"
        if db_field.name == "color":
            kwargs["widget"] = ColorSelect()
        return super().formfield_for_dbfield(display_field(db_field), request, **kwargs)

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        name = lookup.partition("__")[0]
        field = next((field for field in self.opts.concrete_fields if name in (field.name, field.attname)), None)
        return (field is None or not is_secret(field)) and super().lookup_allowed(lookup, value, request)

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: JsonObject | None = None,
    ) -> HttpResponse:
        context = {**(extra_context or {}), "show_save_and_add_another": False}
        record = self.get_object(request, object_id) if object_id else None
        if record is not None and self.has_view_permission(request, record):
            context |= {"title": capitalize_lazily(str(self.opts.verbose_name)), "panels": panels_of(record, request)}
            context |= {
                "lead": self.lead(record),
                "trouble": self.error_of(record),
                "summary": self.filled_summary(record),
            }
            context |= {
                "record_actions": self.record_actions(request, record),
                "commands_address": self._address("command", record.pk),
            }
        response: HttpResponse = super().changeform_view(request, object_id, form_url, context)
        return response

    def get_form(
        self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any
    ) -> type[ModelForm[Any]]:
        """Return the form, whose references offer records of the same company only."""
        form: type[ModelForm[Any]] = super().get_form(request, obj, change, **kwargs)
        name_inputs(form.base_fields)
        for field in self.opts.concrete_fields:
            if obj is not None and isinstance(field, CompanyForeignKey) and field.name in form.base_fields:
                choices: Any = form.base_fields[field.name]
                choices.queryset = choices.queryset.filter(company_id=obj.company_id)
        return form

    # Commands

    def log_change(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        """Log a change; a text that ends with an empty note ends without a space."""
        return super().log_change(request, obj, message.strip() if isinstance(message, str) else message)

    def get_actions(self, request: HttpRequest) -> JsonObject:
        actions: JsonObject = super().get_actions(request)
        if self.has_command_permission(request):
            for name in self.commands:
                method = getattr(type(self), name)
                actions[name] = (
                    method,
                    name,
                    getattr(method, "short_description", name.replace("_", " ").capitalize()),
                )
        return actions

    def record_actions(self, request: HttpRequest, record: Any) -> list[Action]:
        """Return the buttons of a record's page: those allowed by its state, the primary one first."""
        actions = self.get_actions(request)
        offered = [name for name in self.commands if name in actions and self.admits(record, name)]
        buttons = [Action(name, str(actions[name][2])) for name in offered] + self.offered_dialogs(request, record)
        buttons.sort(key=lambda action: action.name in self.last)
        if buttons and buttons[0].name not in self.last:
            buttons[0] = replace(buttons[0], wanted=True)
        return buttons

    def changelist_view(self, request: HttpRequest, extra_context: JsonObject | None = None) -> HttpResponse:
        title = {"title": capitalize_lazily(str(self.opts.verbose_name_plural))}
        response: HttpResponse = super().changelist_view(request, {**title, **(extra_context or {})})
        return response

    def _address(self, what: str, *args: str) -> str:
        return reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_{what}", args=args)

    def get_urls(self) -> list[URLPattern]:
        name = f"{self.opts.app_label}_{self.opts.model_name}_command"
        command = path("<path:object_id>/command/", self.admin_site.admin_view(self.command_view), name=name)
        return [command, *super().get_urls()]

    def command_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Run a command on one record, for a button on its page."""
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        name = request.POST.get("command", "")
        if name not in self.commands or name not in self.get_actions(request):
            raise PermissionDenied
        answer = getattr(self, name)(request, self.get_queryset(request).filter(pk=object_id))
        return answer or HttpResponseRedirect(self._address("change", object_id))

    def each(
        self, request: HttpRequest, rows: Iterable[Any], do: Callable[[Any], object], done: str, *, atomic: bool = True
    ) -> None:
        """Run `do` for each record, inside its company if it has one. Report the successes and the errors.

        `atomic` wraps each in a transaction; `do` must not talk to other servers then.
        """
        succeeded = 0
        for row in rows:
            company = getattr(row, "company_id", None)
            try:
                with (
                    transaction.atomic() if atomic else nullcontext(),
                    company_scope(company) if company else nullcontext(),
                ):
                    do(row)
            except ApiError as error:
                self.message_user(request, f"{row}: {error.detail or error}", messages.ERROR)
            else:
                succeeded += 1
                self.log_change(request, row, str(done))
        if succeeded:
            text = gettext("%(done)s: %(number)s") % {"done": done, "number": f"{succeeded:,}"}
            self.message_user(request, text, messages.SUCCESS)


def command(
    title: str, do: Callable[[Any], object], done: str, *, limit: int | None = None
) -> Callable[[BackOfficeAdmin, HttpRequest, QuerySet[Any]], None]:
    """Return a command, to be assigned in a ModelAdmin: `do` for each of the records, or for `limit` of them."""

    @display(description=title)
    def run(page: BackOfficeAdmin, request: HttpRequest, rows: QuerySet[Any]) -> None:
        page.each(request, rows[:limit], do, done)

    return run


def command_of(target: type[BackOfficeAdmin]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give the records of a domain a command that it knows nothing of: a method of the ModelAdmin."""

    def add(method: Callable[..., Any]) -> Callable[..., Any]:
        setattr(target, method.__name__, method)
        target.commands = (*target.commands, method.__name__)
        return method

    return add


class CompanyRecordAdmin(BackOfficeAdmin):
    """Pages of records that belong to a company. Writes happen inside the company, which never changes."""

    list_filter: Any = (BY_COMPANY,)
    list_select_related: Any = ("company",)

    def save_model(self, request: HttpRequest, obj: CompanyRow, form: Any, change: bool) -> None:
        with company_scope(obj.company_id):
            super().save_model(request, obj, form, change)

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        with company_scope(obj.company_id):
            super().delete_model(request, obj)
