"""The report about organizations, and the grouping by organization of the reports about their contacts and leads."""

from __future__ import annotations

from functools import partial

from django.db.models import Q, QuerySet

from core.access import Actor
from core.reports import Grouping, Report, Source, count, filter_condition
from core.text.translation import gettext_lazy
from crm.organizations.models import Organization
from crm.organizations.selectors import live_organizations
from crm.records.months import in_month, month_labels, month_of

BY_ORGANIZATION = Grouping(
    "organization",
    gettext_lazy("Organization"),
    "organization_id",
    label="organization__name",
    field="organization",
    empty=gettext_lazy("No organization"),
)


def organizations_with_month(actor: Actor) -> QuerySet[Organization]:
    """Return the organizations with the month in which each was added, as 2027-03."""
    return live_organizations().annotate(created_month=month_of("created_at"))


ORGANIZATIONS = Report(
    name="organizations",
    title=gettext_lazy("Organizations"),
    about=gettext_lazy("Organizations added in the period."),
    modules=("contact",),
    place=31,
    sources=(
        Source(
            rows=organizations_with_month,
            at="created_at",
            path="organization",
            at_field="createdAt",
            by=(
                Grouping(
                    "month",
                    gettext_lazy("Month"),
                    "created_month",
                    labels=month_labels,
                    node=partial(in_month, "createdAt"),
                    ordered=True,
                ),
                Grouping(
                    "owner",
                    gettext_lazy("Owner"),
                    "owner_id",
                    label="owner__name",
                    field="owner",
                    empty=gettext_lazy("No owner"),
                ),
                Grouping(
                    "import",
                    gettext_lazy("Import"),
                    "import_job_id",
                    label="import_job__file__name",
                    field="importId",
                    empty=gettext_lazy("Not imported"),
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
                    "owned",
                    gettext_lazy("With an owner"),
                    Q(owner__isnull=False),
                    filter_condition("owner", "isNotEmpty"),
                ),
            ),
        ),
    ),
)

REPORTS = (ORGANIZATIONS,)
