"""Model fields that several apps need."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import orjson
from django.db import models
from django.db.models.fields.json import KeyTransform
from django.db.models.fields.related_lookups import RelatedIn
from django.db.models.query_utils import DeferredAttribute

from core.crypto import decrypt, encrypt
from core.ids import IdsAsArray, ObjectIdField
from core.text.direction import strip_direction_marks
from core.types import Values

if TYPE_CHECKING:
    _TextField = models.TextField[Any, Any]
    _EmailField = models.EmailField[Any, Any]
    _CharField = models.CharField[Any, Any]
    _BigIntegerField = models.BigIntegerField[Any, Any]
else:
    _TextField = models.TextField
    _EmailField = models.EmailField
    _CharField = models.CharField
    _BigIntegerField = models.BigIntegerField

__all__ = [
    "CompanyForeignKey",
    "EncryptedTextField",
    "JSONField",
    "LowerEmailField",
    "NameField",
    "ObjectIdField",
    "TransactionIdField",
]


class CompanyForeignKey(models.ForeignKey[Any, Any]):
    """A reference to a record of the same company.

    After migrating, core.tenancy.row_security makes it a foreign key on (company_id, id).
    """

    def __init__(self, to: Any, on_delete: Any, **options: Any) -> None:
        # Django's own key would be on the id alone, and so let a reference leave its company.
        options["db_constraint"] = False
        super().__init__(to, on_delete, **options)


@CompanyForeignKey.register_lookup
class ReferenceIn(IdsAsArray, RelatedIn):
    """The lookup `in` of references."""


class NameField(_CharField):
    """A name that appears in sentences: it is stored without characters that change the direction of the text after
    it."""

    def get_prep_value(self, value: Any) -> Any:
        prepared = super().get_prep_value(value)
        return strip_direction_marks(prepared) if isinstance(prepared, str) else prepared

    def deconstruct(self) -> Any:
        name, _, positional, options = super().deconstruct()
        return name, "django.db.models.CharField", positional, options


class JSONField(models.JSONField):
    """jsonb, parsed by orjson, since lists spend most of their time on it."""

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Any:
        # A value taken out of JSON may be a plain string that is no JSON.
        if value is None or not isinstance(value, str) or isinstance(expression, KeyTransform):
            return super().from_db_value(value, expression, connection)
        return orjson.loads(value)


class TransactionIdField(_BigIntegerField):
    """The number of the transaction that wrote the row (xid8), which PostgreSQL sets."""

    def __init__(self, **options: Any) -> None:
        options["db_default"] = models.expressions.RawSQL("pg_current_xact_id()", ())  # noqa: S611  constant SQL
        options["editable"] = False
        super().__init__(**options)

    def deconstruct(self) -> Any:
        name, path, args, options = super().deconstruct()
        return name, path, args, {key: value for key, value in options.items() if key not in ("db_default", "editable")}

    def db_type(self, connection: Any) -> str:
        return "xid8"

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> int | None:
        return None if value is None else int(value)  # psycopg reads the type as text


class Sealed(str):
    """The encrypted text of a field, as the database has it."""

    __slots__ = ()


class _Secret(DeferredAttribute):
    """Decrypts the value whenever it is read, since only the record knows whether it may."""

    field: EncryptedTextField

    def __get__(self, instance: Any, cls: Any = None) -> Any:
        # Decrypted when it is asked for: a list of records costs no decryption.
        value = super().__get__(instance, cls)
        return self.field.open(value, InstanceRow(instance)) if isinstance(value, Sealed) else value

    def __set__(self, instance: Any, value: Any) -> None:
        instance.__dict__[self.field.attname] = value


class InstanceRow(Values):
    """The attributes of a record, by name."""

    def __init__(self, instance: models.Model) -> None:
        self.instance = instance

    def __getitem__(self, name: str) -> Any:
        return getattr(self.instance, name)

    def __iter__(self) -> Iterator[str]:
        return (field.attname for field in self.instance._meta.concrete_fields)

    def __len__(self) -> int:
        return len(self.instance._meta.concrete_fields)


class EncryptedTextField(_TextField):
    """Text that is encrypted in the database for one place: the table, column, company and id of a record.

    `bound_to` names further columns whose values are part of the place, such as the address that the secret is sent to.
    At another place or with other values it cannot be decrypted (SecretUnreadable).

    It is therefore written by saving the record or by bulk_create, never by a bare update, and no filter can use it. A
    queryset's values() are Sealed; `open` decrypts them.
    """

    descriptor_class = _Secret

    def __init__(self, *args: Any, bound_to: Sequence[str] = (), **options: Any) -> None:
        self.bound_to = tuple(bound_to)
        super().__init__(*args, **options)

    def deconstruct(self) -> Any:
        name, path, args, options = super().deconstruct()
        return name, path, args, {**options, "bound_to": self.bound_to} if self.bound_to else options

    def is_set(self, instance: models.Model) -> bool:
        """Return whether the instance has a secret, without decrypting it."""
        return bool(instance.__dict__.get(self.attname))

    def place(self, row: Values) -> list[str]:
        """Return the place that the secret of a row belongs to. The row needs the columns that `reads` names."""
        fields = {field.attname: field for field in self.model._meta.concrete_fields}
        values = (fields[name].to_python(row[name]) for name in self.reads)
        return [self.model._meta.db_table, str(self.column), *("" if value is None else str(value) for value in values)]

    @property
    def reads(self) -> tuple[str, ...]:
        """The attributes of a row that its secret is bound to."""
        options = self.model._meta
        names = {field.attname for field in options.concrete_fields}
        return (options.pk.attname, *({"company_id"} & names), *self.bound_to)

    def open(self, token: str, row: Values) -> str:
        """Decrypt the value that a row has. Raises SecretUnreadable."""
        return decrypt(token, self.place(row)) if token else token

    def seal(self, text: str, row: Values) -> Sealed:
        """Encrypt a text for a row."""
        return Sealed(encrypt(text, self.place(row)))

    def pre_save(self, model_instance: models.Model, add: bool) -> Any:
        value = model_instance.__dict__.get(self.attname)
        # A value that was not changed is written back as it was read, without a new nonce.
        if value and not isinstance(value, Sealed):
            value = model_instance.__dict__[self.attname] = self.seal(str(value), InstanceRow(model_instance))
        return value

    def get_prep_value(self, value: Any) -> Any:
        if value in (None, "") or isinstance(value, Sealed):
            return value
        # An update without a record has no id to bind the secret to.
        raise TypeError(f"{self.name} is encrypted for its record: set it there and save the record")

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Any:
        return Sealed(value) if value else value

    def get_lookup(self, lookup_name: str) -> Any:
        # Equal texts have different tokens, so no comparison could find anything.
        return super().get_lookup(lookup_name) if lookup_name == "isnull" else None


class LowerEmailField(_EmailField):
    """An email address that ignores case: it is stored and looked up in lower case."""

    def get_prep_value(self, value: Any) -> Any:
        value = super().get_prep_value(value)
        return value.strip().lower() if isinstance(value, str) else value
