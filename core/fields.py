"""Model fields that several apps need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
from django.db import models
from django.db.models.fields.json import KeyTransform

from core.crypto import decrypt, encrypt
from core.ids import ObjectIdField

if TYPE_CHECKING:
    _TextField = models.TextField[Any, Any]
    _EmailField = models.EmailField[Any, Any]
else:
    _TextField, _EmailField = models.TextField, models.EmailField

__all__ = ["CompanyForeignKey", "EncryptedTextField", "JSONField", "LowerEmailField", "ObjectIdField"]


class CompanyForeignKey(models.ForeignKey[Any, Any]):
    """A reference to a record of the same company.

    After migrating, core.tenancy.row_security makes it a foreign key on (company_id, id).
    """

    def __init__(self, to: Any, on_delete: Any, **options: Any) -> None:
        options["db_constraint"] = False
        super().__init__(to, on_delete, **options)


class JSONField(models.JSONField):
    """jsonb, parsed by orjson, since lists spend most of their time on it."""

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Any:
        if value is None or not isinstance(value, str) or isinstance(expression, KeyTransform):
            return super().from_db_value(value, expression, connection)
        return orjson.loads(value)


class EncryptedTextField(_TextField):
    """Text that is encrypted in the database. It cannot be filtered by."""

    def get_prep_value(self, value: Any) -> Any:
        return value if value in (None, "") else encrypt(str(value))

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Any:
        return value if value in (None, "") else decrypt(value)

    def get_lookup(self, lookup_name: str) -> Any:
        return super().get_lookup(lookup_name) if lookup_name == "isnull" else None


class LowerEmailField(_EmailField):
    """An e-mail address that ignores case: it is stored and looked up in lower case."""

    def get_prep_value(self, value: Any) -> Any:
        value = super().get_prep_value(value)
        return value.strip().lower() if isinstance(value, str) else value
