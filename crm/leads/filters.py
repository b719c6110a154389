"""The fields that lists of leads are filtered, searched and sorted by."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce

from core.lists import FieldSet, ListField, ManyField, RelationField
from core.lists.fields import Condition, expression_column
from core.lists.prefilter import Prefilter
from core.text.addresses import phone_variants
from crm.leads.kind import LEAD
from crm.leads.models import LeadProduct, LeadTag
from crm.records.filters import column_field, custom_fields_of
from crm.segments.filters import SegmentField


def _tags() -> QuerySet[LeadTag]:
    return LeadTag.objects.filter(lead=OuterRef("pk"))


def _products() -> QuerySet[LeadProduct]:
    return LeadProduct.objects.filter(lead=OuterRef("pk"))


class ProductNames(ListField):
    """The names of a lead's products: filters match any of them, sorts use the first."""

    many = True

    def __init__(self) -> None:
        super().__init__("productServices.name", "text", "first_product", searchable=True)

    def where(self, condition: Condition) -> Q:
        return Q(Exists(_products().filter(condition(expression_column("product_service__name")))))

    def where_not(self, condition: Condition) -> Q:
        return ~self.where(condition)


OWN, CONTACTS = Prefilter(), Prefilter("contact__search")
"""Narrow a search by the lead's own texts, and by its contact's."""

# A lead that was made as won has never changed its status.
DECIDED_AT = Coalesce("status_changed_at", "created_at")
"""Time since which a lead has its status."""

LEAD_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        column_field(LEAD, "contact"),
        ListField(
            "contact.name",
            "text",
            "contact__name",
            searchable=True,
            nullable=False,
            prefilter=CONTACTS,
            sorted_by="contact__sort_name",
        ),
        ListField("contact.email", "text", "contact__email", searchable=True, ignore_case=True, prefilter=CONTACTS),
        ListField(
            "contact.contactNumber",
            "text",
            "contact__contact_number",
            searchable=True,
            prefilter=CONTACTS,
            query_variants=phone_variants,
            digits=True,
        ),
        column_field(LEAD, "status", searchable=True, prefilter=OWN),
        column_field(LEAD, "statusChangedAt"),
        ListField("decidedAt", "date", DECIDED_AT, sortable=False, nullable=False),
        column_field(LEAD, "pipeline"),
        RelationField("pipeline.name", "text", "pipeline", "name", searchable=True),
        column_field(LEAD, "stage"),
        RelationField("stage.name", "text", "stage", "name", searchable=True),
        RelationField("stage.kind", "text", "stage", "kind"),
        RelationField("stage.probability", "number", "stage", "probability"),
        column_field(LEAD, "lostReason", sortable=False),
        ListField("lostReason.name", "text", "lost_reason__name", searchable=True, sortable=False),
        column_field(LEAD, "expectedCloseAt"),
        column_field(LEAD, "source", searchable=True, prefilter=OWN),
        column_field(LEAD, "value"),
        column_field(LEAD, "notes", searchable=True, prefilter=OWN),
        ManyField("productServices", "id", _products, "product_service_id"),
        ProductNames(),
        column_field(LEAD, "team"),
        RelationField("team.name", "text", "team", "name", searchable=True),
        column_field(LEAD, "teamMember"),
        RelationField("teamMember.name", "text", "team_member", "name", searchable=True),
        RelationField("teamMember.email", "text", "team_member", "email", searchable=True),
        ListField("contact.organization", "id", "contact__organization_id", sortable=False),
        column_field(LEAD, "organization"),
        ListField("organization.name", "text", "organization__name", searchable=True, sortable=False),
        ListField("owner", "id", "team_member_id"),
        RelationField("owner.name", "text", "team_member", "name", searchable=True),
        RelationField("owner.email", "text", "team_member", "email", searchable=True),
        ManyField("tags", "id", _tags, "tag_id"),
        ManyField("tags.name", "text", _tags, "tag__name", searchable=True),
        SegmentField("lead"),
        ListField("importId", "id", "import_job_id"),
        RelationField("importId.file.name", "text", "import_job", "file__name", searchable=True),
        ListField("createdBy", "id", "created_by_id"),
        RelationField("createdBy.name", "text", "created_by", "name", searchable=True),
        RelationField("createdBy.email", "text", "created_by", "email", searchable=True),
        ListField("updatedBy", "id", "updated_by_id"),
        RelationField("updatedBy.name", "text", "updated_by", "name", searchable=True),
        RelationField("updatedBy.email", "text", "updated_by", "email", searchable=True),
        ListField("isDeleted", "boolean", "is_deleted", sortable=False, nullable=False),
        ListField("createdAt", "date", "created_at", nullable=False),
        ListField("updatedAt", "date", "updated_at", nullable=False),
    ],
    default_sort=("createdAt",),
    default_search=("contact.name", "contact.email", "contact.contactNumber"),
    dynamic=custom_fields_of(LEAD),
)
