"""The fields of the lists of buying."""

from __future__ import annotations

from core.lists import FieldSet, ListField

DATES = (
    ListField("createdAt", "date", "created_at", nullable=False),
    ListField("updatedAt", "date", "updated_at", nullable=False),
)
SUBSCRIPTION_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("status", "text", "status", nullable=False, searchable=True),
        ListField("isPrimary", "boolean", "is_primary", nullable=False),
        ListField("periodEnd", "date", "period_end"),
        *DATES,
    ],
    default_sort=("createdAt",),
    default_search=("status",),
)
PAYMENT_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("number", "text", "number", nullable=False, searchable=True),
        ListField("status", "text", "status", nullable=False),
        ListField("state", "text", "bank_state", nullable=False),
        ListField("reference", "text", "reference", nullable=False, searchable=True),
        *DATES,
    ],
    default_sort=("createdAt",),
    default_search=("number", "reference"),
)
INVOICE_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("number", "text", "number", searchable=True),
        ListField("status", "text", "status", nullable=False),
        ListField("kind", "text", "kind", nullable=False),
        ListField("issuedAt", "date", "issued_at"),
        ListField("paidAt", "date", "paid_at"),
        *DATES,
    ],
    default_sort=("createdAt",),
    default_search=("number",),
)
CREDIT_NOTE_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("number", "text", "number", nullable=False, searchable=True),
        ListField("invoiceNumber", "text", "invoice__number", searchable=True),
        *DATES,
    ],
    default_sort=("createdAt",),
    default_search=("number", "invoiceNumber"),
)
TRANSACTION_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("kind", "text", "kind", nullable=False),
        ListField("by", "text", "by", nullable=False, searchable=True),
        ListField("invoiceNumber", "text", "invoice__number", searchable=True),
        *DATES,
    ],
    default_sort=("createdAt",),
    default_search=("by", "invoiceNumber"),
)
METHOD_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("label", "text", "label", nullable=False, searchable=True),
        ListField("isDefault", "boolean", "is_default", nullable=False),
        *DATES,
    ],
    default_sort=("createdAt",),
    default_search=("label",),
)
COUPON_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("code", "text", "code", nullable=False, searchable=True, ignore_case=True),
        ListField("name", "text", "name", nullable=False, searchable=True),
        ListField("endsAt", "date", "ends_at"),
        *DATES,
    ],
    default_sort=("createdAt",),
    default_search=("code", "name"),
)
