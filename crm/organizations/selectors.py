"""Reads of organizations that are more than a filter."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import QuerySet

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
