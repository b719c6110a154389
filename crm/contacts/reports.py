"""The report about contacts."""

from __future__ import annotations

from django.db.models import Q

from core.reports import Grouping, Report, Source, count, filter_condition
from core.text.translation import gettext_lazy
from crm.contacts.selectors import live_contacts
from crm.organizations.reports import BY_ORGANIZATION

CONTACTS = Report(
    name="contacts",
    title=gettext_lazy("Contacts"),
    about=gettext_lazy("Contacts added in the period, and their replies and unsubscribes since."),
    modules=("contact",),
    place=30,
    sources=(
        Source(
            rows=lambda actor: live_contacts(),
            at="created_at",
            path="contact",
            at_field="createdAt",
            by=(
                Grouping(
                    "import",
                    gettext_lazy("Import"),
                    "import_job_id",
                    label="import_job__file__name",
                    field="importId",
                    empty=gettext_lazy("Not imported"),
                ),
                Grouping(
                    "category",
                    gettext_lazy("Category"),
                    "category_id",
                    label="category__name",
                    field="category",
                    empty=gettext_lazy("No category"),
                ),
                Grouping(
                    "tag",
                    gettext_lazy("Tag"),
                    "tag_links__tag_id",
                    label="tag_links__tag__name",
                    field="tags",
                    empty=gettext_lazy("No tag"),
                    overlaps=True,
                ),
                BY_ORGANIZATION,
                Grouping(
                    "owner",
                    gettext_lazy("Owner"),
                    "owner_id",
                    label="owner__name",
                    field="owner",
                    empty=gettext_lazy("No owner"),
                ),
                Grouping(
                    "member",
                    gettext_lazy("Added by"),
                    "created_by_id",
                    label="created_by__name",
                    field="createdBy",
                    empty=gettext_lazy("Nobody"),
                ),
            ),
            columns=(
                count("added", gettext_lazy("Added")),
                count(
                    "answered",
                    gettext_lazy("Replied"),
                    Q(replied_at__isnull=False),
                    filter_condition("repliedAt", "isNotEmpty"),
                ),
                count(
                    "unsubscribed",
                    gettext_lazy("Unsubscribed"),
                    Q(unsubscribed_at__isnull=False),
                    filter_condition("unsubscribed", "equals", True),
                ),
            ),
        ),
    ),
)

REPORTS = (CONTACTS,)
