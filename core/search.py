"""Text search by index: which records can contain a text at all, before anybody reads them.

A table has a column of grams with a GIN index: each is three bytes of the record's texts as a number, and the database makes them itself
whatever writes (migrations core 0004 and crm 0012). A record that contains a text has all grams of it. So a condition on grams is implied
by the one on the text, which stays beside it and has the last word: a gram may belong to another company's text, or stand in another place.
The conditions are core.lists.narrowing.
"""

from __future__ import annotations

from typing import Any

from django.db.models import Field, Model


class SearchColumn(Field):
    """The column of grams: in conditions it has its name, and no instance, form, insert or migration knows of it."""

    generated = True

    def __init__(self) -> None:
        super().__init__(editable=False, null=True)

    def contribute_to_class(self, cls: type[Model], name: str, private_only: bool = False) -> None:
        self.set_attributes_from_name(name)
        self.concrete = False
        self.model = cls
        cls._meta.add_field(self, private=True)

    def db_type(self, connection: Any) -> str:
        return "integer[]"
