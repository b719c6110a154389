"""Back office pages of runs, to read."""

from __future__ import annotations

from django.contrib import admin
from unfold.contrib.filters.admin import ChoicesDropdownFilter

from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from workflows.engine.models import NodeCount, RunReady, RunSkip, RunStep, RunTimer, ScheduleFiring, WorkflowRun


@admin.register(WorkflowRun)
class WorkflowRunAdmin(CompanyRecordAdmin):
    """Runs of workflows."""

    icon = "play_circle"
    list_display = ("id", "company", "workflow", "status", "reason", "error_code", "created_at", "finished_at")
    list_filter = (("status", ChoicesDropdownFilter), BY_COMPANY)
    list_select_related = ("company", "workflow")
    search_fields = ("=id", "=contact__id", "=lead__id", "workflow__name")


@admin.register(RunStep)
class RunStepAdmin(CompanyRecordAdmin):
    """Steps of runs."""

    icon = "footprint"
    list_display = ("node", "company", "run_id", "visit", "attempt", "status", "handle", "created_at")
    list_filter = (("status", ChoicesDropdownFilter), BY_COMPANY)
    list_select_related = ("company",)
    search_fields = ("=id", "=run__id")


@admin.register(RunTimer)
class RunTimerAdmin(CompanyRecordAdmin):
    """Waits of runs."""

    icon = "hourglass_top"
    list_display = ("run_id", "company", "token", "due_at", "told")
    list_filter = (BY_COMPANY,)
    list_select_related = ("company",)
    search_fields = ("=id", "=run__id")


@admin.register(RunReady)
class RunReadyAdmin(CompanyRecordAdmin):
    """Notices of runs that may move."""

    icon = "inbox"
    list_display = ("run_id", "company", "priority", "created_at")
    list_filter = (BY_COMPANY,)
    list_select_related = ("company",)
    search_fields = ("=id", "=run__id")


@admin.register(NodeCount)
class NodeCountAdmin(CompanyRecordAdmin):
    """How often runs went through nodes."""

    icon = "tag"
    list_display = ("workflow", "company", "node", "hour", "outcome", "number")
    list_filter = (BY_COMPANY,)
    list_select_related = ("company", "workflow")
    search_fields = ("=id", "=workflow__id", "=node")


@admin.register(RunSkip)
class RunSkipAdmin(CompanyRecordAdmin):
    """Starts that workflows have refused."""

    icon = "block"
    list_display = ("workflow", "company", "day", "reason", "number")
    list_filter = ("reason", BY_COMPANY)
    list_select_related = ("company", "workflow")
    search_fields = ("=id", "workflow__name")


@admin.register(ScheduleFiring)
class ScheduleFiringAdmin(CompanyRecordAdmin):
    """Times at which schedules have started runs."""

    icon = "schedule"
    list_display = ("workflow", "company", "due_at", "created_at")
    list_filter = (BY_COMPANY,)
    list_select_related = ("company", "workflow")
    search_fields = ("=id", "workflow__name")
