"""Progress bars of jobs in the back office, updated while the page is open."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import PermissionDenied
from django.db import models
from django.http import HttpRequest, JsonResponse
from django.template.loader import render_to_string
from django.urls import URLPattern, path
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from core.ids import is_id
from core.jobs.models import Job
from core.text.labels.choices import choice_label

MOVING = (Job.Status.QUEUED, Job.Status.RUNNING)


def progress_bar(job: Job, counts: dict[str, int] | None = None, *, address: str = "") -> SafeString:
    """Render a bar with the processed share of the total and the counts that aren't zero.

    While the job runs, the page's script reloads the bar from `address`, or from the address of the job's own admin.
    """
    percent = min(100, job.processed * 100 // job.total) if job.total else 0
    done = {"done": f"{job.processed:,}", "total": f"{job.total or 0:,}"}
    labelled = {
        choice_label(name.replace("_", " ").title()): number for name, number in (counts or {}).items() if number
    }
    context = {
        "id": job.pk,
        "percent": percent,
        "status": job.status,
        "text": gettext("%(done)s of %(total)s") % done if job.total is not None else done["done"],
        "counts": [(name, f"{number:,}") for name, number in labelled.items()],
        "moving": job.status in MOVING,
        "address": address,
    }
    return render_to_string("admin/progress.html", context)


class ProgressMixin:
    """A ModelAdmin of jobs: lists and pages show `progress`, reloaded from `…/progress/?ids=…`."""

    model: type[Job]

    class Media:
        js = ("backoffice/progress.js",)

    def progress(self, job: Any) -> SafeString:
        return progress_bar(job)

    progress.short_description = "progress"  # type: ignore[attr-defined]

    def lead(self, record: Job) -> SafeString:
        return self.progress(record)

    def get_urls(self) -> list[URLPattern]:
        name = f"{self.model._meta.app_label}_{self.model._meta.model_name}_progress"
        address = path("progress/", self.admin_site.admin_view(self.progress_view), name=name)  # type: ignore[attr-defined]
        return [address, *super().get_urls()]  # type: ignore[misc]

    def progress_view(self, request: HttpRequest) -> JsonResponse:
        """Return the bars of up to 100 records by their ids."""
        if not self.has_view_permission(request):  # type: ignore[attr-defined]
            raise PermissionDenied
        ids = [id_text for id_text in request.GET.get("ids", "").split(",") if is_id(id_text)][:100]
        rows = list(self.get_queryset(request).filter(pk__in=ids))  # type: ignore[attr-defined]
        self.prepare(request, rows)
        return JsonResponse({row.pk: self.progress(row) for row in rows})

    def prepare(self, request: HttpRequest, rows: list[Any]) -> None:
        """Read the data for the bars of these rows, at once."""


def counts_by_status(rows: models.QuerySet[Any], group: str, status: str) -> dict[str, dict[str, int]]:
    """Count by group and status, in one query."""
    counts: dict[str, dict[str, int]] = {}
    for key, name, number in rows.order_by().values_list(group, status).annotate(number=models.Count("pk")):
        counts.setdefault(key, {})[name] = number
    return counts
