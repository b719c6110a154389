"""Display of records in the back office: lists with one line a value, and pages that start with the main values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar

from django.core.exceptions import FieldDoesNotExist, ValidationError
from django.db import models
from django.http import HttpRequest
from django.utils.safestring import SafeString
from unfold.utils import display_for_label

from core.backoffice.columns import Column, field_of, make_column
from core.backoffice.references import Of, ids_in, is_known, names_of, title_needs
from core.backoffice.values import NOTHING, Names, display_value, is_empty
from core.fields import EncryptedTextField
from core.ids import is_id
from core.text.translation import gettext_lazy as _

SECRETS = frozenset({"password", "key_hash", "token_hash", "lease"})
"""Fields that no page shows, in addition to every EncryptedTextField."""

TECHNICAL = frozenset(
    {"id", "created_at", "updated_at", "created_by", "updated_by", "due_at", "worker", "attempts", "deaths", "busy_ms"}
    | {"pause_requested", "cancel_requested", "error", "error_detail", "family", "dedupe_key", "digest", "hashes"}
    | {"path", "claimed_at", "look_at", "looked_at", "decimals"}
)
"""Fields that are folded away on a record's page, with any value."""
FOLDED = _("Technical details")


def is_secret(field: models.Field[Any, Any]) -> bool:
    """Return whether a field must never be rendered."""
    return isinstance(field, EncryptedTextField) or field.name in SECRETS


