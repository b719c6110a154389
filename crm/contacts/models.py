from __future__ import annotations

from django.db import models
from django.db.models import F, Func, Q
from django.db.models.functions import Upper

from core.fields import CompanyForeignKey
from core.models import CompanyModel
from core.search import SearchColumn
from core.tenancy.models import Owned
from core.text.translation import gettext_lazy as _
from crm.records.models import CustomValues, FieldValue, value_indexes

EMAIL_IDENTITY = """
CASE WHEN strpos(%(expressions)s, '@') > 1 THEN
    CASE WHEN split_part(lower(%(expressions)s), '@', 2) IN ('gmail.com', 'googlemail.com')
    THEN 'gmail.com@' || replace(
        coalesce(nullif(split_part(split_part(lower(%(expressions)s), '@', 1), '+', 1), ''), split_part(lower(%(expressions)s), '@', 1)),
        '.', '')
    ELSE split_part(lower(%(expressions)s), '@', 2) || '@' ||
        coalesce(nullif(split_part(split_part(lower(%(expressions)s), '@', 1), '+', 1), ''), split_part(lower(%(expressions)s), '@', 1))
    END
END"""  # noqa: E501  the migrations hold the same text
"""Equal for addresses that reach the same person: it ignores case, plus tags and, at Gmail, dots.

The domain comes first, so that the index keeps the addresses of a domain together.
"""


class Contact(CompanyModel):
    """A person or organisation that a company knows.

    System values are columns. Custom values are in `custom` (uniqueFieldID -> value), which is authoritative;
    CustomFieldValue rows copy them for filters and sorts.
    """

    owned = Owned("contact", "owner_id", 2, via=("crm_lead", "contact_id"))

    name = models.CharField(max_length=300, blank=True)
    sort_name = models.CharField(
        max_length=300,
        null=True,
        editable=False,
        db_collation="C",
        help_text="What names are sorted by, without case and accents; a trigger keeps it. Null without a name.",
    )
    email = models.CharField(max_length=254, null=True, blank=True)
    country_code = models.CharField(max_length=5, null=True, blank=True, help_text=_("Dialling code, such as +49."))
    number = models.CharField(
        max_length=20, null=True, blank=True, help_text="National significant number, digits only."
    )
    contact_number = models.CharField(max_length=20, null=True, blank=True, editable=False, help_text="Both, as E.164.")
    email_key = models.CharField(
        max_length=254,
        null=True,
        editable=False,
        help_text="Lower-case address, while e-mail is part of the unique key.",
    )
    number_key = models.CharField(
        max_length=20, null=True, editable=False, help_text="E.164, while the number is part of the unique key."
    )
    email_identity = models.GeneratedField(
        expression=Func(F("email"), template=EMAIL_IDENTITY, output_field=models.TextField()),
        output_field=models.CharField(max_length=300, null=True, db_collation="C"),
        db_persist=True,
        help_text="What duplicates are found by; the database keeps it.",
    )
    category = CompanyForeignKey(
        "crm.ContactCategory", on_delete=models.SET_NULL, null=True, blank=True, related_name="contacts", db_index=False
    )
    organization = CompanyForeignKey(
        "crm.Organization", on_delete=models.SET_NULL, null=True, blank=True, related_name="contacts", db_index=False
    )
    owner = CompanyForeignKey(
        "accounts.Member", on_delete=models.SET_NULL, null=True, blank=True, related_name="contacts", db_index=False
    )
    custom = CustomValues(default=dict, blank=True)
    import_job = CompanyForeignKey(
        "crm.Import", on_delete=models.SET_NULL, null=True, related_name="contacts", db_index=False
    )
    unsubscribed_at = models.DateTimeField(null=True, blank=True)
    replied_at = models.DateTimeField(null=True, blank=True, help_text="When a reply to outreach was last received.")
    is_deleted = models.BooleanField(default=False, editable=False)
    deleted_at = models.DateTimeField(null=True, editable=False)
    erased_at = models.DateTimeField(
        null=True, editable=False, help_text="When all that is personal was removed; the row stays blank."
    )
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
        constraints = [
            models.UniqueConstraint(
                fields=("company", "email_key"), condition=Q(is_deleted=False), name="contact_email_unique"
            ),
            models.UniqueConstraint(
                fields=("company", "number_key"), condition=Q(is_deleted=False), name="contact_number_unique"
            ),
        ]
        indexes = [
            models.Index(
                fields=("company", "created_at", "name", "id"), condition=Q(is_deleted=False), name="contact_newest"
            ),
            models.Index(
                fields=("company", "created_at", "name", "id"), condition=Q(is_deleted=True), name="contact_deleted"
            ),
            # A new contact takes over the leads of deleted ones with its key.
            models.Index(
                fields=("company", "email_key"),
                condition=Q(is_deleted=True, email_key__isnull=False),
                name="contact_deleted_email",
            ),
            models.Index(
                fields=("company", "number_key"),
                condition=Q(is_deleted=True, number_key__isnull=False),
                name="contact_deleted_number",
            ),
            # Leads are sorted by contacts that may be deleted, so these three indexes have no condition.
            models.Index(fields=("company", "name", "id"), name="contact_name"),
            models.Index(fields=("company", "sort_name", "id"), name="contact_sort_name"),
            models.Index("company", Upper("email"), "id", name="contact_email"),
            models.Index(
                fields=("company", "contact_number", "id"), include=("is_deleted",), name="contact_same_number"
            ),
            models.Index(
                fields=("company", "email_identity", "id"),
                condition=Q(is_deleted=False, email_identity__isnull=False),
                name="contact_same_email",
            ),
            # Counts of filtered lists check for each match whether its contact is live; this index spares reading the
            # contact.
            models.Index(fields=("id",), include=("company",), condition=Q(is_deleted=False), name="contact_live"),
            # Runs count who has replied since; this index spares reading everybody else.
            models.Index(
                fields=("id",),
                include=("company", "replied_at"),
                condition=Q(replied_at__isnull=False),
                name="contact_replied",
            ),
            models.Index(fields=("company", "number", "id"), condition=Q(is_deleted=False), name="contact_number"),
            models.Index(fields=("company", "category", "id"), name="contact_category"),
            models.Index(fields=("company", "organization", "id"), name="contact_organization"),
            # Members read their own contacts newest first, so the index has that order.
            models.Index(fields=("company", "owner", "created_at", "name", "id"), name="contact_owner"),
            models.Index(fields=("company", "import_job", "id"), name="contact_import"),
            models.Index(fields=("merged_into",), condition=Q(merged_into__isnull=False), name="contact_merged"),
        ]

    def __str__(self) -> str:
        return self.name or self.email or self.contact_number or self.dated_title()


class CustomFieldValue(FieldValue):
    """The values of contacts."""

    pk = models.CompositePrimaryKey("contact_id", "field_id", "position")
    contact = CompanyForeignKey("crm.Contact", on_delete=models.CASCADE, related_name="values", db_index=False)

    class Meta(FieldValue.Meta):
        indexes = value_indexes("contact", "fieldvalue")


class ContactTag(CompanyModel):
    """A contact has a tag."""

    contact = CompanyForeignKey(Contact, on_delete=models.CASCADE, related_name="tag_links", db_index=False)
    tag = CompanyForeignKey("crm.Tag", on_delete=models.CASCADE, related_name="contact_links", db_index=False)

    class Meta(CompanyModel.Meta):
        constraints = [models.UniqueConstraint(fields=("contact", "tag"), name="contacttag_once")]
        indexes = [models.Index(fields=("tag", "contact"), name="contacttag_tag")]
