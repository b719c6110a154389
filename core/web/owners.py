"""Owners of records: the field of a form, and the members to choose from."""

from __future__ import annotations

from functools import cached_property

from django.utils.translation import gettext as _

from core.types import JsonObject, Values
from core.web.forms import Field, Form, Option
from core.web.pages import Page


class OwnedPage(Page):
    """Shared parts of the pages of records with an owner."""

    @cached_property
    def members(self) -> list[Option]:
        """The members who can look after a record."""
        return self.options_of("member", fields="name,email", filters={"status": ["owner", "accepted"]})

    def owner_field(self) -> Field:
        return Field("owner", _("Owner"), "select", options=self.members)

    def first_values(self) -> JsonObject:
        """Return the values of a new record's form: who makes it owns it."""
        return {"owner": self.actor.member_id} if self.actor.member_id else {}

    def unchosen_owner(self, form: Form) -> JsonObject:
        """Return the owner of a new record for readers who see no members to choose from."""
        return {} if "owner" in form.fields else self.first_values()


def owner_of(record: Values) -> str:
    """Return the id of a record's owner, by which the form knows it."""
    return str((record["owner"] or {}).get("_id", ""))
