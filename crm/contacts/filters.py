"""The fields that lists of contacts are filtered, searched and sorted by."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db.models import BooleanField, ExpressionWrapper, OuterRef, Q, QuerySet

from core.lists import FieldSet, ListField, ManyField, RelationField
from core.lists.prefilter import Prefilter
from core.text.addresses import phone_variants
from crm.contacts.kind import CONTACT
from crm.contacts.models import Contact, ContactTag
from crm.records.filters import column_field, custom_fields_of
from crm.segments.filters import SegmentField


def _tags() -> object:
    return ContactTag.objects.filter(contact=OuterRef("pk"))


def _activities(condition: Q) -> Callable[[], QuerySet[Any]]:
    def rows() -> QuerySet[Any]:
        # By the relation: activities stand above contacts, which import nothing of them.
        model: Any = Contact._meta.get_field("activities").related_model
        activities: QuerySet[Any] = model.objects.filter(condition, contact=OuterRef("pk"))
        return activities

    return rows


def _mail(*events: str) -> Q:
    return Q(kind="mail", details__event__in=events)


ENGAGED = ("opened", "clicked", "replied")
"""Events of emails that the contact causes."""
ACTIVE = _mail(*ENGAGED) | Q(kind="meeting", details__event="created") | Q(kind__in=("call", "note", "created"))
"""Activities of the contact or with the contact: what only members or machines do is none."""
TEXTS = Prefilter()
"""Narrows a search by the contact's own texts."""

CONTACT_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        column_field(CONTACT, "name", searchable=True, prefilter=TEXTS, sorted_by="sort_name"),
        column_field(CONTACT, "email", searchable=True, ignore_case=True, prefilter=TEXTS),
        column_field(CONTACT, "countryCode", searchable=True, prefilter=TEXTS, digits=True),
        *(
            column_field(CONTACT, name, searchable=True, prefilter=TEXTS, query_variants=phone_variants, digits=True)
            for name in ("number", "contactNumber")
        ),
        column_field(CONTACT, "category"),
        RelationField("category.name", "text", "category", "name", searchable=True),
        column_field(CONTACT, "organization"),
        ListField("organization.name", "text", "organization__name", searchable=True, sortable=False),
        column_field(CONTACT, "owner"),
        RelationField("owner.name", "text", "owner", "name", searchable=True),
        RelationField("owner.email", "text", "owner", "email", searchable=True),
        ManyField("tags", "id", _tags, "tag_id"),  # type: ignore[arg-type]
        ManyField("tags.name", "text", _tags, "tag__name", searchable=True),  # type: ignore[arg-type]
        SegmentField("contact"),
        ListField("importId", "id", "import_job_id"),
        ListField("createdBy", "id", "created_by_id"),
        ListField("createdBy.name", "text", "created_by__name", searchable=True),
        ListField("createdBy.email", "text", "created_by__email", searchable=True),
        ListField("updatedBy", "id", "updated_by_id"),
        ListField("updatedBy.name", "text", "updated_by__name", searchable=True),
        ListField("updatedBy.email", "text", "updated_by__email", searchable=True),
        ListField(
            "unsubscribed",
            "boolean",
            ExpressionWrapper(Q(unsubscribed_at__isnull=False), BooleanField()),
            nullable=False,
        ),
        column_field(CONTACT, "unsubscribedAt"),
        column_field(CONTACT, "repliedAt", sortable=False),
        ManyField("activity.at", "date", _activities(ACTIVE), "happened_at"),
        ManyField("emails.sentAt", "date", _activities(_mail("sent")), "happened_at"),
        ManyField("emails.openedAt", "date", _activities(_mail(*ENGAGED)), "happened_at"),
        ListField("isDeleted", "boolean", "is_deleted", sortable=False, nullable=False),
        ListField("createdAt", "date", "created_at", nullable=False),
        ListField("updatedAt", "date", "updated_at", nullable=False),
    ],
    default_search=("name", "email", "contactNumber"),
    dynamic=custom_fields_of(CONTACT),
)
