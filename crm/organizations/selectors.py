"""Reads of organizations that are more than a filter."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from django.db.models import QuerySet

from core.text.company_names import names_company
from core.types import JsonObject
from crm.organizations.models import Organization


def live_organizations() -> QuerySet[Organization]:
    """Return the organizations of the active company that are not deleted."""
    return Organization.objects.filter(is_deleted=False)


def missing_organizations(ids: Iterable[str | None]) -> set[str]:
    """Return those of the ids that belong to no live organization of the company."""
    organization_ids = {id for id in ids if id}
    if not organization_ids:
        return set()
    return organization_ids - set(live_organizations().filter(pk__in=organization_ids).values_list("pk", flat=True))


@dataclass(frozen=True, slots=True)
class Employers:
    """The names of contacts' organizations, which stand for the text in their company field."""

    key: str
    """Key of the text field; empty if the company has none."""
    names: dict[str, str] = field(default_factory=dict)
    """Id -> name of the organizations that have been read."""

    @classmethod
    def of_fields(cls, rows: Iterable[tuple[str, str, str, str]]) -> Employers:
        """Return the employers for a company's fields of contacts: (key, name, field type, value type), the oldest
        first."""
        texts = ((key, name) for key, name, kind, type in rows if kind == "text" and type in ("string", "any"))
        keys = (key for key, name in texts if names_company(name, key))
        return cls(next(keys, ""))

    def read(self, ids: Iterable[str | None]) -> None:
        """Read the names of organizations, with one query for those that are not known yet."""
        unread = {id for id in ids if id} - self.names.keys()
        if unread:
            self.names.update(Organization.objects.filter(pk__in=unread).values_list("pk", "name"))

    def name_of(self, organization_id: str | None, custom: JsonObject) -> str:
        """Return the name of a contact's organization, else the text of its company field; empty without both."""
        self.read([organization_id])
        return self.names.get(organization_id or "") or str(custom.get(self.key) or "")

    def custom_of(self, organization_id: str | None, custom: JsonObject) -> JsonObject:
        """Return a contact's custom values with the name of its organization."""
        name = self.name_of(organization_id, custom) if self.key else ""
        return {**custom, self.key: name} if name else custom
