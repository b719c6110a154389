from __future__ import annotations

from django.db import models
from django.db.models import Q

from core.fields import CompanyForeignKey
from core.models import CompanyModel
from core.search import SearchColumn
from core.tenancy.models import Owned
from core.text.domains import MAX_DOMAIN
from crm.organizations.names import MAX_KEY
from crm.records.models import CustomValues, FieldValue, value_indexes


class Organization(CompanyModel):
    """A firm or other body that contacts work at.

    System values are columns. Custom values are in `custom`, with OrganizationValue rows in addition.
    """

    owned = Owned("contact", "owner_id", 3)

    name = models.CharField(max_length=300)
    sort_name = models.CharField(
        max_length=300,
        null=True,
        editable=False,
        db_collation="C",
        help_text="What names are sorted by, without case and accents; a trigger keeps it.",
    )
    name_key = models.CharField(
        max_length=MAX_KEY,
        blank=True,
        default="",
        db_collation="C",
        editable=False,
        help_text="The name without case, punctuation and legal form, by which contacts find it.",
    )
    domain = models.CharField(max_length=MAX_DOMAIN, null=True, blank=True, help_text="Lower case, IDNA, without www.")
    owner = CompanyForeignKey(
        "accounts.Member",
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="organizations",
        db_index=False,
    )
    custom = CustomValues(default=dict, blank=True)
    import_job = CompanyForeignKey(
        "crm.Import", on_delete=models.SET_NULL, null=True, related_name="organizations", db_index=False
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
            models.Index(
                fields=("company", "created_at", "name", "id"),
                condition=Q(is_deleted=False),
                name="organization_newest",
            ),
            models.Index(
                fields=("company", "created_at", "name", "id"),
                condition=Q(is_deleted=True),
                name="organization_deleted",
            ),
            models.Index(fields=("company", "name", "id"), name="organization_name"),
            models.Index(fields=("company", "sort_name", "id"), name="organization_sort_name"),
            models.Index(
                fields=("company", "name_key", "id"), condition=Q(is_deleted=False), name="organization_name_key"
            ),
            models.Index(fields=("company", "domain", "id"), condition=Q(is_deleted=False), name="organization_domain"),
            models.Index(fields=("company", "owner", "id"), name="organization_owner"),
            models.Index(
                fields=("company", "updated_at", "id"), condition=Q(is_deleted=False), name="organization_changed"
            ),
            models.Index(fields=("id",), include=("company",), condition=Q(is_deleted=False), name="organization_live"),
            models.Index(fields=("company", "import_job", "id"), name="organization_import"),
            models.Index(fields=("merged_into",), condition=Q(merged_into__isnull=False), name="organization_merged"),
        ]

    def __str__(self) -> str:
        return self.name


class OrganizationValue(FieldValue):
    """The values of organizations."""

    pk = models.CompositePrimaryKey("organization_id", "field_id", "position")
    organization = CompanyForeignKey(
        "crm.Organization", on_delete=models.CASCADE, related_name="values", db_index=False
    )

    class Meta(FieldValue.Meta):
        indexes = value_indexes("organization", "organizationvalue")


class OrganizationTag(CompanyModel):
    """An organization has a tag."""

    organization = CompanyForeignKey(Organization, on_delete=models.CASCADE, related_name="tag_links", db_index=False)
    tag = CompanyForeignKey("crm.Tag", on_delete=models.CASCADE, related_name="organization_links", db_index=False)

    class Meta(CompanyModel.Meta):
        constraints = [models.UniqueConstraint(fields=("organization", "tag"), name="organizationtag_once")]
        indexes = [models.Index(fields=("tag", "organization"), name="organizationtag_tag")]
