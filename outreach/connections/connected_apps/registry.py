"""The registry of apps that companies connect. Each is one spec, from which its routes and its use of the plan derive.

docs/adding-a-connected-app.md describes how an app is added.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.db.models import Model, QuerySet

from core.api.input import Input
from core.api.output import Output, to_snake_case
from core.errors import NamedError, ValidationFailed
from core.fields import EncryptedTextField
from core.internals.rest_framework import declared_fields, declared_source
from core.lists import FieldSet
from core.types import Values

MODULE = "apps"
"""The permission module of all connected apps, and the module that plans limit them by."""


class Capability(StrEnum):
    """The services of a connected app for the company."""

    SEND_MAIL = "send_mail"
    SEND_CHAT = "send_chat"
    RECEIVE_MAIL = "receive_mail"
    COMPOSE = "compose"
    FIND_LEADS = "find_leads"
    ENRICH = "enrich"
    STORE_FILES = "store_files"
    READ_PICTURES = "read_pictures"
    RECEIVE_LEADS = "receive_leads"


@dataclass(frozen=True, kw_only=True)
class AppOperation:
    """An operation of an app's API. ConnectedApp documents the arguments and the result of each `run`."""

    summary: str
    run: Callable[..., Any]
    success: str
    input: type[Input] | None = None
    output: type[Output] | None = None
    """None: the app's own output."""
    errors: tuple[str, ...] = ()
    description: str = ""


@dataclass(frozen=True, kw_only=True, eq=False)
class ConnectedApp:
    """An app that companies connect. Operations that are None do not exist."""

    key: str
    """The path below /apps, and the name of the app in stored records."""
    model: type[Model]
    """Has an `is_active` column and stores its secrets in EncryptedTextFields."""
    rows: Callable[[], QuerySet[Any]]
    """The active company's records of this app; several apps may share a model."""
    fields: FieldSet
    output: type[Output]
    secrets: tuple[str, ...]
    """The encrypted columns of the model; no output and no list field may read them.

    Each names in `bound_to` the columns that it belongs to, such as host and port. These change only together with it
    (`record_to_change`).
    """
    capabilities: frozenset[Capability]
    provider: type[Any] | None = None
    """The class that does the app's work; with COMPOSE a subclass of AiProvider."""
    not_found: Callable[[], NamedError]
    """Returns the error for an id that the company has no app of."""
    list_summary: str
    retrieve_summary: str
    create: AppOperation
    """run(member_id=..., **values of the body) returns the new record."""
    update: AppOperation
    """run(id=..., member_id=..., **values of the body); reads the record by `record_to_change`."""
    delete: AppOperation | None = None
    """run(ids=..., member_id=...) returns the data of the answer."""
    nothing_selected: str = ""
    """The name of the error of a deletion that selects nothing, if the app has its own."""
    test: AppOperation | None = None
    """run(id=...) tests the connection and returns a dataclass with the fields of the answer."""

    def record_to_change(self, id: str, values: Values) -> Any:
        """Return the record, locked until the transaction ends.

        Raises `not_found`, and ValidationFailed when the values would send a stored secret to a place that it was not
        given for. Values without a secret keep the stored one.
        """
        record = self.rows().select_for_update(of=("self",)).filter(pk=id).first()
        if record is None:
            raise self.not_found()
        for secret in self.secrets:
            moved = [] if secret in values else self._changed_bindings(record, secret, values)
            if moved:
                name, places = self._input_name(secret), ", ".join(map(self._input_name, moved))
                raise ValidationFailed(
                    f"{name} is required with a change of {places}",
                    "enter it again to change the connection settings",
                    field=name,
                )
        return record

    def _changed_bindings(self, record: Model, secret: str, values: Values) -> list[str]:
        """Return the columns that the stored secret is bound to and that the values change."""
        field = self.model._meta.get_field(secret)
        if not isinstance(field, EncryptedTextField) or not field.is_set(record):
            return []
        return [name for name in field.bound_to if name in values and values[name] != getattr(record, name)]

    def _input_name(self, column: str) -> str:
        fields = declared_fields(self.update.input).items() if self.update.input else ()
        return next(
            (name for name, field in fields if (declared_source(field) or to_snake_case(name)) == column), column
        )


CONNECTED_APPS: dict[str, ConnectedApp] = {}
"""Key -> app, in the order of registration."""


def register_app(app: ConnectedApp) -> None:
    """Register the app, so that companies can connect it."""
    if app.key in CONNECTED_APPS:
        raise ImproperlyConfigured(f"two connected apps have the key {app.key}")
    CONNECTED_APPS[app.key] = app


def apps_with(capability: Capability) -> Mapping[str, ConnectedApp]:
    """Return the apps with the capability by their keys."""
    return {key: app for key, app in CONNECTED_APPS.items() if capability in app.capabilities}
