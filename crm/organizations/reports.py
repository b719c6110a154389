"""The report about organizations, and the grouping by organization of the reports about their contacts and leads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from django.db.models import Func, Q, QuerySet, TextField, Value
from django.db.models.functions import TruncMonth
from django.utils.formats import date_format

from core.access import Actor
from core.reports import Grouping, Report, Source, condition, count
from core.reports.periods import begin_of
from core.text.json import iso
from core.text.timezones import zone_of
from core.text.translation import gettext_lazy
from core.types import JsonObject
from crm.organizations.models import Organization
from crm.organizations.selectors import live_organizations
from crm.records.datetimes import company_timezone

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
    month = TruncMonth("created_at", tzinfo=zone_of(company_timezone()))
    written = Func(month, Value("YYYY-MM"), function="to_char", output_field=TextField())
    return live_organizations().annotate(created_month=written)


def month_labels(keys: Sequence[Any]) -> Mapping[str, str]:
    """Return month -> its name with the year."""
    return {key: date_format(first_day(key), "F Y") for key in keys}


def first_day(month: str) -> date:
    return date.fromisoformat(f"{month}-01")


def in_month(month: str) -> JsonObject:
    """Return the condition of organizations that were added in the month."""
    zone = zone_of(company_timezone())
    first = first_day(month)
    following = (first + timedelta(days=32)).replace(day=1)
    begins = condition("createdAt", "greaterThanOrEqual", iso(begin_of(first, zone)))
    ends = condition("createdAt", "lessThan", iso(begin_of(following, zone)))
    return {"operator": "and", "conditions": [begins, ends]}


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
                    "month", gettext_lazy("Month"), "created_month", labels=month_labels, node=in_month, ordered=True
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
                    condition("owner", "isNotEmpty"),
                ),
            ),
        ),
    ),
)

REPORTS = (ORGANIZATIONS,)
