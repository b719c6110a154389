"""The fields that lists of organizations are filtered, searched and sorted by."""

from __future__ import annotations

from django.db.models import OuterRef, QuerySet

from accounts.snapshots.filters import authorship_fields
from core.lists import FieldSet, ListField, ManyField, RelationField
from core.lists.prefilter import Prefilter
from crm.organizations.kind import ORGANIZATION
from crm.organizations.models import OrganizationTag
from crm.records.filters import column_field, custom_fields_of


def _tags() -> QuerySet[OrganizationTag]:
    return OrganizationTag.objects.filter(organization=OuterRef("pk"))


TEXTS = Prefilter()
"""Narrows a search by the organization's own texts."""

ORGANIZATION_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        column_field(ORGANIZATION, "name", searchable=True, prefilter=TEXTS, sorted_by="sort_name"),
        column_field(ORGANIZATION, "domain", searchable=True, prefilter=TEXTS, sorted_by="domain"),
        column_field(ORGANIZATION, "owner"),
        RelationField("owner.name", "text", "owner", "name", searchable=True),
        RelationField("owner.email", "text", "owner", "email", searchable=True),
        ManyField("tags", "id", _tags, "tag_id"),
        ManyField("tags.name", "text", _tags, "tag__name", searchable=True),
        ListField("importId", "id", "import_job_id"),
        *authorship_fields(searchable=True),
        ListField("isDeleted", "boolean", "is_deleted", sortable=False, nullable=False),
    ],
    default_search=("name", "domain"),
    dynamic=custom_fields_of(ORGANIZATION),
)
