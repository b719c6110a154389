"""The fields of the list of quotes."""

from __future__ import annotations

from django.db.models import BooleanField, ExpressionWrapper, Q

from accounts.snapshots.filters import authorship_fields
from core.lists import FieldSet, ListField
from core.lists.fields import Condition, expression_column


class Current(ListField):
    """A filter: the quote is the latest version."""

    def __init__(self) -> None:
        super().__init__("current", "boolean", "replaced_by_id", sortable=False, nullable=False)

    def where(self, condition: Condition) -> Q:
        latest = ExpressionWrapper(Q(replaced_by=None), output_field=BooleanField())
        return condition(expression_column(latest))


QUOTE_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("number", "text", "number", searchable=True, nullable=False),
        ListField("version", "number", "version", nullable=False),
        Current(),
        ListField("title", "text", "title", searchable=True, nullable=False),
        ListField("status", "text", "status", nullable=False),
        ListField("lead", "id", "lead_id", nullable=False),
        ListField("contact", "id", "contact_id", nullable=False),
        ListField("contact.name", "text", "contact__name", searchable=True),
        ListField("organization", "id", "lead__organization_id"),
        ListField("organization.name", "text", "lead__organization__name", searchable=True),
        ListField("owner", "id", "owner_id"),
        ListField("owner.name", "text", "owner__name", searchable=True),
        ListField("currency", "text", "currency", nullable=False),
        ListField("net", "number", "net", nullable=False),
        ListField("total", "number", "total", nullable=False),
        ListField("validUntil", "date", "valid_until", nullable=False),
        ListField("sentAt", "date", "sent_at"),
        ListField("viewedAt", "date", "viewed_at"),
        ListField("answeredAt", "date", "answered_at"),
        *authorship_fields(),
    ],
    default_sort=("createdAt",),
    default_search=("number", "title", "contact.name"),
)
