from __future__ import annotations

from django.db import models
from django.db.models import Q

from core.fields import CompanyForeignKey
from core.models import CompanyModel, CompanyRow
from core.search import SearchColumn
from core.tenancy.models import Owned
from core.text.folding import SortText
from crm.records.models import CustomValues, FieldValue, value_indexes


class Lead(CompanyModel):
    """A chance to sell something to a contact.

    System values are columns. Custom values are in `custom`, with LeadValue rows in addition.
    """

    owned = Owned("lead", "team_member_id", 1)

    contact = CompanyForeignKey("crm.Contact", on_delete=models.PROTECT, related_name="leads", db_index=False)
    status = models.CharField(
        max_length=100, help_text="A value of the system field status, whose options are the pipeline."
    )
    status_changed_at = models.DateTimeField(null=True, editable=False)
    pipeline = CompanyForeignKey(
        "crm.Pipeline", on_delete=models.PROTECT, null=True, blank=True, related_name="leads", db_index=False
    )
    stage = CompanyForeignKey(
        "crm.Stage",
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="leads",
        db_index=False,
        help_text="Null where the status is no option any more.",
    )
    lost_reason = CompanyForeignKey(
        "crm.LostReason", on_delete=models.SET_NULL, null=True, blank=True, related_name="leads", db_index=False
    )
    expected_close_at = models.DateTimeField(null=True, blank=True)
    source = models.CharField(max_length=100, blank=True)
    team = CompanyForeignKey(
        "crm.Team", on_delete=models.SET_NULL, null=True, blank=True, related_name="leads", db_index=False
    )
    team_member = CompanyForeignKey(
        "accounts.Member", on_delete=models.SET_NULL, null=True, blank=True, related_name="leads", db_index=False
    )
    value = models.DecimalField(
        max_digits=18,
        decimal_places=4,
        null=True,
        blank=True,
        help_text="What it may bring, in the company's currency.",
    )
    notes = models.TextField(blank=True)
    organization = CompanyForeignKey(
        "crm.Organization", on_delete=models.SET_NULL, null=True, blank=True, related_name="leads", db_index=False
    )
    custom = CustomValues(default=dict, blank=True)
    first_product = models.CharField(
        max_length=300,
        null=True,
        editable=False,
        help_text="The first name of its products, to sort by; kept by triggers.",
    )
    import_job = CompanyForeignKey(
        "crm.Import", on_delete=models.SET_NULL, null=True, related_name="leads", db_index=False
    )
    is_deleted = models.BooleanField(default=False, editable=False)
    deleted_at = models.DateTimeField(null=True, editable=False)
    merged_into = CompanyForeignKey(
        "self",
        on_delete=models.SET_NULL,
        null=True,
        editable=False,
        related_name="+",
        db_index=False,
        help_text="Where it went.",
    )
    created_by = CompanyForeignKey(
        "accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )
    updated_by = CompanyForeignKey(
        "accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )
    search = SearchColumn()

    class Meta(CompanyModel.Meta):
        indexes = [
            models.Index(fields=("company", "created_at", "id"), condition=Q(is_deleted=False), name="lead_newest"),
            models.Index(fields=("company", "created_at", "id"), condition=Q(is_deleted=True), name="lead_deleted"),
            models.Index(fields=("company", "status", "id"), condition=Q(is_deleted=False), name="lead_status"),
            # Without a condition: the removal of a pipeline or a stage also looks for deleted leads.
            models.Index(fields=("company", "pipeline", "created_at", "id"), name="lead_pipeline"),
            models.Index(fields=("company", "stage", "created_at", "id"), name="lead_stage"),
            models.Index(
                fields=("company", "lost_reason", "id"), condition=Q(lost_reason__isnull=False), name="lead_lost_reason"
            ),
            models.Index(
                fields=("company", "expected_close_at", "id"), condition=Q(is_deleted=False), name="lead_close"
            ),
            models.Index(fields=("company", "source", "id"), condition=Q(is_deleted=False), name="lead_source"),
            models.Index(fields=("company", "value", "id"), condition=Q(is_deleted=False), name="lead_value"),
            models.Index(
                fields=("company", "contact", "id"), include=("status", "is_deleted"), name="lead_same_contact"
            ),
            models.Index(fields=("team_member", "status"), condition=Q(is_deleted=False), name="lead_load"),
            # Without a condition: the deletion of a team also moves deleted leads, and its foreign key uses this index.
            models.Index(fields=("company", "team", "id"), name="lead_team"),
            models.Index(fields=("company", "team_member", "id"), condition=Q(is_deleted=False), name="lead_member"),
            models.Index(fields=("company", "created_by", "id"), condition=Q(is_deleted=False), name="lead_created_by"),
            models.Index(fields=("company", "updated_by", "id"), condition=Q(is_deleted=False), name="lead_updated_by"),
            *(
                models.Index("company", SortText(column), "id", condition=Q(is_deleted=False), name=f"lead_{name}_sort")
                for name, column in (("status", "status"), ("source", "source"), ("product", "first_product"))
            ),
            models.Index(fields=("id",), include=("company",), condition=Q(is_deleted=False), name="lead_live"),
            models.Index(fields=("company", "organization", "id"), name="lead_organization"),
            models.Index(fields=("company", "import_job", "id"), name="lead_import"),
            models.Index(fields=("merged_into",), condition=Q(merged_into__isnull=False), name="lead_merged"),
        ]

    def __str__(self) -> str:
        return str(self.contact)


class LeadValue(FieldValue):
    """The values of leads."""

    pk = models.CompositePrimaryKey("lead_id", "field_id", "position")
    lead = CompanyForeignKey("crm.Lead", on_delete=models.CASCADE, related_name="values", db_index=False)

    class Meta(FieldValue.Meta):
        indexes = value_indexes("lead", "leadvalue")


class LeadTag(CompanyModel):
    """A lead has a tag."""

    lead = CompanyForeignKey(Lead, on_delete=models.CASCADE, related_name="tag_links", db_index=False)
    tag = CompanyForeignKey("crm.Tag", on_delete=models.CASCADE, related_name="lead_links", db_index=False)

    class Meta(CompanyModel.Meta):
        constraints = [models.UniqueConstraint(fields=("lead", "tag"), name="leadtag_once")]
        indexes = [models.Index(fields=("tag", "lead"), name="leadtag_tag")]


class LeadProduct(CompanyModel):
    """A lead is about a product or service."""

    lead = CompanyForeignKey(Lead, on_delete=models.CASCADE, related_name="product_links", db_index=False)
    product_service = CompanyForeignKey(
        "crm.ProductService", on_delete=models.CASCADE, related_name="lead_links", db_index=False
    )

    class Meta(CompanyModel.Meta):
        constraints = [models.UniqueConstraint(fields=("lead", "product_service"), name="leadproduct_once")]
        indexes = [models.Index(fields=("product_service", "lead"), name="leadproduct_product")]


class StageChange(CompanyRow):
    """A lead has moved from a stage to another. A trigger writes it, whoever moves the lead."""

    pk = models.CompositePrimaryKey("lead_id", "changed_at")
    lead = CompanyForeignKey(Lead, on_delete=models.CASCADE, related_name="stage_changes", db_index=False)
    changed_at = models.DateTimeField()
    entered_at = models.DateTimeField(help_text="The time since which the lead was in the stage that it left.")
    from_stage = CompanyForeignKey(
        "crm.Stage", on_delete=models.SET_NULL, null=True, related_name="moves_out", db_index=False, editable=False
    )
    to_stage = CompanyForeignKey(
        "crm.Stage", on_delete=models.SET_NULL, null=True, related_name="moves_in", db_index=False, editable=False
    )
    member = CompanyForeignKey(
        "accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False, editable=False
    )

    class Meta(CompanyRow.Meta):
        indexes = [
            models.Index(fields=("company", "changed_at"), name="stagechange_time"),
            models.Index(fields=("company", "from_stage", "changed_at"), name="stagechange_from"),
            models.Index(fields=("company", "to_stage"), name="stagechange_to"),
            models.Index(fields=("company", "member"), name="stagechange_member"),
        ]
