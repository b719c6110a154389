"""Text search by index: a column of trigrams finds the records that can contain a text.

A table has a column of trigrams with a GIN index. Each trigram is three bytes of the record's texts as a number, and
the database computes them itself (the first migrations of core and crm). A record that contains a text has all its
trigrams, so the condition on the text implies the one on trigrams.

The condition on the text is still needed: a trigram may belong to another company's text or to another position.
core.lists.prefilter creates the conditions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db.models import Field, Model

if TYPE_CHECKING:
    _Field = Field[Any, Any]
else:
    _Field = Field


class SearchColumn(_Field):
    """The column of trigrams: conditions can name it; instances, forms, inserts and migrations don't know it."""

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
