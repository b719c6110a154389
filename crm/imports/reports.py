"""Reports about imports of contacts and of leads."""

from __future__ import annotations

from functools import partial

from django.db.models import Sum

from core.reports import Column, Grouping, Report, Source, count
from core.text.translation import gettext_lazy
from crm.imports.models import Import
from crm.imports.services import readable_imports

STATUSES = {
    Import.Status.PAUSED: gettext_lazy("Not started or paused"),
    Import.Status.QUEUED: gettext_lazy("Waiting"),
    Import.Status.RUNNING: gettext_lazy("Running"),
    Import.Status.COMPLETED: gettext_lazy("Completed"),
    Import.Status.FAILED: gettext_lazy("Failed"),
    Import.Status.CANCELLED: gettext_lazy("Cancelled"),
}
"""Status -> its label."""


def _report(name: str, title: str, type: str, place: int) -> Report:
    return Report(
        name=name,
        title=title,
        about=gettext_lazy("Imports of the period, and the results of their rows."),
        modules=(type,),
        place=place,
        sources=(
            Source(
                rows=partial(readable_imports, type),
                at="created_at",
                path=f"{type}/import",
                at_field="createdAt",
                by=(
                    Grouping(
                        "member",
                        gettext_lazy("Member"),
                        "created_by_id",
                        label="created_by__name",
                        field="createdBy",
                        empty=gettext_lazy("Nobody"),
                    ),
                    Grouping("status", gettext_lazy("Status"), "status", labels=STATUSES, field="status"),
                ),
                columns=(
                    count("imports", gettext_lazy("Imports")),
                    *(
                        Column(key, title, Sum(key))
                        for key, title in (
                            ("created", gettext_lazy("Rows created")),
                            ("updated", gettext_lazy("Rows updated")),
                            ("skipped", gettext_lazy("Rows skipped")),
                            ("failed", gettext_lazy("Rows failed")),
                        )
                    ),
                ),
            ),
        ),
    )


REPORTS = (
    _report("imports", gettext_lazy("Imports of contacts"), Import.Type.CONTACT, 50),
    _report("lead-imports", gettext_lazy("Imports of leads"), Import.Type.LEAD, 51),
)
