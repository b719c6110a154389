"""Back office pages of runs, to read."""

from __future__ import annotations

from django.contrib import admin
from django.utils.safestring import SafeString
from unfold.contrib.filters.admin import ChoicesDropdownFilter

from core.backoffice.admin import BY_COMPANY, BackOfficeAdmin, CompanyRecordAdmin
from core.backoffice.columns import choice_text
from core.backoffice.panels import ROWS, list_address, register_panel, render_link, render_table
from core.backoffice.values import state
from core.text.translation import gettext_lazy as _
from workflows.engine.limits.models import PlaceNotice, StartBucket
from workflows.engine.models import (
    NodeCount,
    QueuedEvent,
    RunApproval,
    RunCall,
    RunInbox,
    RunListener,
    RunReady,
    RunSkip,
    RunStep,
    RunTimer,
    ScheduleFiring,
    SliceMark,
    WorkflowInterest,
    WorkflowRun,
)


@admin.register(WorkflowRun)
class WorkflowRunAdmin(CompanyRecordAdmin):
    """Runs of workflows."""

    icon = "play_circle"
    title_needs = ("workflow",)
    list_display = ("__str__", "company", "workflow", "status", "reason", "error_code", "created_at", "finished_at")
    list_filter = (("status", ChoicesDropdownFilter), BY_COMPANY)
    search_fields = ("=id", "=contact__id", "=lead__id", "workflow__name")
    folds = ("state", "seq", "entry_key", "parent", "trigger")


@register_panel(WorkflowRun, _("Steps"), permission="workflows.view_runstep")
def _steps(run: WorkflowRun) -> SafeString:
    rows = RunStep.objects.filter(run=run).order_by("-id")[:ROWS]
    cells = [
        (render_link(row), state(row.status, choice_text(row, "status")), _error(row), row.handle, row.created_at)
        for row in rows
    ]
    more = list_address(RunStep, q=run.pk)
    return render_table(
        (_("Step"), _("Status"), _("Error"), _("Output"), _("Time")),
        cells,
        more=more,
        empty=_("No steps yet."),
    )


def _error(step: RunStep) -> str:
    error = step.error if isinstance(step.error, dict) else {}
    return str(error.get("message") or error.get("code") or "")


@admin.register(RunStep)
class RunStepAdmin(CompanyRecordAdmin):
    """Steps of runs."""

    icon = "footprint"
    operators_only = True
    list_display = ("node", "company", "run", "visit", "attempt", "status", "handle", "created_at")
    list_filter = (("status", ChoicesDropdownFilter), BY_COMPANY)
    search_fields = ("=id", "=run__id")


@admin.register(RunTimer)
class RunTimerAdmin(CompanyRecordAdmin):
    """Waits of runs."""

    icon = "hourglass_top"
    operators_only = True
    list_display = ("run", "company", "token", "due_at", "is_enqueued")
    search_fields = ("=id", "=run__id")


@admin.register(RunReady)
class RunReadyAdmin(CompanyRecordAdmin):
    """Notices of runs that may move."""

    icon = "inbox"
    operators_only = True
    list_display = ("run", "company", "priority", "created_at")
    search_fields = ("=id", "=run__id")


@admin.register(NodeCount)
class NodeCountAdmin(CompanyRecordAdmin):
    """Numbers of runs that went through nodes."""

    icon = "tag"
    operators_only = True
    list_display = ("workflow", "company", "node", "hour", "outcome", "number")
    search_fields = ("=id", "=workflow__id", "=node")


@admin.register(RunInbox)
class RunInboxAdmin(CompanyRecordAdmin):
    """Arrivals that runs have waited for and not consumed yet."""

    icon = "move_to_inbox"
    operators_only = True
    list_display = ("run", "company", "token", "kind", "created_at")
    search_fields = ("=id", "=run__id")


@admin.register(RunCall)
class RunCallAdmin(CompanyRecordAdmin):
    """Calls that runs make outside."""

    icon = "http"
    operators_only = True
    list_display = ("run", "company", "node", "kind", "host", "status", "attempts", "late", "created_at")
    list_filter = (("status", ChoicesDropdownFilter), "late", BY_COMPANY)
    search_fields = ("=id", "=run__id", "host")


@admin.register(RunApproval)
class RunApprovalAdmin(CompanyRecordAdmin):
    """Questions of runs to members."""

    icon = "how_to_reg"
    list_display = ("run", "company", "node", "status", "until", "answered_by", "answered_at")
    list_filter = (("status", ChoicesDropdownFilter), BY_COMPANY)
    list_select_related = ("company", "answered_by__user")
    search_fields = ("=id", "=run__id")


@admin.register(RunListener)
class RunListenerAdmin(CompanyRecordAdmin):
    """Events that runs wait for."""

    icon = "hearing"
    operators_only = True
    list_display = ("run", "company", "node", "kind", "object_id", "created_at")
    list_filter = ("kind", BY_COMPANY)
    search_fields = ("=id", "=run__id", "=object_id")


@admin.register(WorkflowInterest)
class WorkflowInterestAdmin(CompanyRecordAdmin):
    """Kinds of events that runs of workflows may wait for."""

    icon = "hearing"
    operators_only = True
    list_display = ("workflow", "company", "kind")
    search_fields = ("=id", "workflow__name", "kind")


@admin.register(RunSkip)
class RunSkipAdmin(CompanyRecordAdmin):
    """Starts that workflows have refused."""

    icon = "block"
    operators_only = True
    list_display = ("workflow", "company", "day", "reason", "number")
    list_filter = ("reason", BY_COMPANY)
    search_fields = ("=id", "workflow__name")


@admin.register(ScheduleFiring)
class ScheduleFiringAdmin(CompanyRecordAdmin):
    """Times at which schedules have started runs."""

    icon = "schedule"
    operators_only = True
    list_display = ("workflow", "company", "due_at", "created_at")
    search_fields = ("=id", "workflow__name")


@admin.register(StartBucket)
class StartBucketAdmin(CompanyRecordAdmin):
    """The rates of starts, and the runs of the month."""

    icon = "speed"
    operators_only = True
    list_display = ("company", "key", "next_at", "month", "started")
    search_fields = ("=id", "=key", "company__name")


@admin.register(PlaceNotice)
class PlaceNoticeAdmin(CompanyRecordAdmin):
    """Notices of places that may be free."""

    icon = "event_seat"
    operators_only = True
    list_display = ("__str__", "company", "workflow", "created_at")
    search_fields = ("=id", "workflow__name")


@admin.register(QueuedEvent)
class QueuedEventAdmin(CompanyRecordAdmin):
    """Events that wait before they start runs."""

    icon = "pending"
    operators_only = True
    list_display = ("event_id", "company", "priority", "created_at")
    search_fields = ("=id", "=event_id")


@admin.register(SliceMark)
class SliceMarkAdmin(BackOfficeAdmin):
    """Marks of slices that are under way, or whose worker has died."""

    icon = "skull"
    operators_only = True
    list_display = ("__str__", "created_at")
    search_fields = ("=id",)
