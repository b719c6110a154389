"""The report about contacts."""

from __future__ import annotations

from django.db.models import Q

from core.reports import By, Report, Source, condition, count
from crm.contacts.selectors import live_contacts

CONTACTS = Report(
    name="contacts",
    title="Contacts",
    about="Contacts that were added in the period, and how many of these have replied or unsubscribed since.",
    modules=("contact",),
    place=30,
    sources=(
        Source(
            rows=lambda actor: live_contacts(),
            at="created_at",
            path="contact",
            at_field="createdAt",
            by=(
                By(
                    "import",
                    "Import",
                    "import_job_id",
                    label="import_job__file__name",
                    field="importId",
                    empty="Not imported",
                ),
                By(
                    "category",
                    "Category",
                    "category_id",
                    label="category__name",
                    field="category",
                    empty="No category",
                ),
                By(
                    "tag",
                    "Tag",
                    "tag_links__tag_id",
                    label="tag_links__tag__name",
                    field="tags",
                    empty="No tag",
                    overlaps=True,
                ),
                By("member", "Added by", "created_by_id", label="created_by__name", field="createdBy", empty="Nobody"),
            ),
            columns=(
                count("added", "Added"),
                count(
                    "answered",
                    "Replied since",
                    Q(replied_at__isnull=False),
                    condition("repliedAt", "isNotEmpty"),
                ),
                count(
                    "unsubscribed",
                    "Unsubscribed since",
                    Q(unsubscribed_at__isnull=False),
                    condition("unsubscribed", "equals", True),
                ),
            ),
        ),
    ),
)

REPORTS = (CONTACTS,)
