"""Reports about imports of contacts and of leads."""

from __future__ import annotations

from functools import partial

from django.db.models import Sum

from core.reports import By, Column, Report, Source, count
from crm.imports.models import Import
from crm.imports.services import readable_imports

STATUSES = {
    Import.Status.PAUSED: "Not begun, or paused",
    Import.Status.QUEUED: "Waiting",
    Import.Status.RUNNING: "At work",
    Import.Status.COMPLETED: "Completed",
    Import.Status.FAILED: "Failed",
    Import.Status.CANCELLED: "Cancelled",
}
"""Status -> its label."""


def _report(name: str, title: str, type: str, place: int) -> Report:
    return Report(
        name=name,
        title=title,
        about="Imports that were made in the period, and what became of their rows.",
        modules=(type,),
        place=place,
        sources=(
            Source(
                rows=partial(readable_imports, type),
                at="created_at",
                path=f"{type}/import",
                at_field="createdAt",
                by=(
                    By(
                        "member", "Member", "created_by_id", label="created_by__name", field="createdBy", empty="Nobody"
                    ),
                    By("status", "State", "status", labels=STATUSES, field="status"),
                ),
                columns=(
                    count("imports", "Imports"),
                    *(
                        Column(key, title, Sum(key))
                        for key, title in (
                            ("created", "Rows created"),
                            ("updated", "Rows updated"),
                            ("skipped", "Rows skipped"),
                            ("failed", "Rows failed"),
                        )
                    ),
                ),
            ),
        ),
    )


REPORTS = (
    _report("imports", "Imports of contacts", Import.Type.CONTACT, 50),
    _report("lead-imports", "Imports of leads", Import.Type.LEAD, 51),
)
