"""Model fields that several apps need."""

from __future__ import annotations

from typing import Any

import orjson
from django.db import models
from django.db.models.fields.json import KeyTransform

from core.crypto import decrypt, encrypt
from core.ids import ObjectIdField

__all__ = ["CompanyForeignKey", "EncryptedTextField", "JSONField", "LowerEmailField", "ObjectIdField"]


class CompanyForeignKey(models.ForeignKey):
    """A reference to a record of the same company, which core.tenancy.row_security makes a foreign key on (company_id, id) after migrating."""

    def __init__(self, to: Any, on_delete: Any, **options: Any) -> None:
        options["db_constraint"] = False
        super().__init__(to, on_delete, **options)


class JSONField(models.JSONField):
    """jsonb, parsed by orjson: a list's rows spend most of their time here."""

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Any:
        if value is None or not isinstance(value, str) or isinstance(expression, KeyTransform):
            return super().from_db_value(value, expression, connection)
        return orjson.loads(value)


class EncryptedTextField(models.TextField):
    """Text that is encrypted in the database and plain in Python; it cannot be filtered by."""

    def get_prep_value(self, value: Any) -> Any:
        return value if value in (None, "") else encrypt(str(value))

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Any:
        return value if value in (None, "") else decrypt(value)

    def get_lookup(self, lookup_name: str) -> Any:
        return super().get_lookup(lookup_name) if lookup_name == "isnull" else None


class LowerEmailField(models.EmailField):
    """An address that is compared without its case: stored and looked up in lower case."""

    def get_prep_value(self, value: Any) -> Any:
        value = super().get_prep_value(value)
        return value.strip().lower() if isinstance(value, str) else value