class DisplayMixin:
    """A ModelAdmin whose lists and pages show values as people write them.

    A record's page opens with `summary`, by default the columns of the list. Below are the fields that can be edited
    and those that hold something; technical and empty ones are folded away.
    """

    opts: Any
    admin_site: Any
    fields: Any
    fieldsets: Any
    form: Any
    exclude: Any
    list_display: Any
    list_select_related: Any

    edits: tuple[str, ...] = ()
    hides: tuple[str, ...] = ()
    """Fields that no page shows."""
    folds: tuple[str, ...] = ()
    """Further technical fields of a record's page."""
    extra: tuple[str, ...] = ()
    """Methods and inputs of the form that a record's page shows with the fields."""
    refers: ClassVar[Mapping[str, Of]] = {}
    """Column of ids without a foreign key -> the model that they are the ids of."""
    labels: ClassVar[Mapping[str, str]] = {}
    """Column labels on these pages, where those of the model or the glossary are not good enough."""
    title_needs: tuple[str, ...] = ()
    """References that the model's __str__ reads; lists of its records select them with the query."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._columns: dict[tuple[str, bool, bool], Column | str] = {}
        super().__init__(*args, **kwargs)

    # Methods for admins to override

    def summary(self, record: Any) -> Iterable[tuple[str, Any]]:
        """Return the main data of a record: names and values. By default the columns of its list."""
        names = [name for name in self.list_display[1:] if name not in ("progress", "__str__")]
        for column in (self.column(name, brief=True) for name in names):
            if callable(column):
                yield column.short_description, column(record)  # type: ignore[attr-defined]
            else:
                yield from self._themed_column(column, record)

    def error_of(self, record: Any) -> str:
        """Return the error of the record, with advice."""
        return str(getattr(record, "error", "") or getattr(record, "last_error", "") or "")

    def lead(self, record: Any) -> str:
        """Return HTML above the summary."""
        return ""

    # Lists

    def column(self, name: str, *, brief: bool = False, linked: bool = True) -> Column | str:
        """Return the callable that shows a column; always the same one, since the theme compares them."""
        key = (name, brief, linked)
        if key not in self._columns:
            self._columns[key] = make_column(self, name, brief=brief, linked=linked)
        return self._columns[key]

    def get_list_display(self, request: HttpRequest) -> list[Any]:
        names = super().get_list_display(request)  # type: ignore[misc]
        return [self.column(name, brief=True, linked=place > 0) for place, name in enumerate(names)]

    def get_list_select_related(self, request: HttpRequest) -> Any:
        declared = self.list_select_related if isinstance(self.list_select_related, tuple | list) else ()
        return tuple(dict.fromkeys([*declared, *self.title_needs, *self._related(self.list_display)])) or False

    def _related(self, names: Iterable[Any] | None = None) -> list[str]:
        """Return the references among the names (by default all), and those that the titles of the referenced
        records need."""
        paths = []
        for field in self.opts.concrete_fields:
            if not field.is_relation or (names is not None and field.name not in names):
                continue
            needs = title_needs(self.admin_site, field.related_model)
            paths += [field.name, *(f"{field.name}__{need}" for need in needs)]
        return paths

    # Names in the place of ids

    def names_for(self, record: Any) -> Names:
        """Return the links that replace the ids in the record; a list prefetches them for its rows."""
        names: Names | None = record.__dict__.get("_backoffice_names")
        if names is None:
            fields = [field.name for field in self.opts.concrete_fields if self._may_name(field)]
            names = record.__dict__["_backoffice_names"] = names_of(ids_in(record, self.refers, fields))
        return names

    def name_rows(self, rows: Iterable[Any]) -> None:
        """Read the names of the ids in a list's columns, by one query for each kind of records."""
        rows = list(rows)
        fields = [
            field.name
            for name in self.list_display
            if isinstance(name, str) and (field := field_of(self, name)) and self._may_name(field)
        ]
        names = names_of(reference for row in rows for reference in ids_in(row, self.refers, fields)) if fields else {}
        for row in rows:
            row.__dict__["_backoffice_names"] = names

    def _may_name(self, field: models.Field[Any, Any]) -> bool:
        readable = not self.is_hidden(field)
        refers = field.name in self.refers or is_known(field.name)
        return readable and not field.is_relation and (refers or isinstance(field, models.JSONField))

    # A record's page

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        """Return the record with all that it refers to. A page that is only read asks once."""
        cache: dict[Any, Any] = request.__dict__.setdefault("_backoffice_records", {})
        key = (self.opts.label, object_id, from_field)
        if request.method != "GET" or key not in cache:
            rows = self.get_queryset(request).select_related(None)  # type: ignore[attr-defined]
            related = self._related()
            field = self.opts.pk if from_field is None else self.opts.get_field(from_field)
            try:
                value = field.to_python(object_id)
                rows = rows.select_related(*related) if related else rows
                cache[key] = rows.filter(**{field.name: value}).first()
            except (ValueError, TypeError, ValidationError, FieldDoesNotExist):
                cache[key] = None
        return cache[key]

    def shown_fields(self) -> list[str]:
        """Return the names of the fields that a page may show."""
        return [field.name for field in self.opts.concrete_fields if not self.is_hidden(field)]

    def is_hidden(self, field: models.Field[Any, Any]) -> bool:
        """Return whether no page shows a field: a secret, or one that the admin hides or excludes."""
        return is_secret(field) or field.name in self.hides or field.name in (self.exclude or ())

    def parts(self, request: HttpRequest, record: Any) -> tuple[list[str], list[Any], list[Any]]:
        """Return the parts of a record's page: names to edit, columns with a value, folded columns."""
        names = self.get_fields(request, record)  # type: ignore[attr-defined]
        inputs = getattr(self.form, "declared_fields", {})
        may = self.has_change_permission(request, record)  # type: ignore[attr-defined]
        edited = [name for name in names if may and (name in self.edits or name in inputs)]
        facts: list[Any] = []
        folded: list[Any] = []
        for name in names:
            if name in edited or (name in inputs and field_of(self, name) is None):
                continue
            (folded if self._folds(name, record) else facts).append(self.column(name))
        return edited, facts, folded

    def _folds(self, name: str, record: Any) -> bool:
        """Return whether a field is folded away: technical, empty, shown above, or false."""
        field = field_of(self, name)
        if field is None:
            return False
        if name in TECHNICAL or name in self.folds or name in self.list_display:
            return True
        value = getattr(record, field.attname)
        unnamed = is_id(value) and not field.is_relation and value not in self.names_for(record)
        return is_empty(value) or value is False or value == 0 or unnamed

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        if obj is None or self.fieldsets or self.fields:
            return super().get_fieldsets(request, obj)  # type: ignore[misc,no-any-return]
        edited, facts, folded = self.parts(request, obj)
        fieldsets: list[Any] = []
        if edited:
            fieldsets.append((None, {"fields": edited}))
        if facts:
            fieldsets.append((_("Details"), {"fields": facts}))
        if folded:
            fieldsets.append((FOLDED, {"fields": folded, "classes": ["collapse"]}))
        return fieldsets

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        if obj is None or self.fieldsets or self.fields:
            return super().get_readonly_fields(request, obj)  # type: ignore[misc]
        _, facts, folded = self.parts(request, obj)
        return [*facts, *folded]

    def filled_summary(self, record: Any) -> list[tuple[str, Any]]:
        """Return the summary without empty values."""
        facts = ((name, display_value(value, brief=True)) for name, value in self.summary(record))
        return [(name, value) for name, value in facts if value is not NOTHING]

    def _themed_column(self, name: str, record: Any) -> Iterable[tuple[str, SafeString | str]]:
        """Yield a column that the theme dresses up, as it does."""
        method: Callable[[Any], Any] = getattr(self, name)
        label = getattr(method, "label", None)
        value = method(record)
        if label and value is not None:
            description = str(getattr(method, "short_description", name.replace("_", " ")))
            yield description[:1].upper() + description[1:], display_for_label(value, "–", label)
