"""Back office pages of workflows, to read."""

from __future__ import annotations

from django.contrib import admin
from unfold.contrib.filters.admin import ChoicesDropdownFilter

from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from core.backoffice.references import register_event_kind, register_references
from workflows.graphs.models import Workflow, WorkflowTrigger, WorkflowVersion


@admin.register(Workflow)
class WorkflowAdmin(CompanyRecordAdmin):
    """Workflows."""

    icon = "account_tree"
    finds = True
    list_display = ("name", "company", "status", "trigger_event_type", "latest", "published_at", "next_fire_at")
    list_filter = (("status", ChoicesDropdownFilter), BY_COMPANY)
    search_fields = ("=id", "name", "company__name")
    hides = ("hook_token",)
    folds = ("config", "nodes", "edges")


@admin.register(WorkflowVersion)
class WorkflowVersionAdmin(CompanyRecordAdmin):
    """Published graphs."""

    icon = "history"
    title_needs = ("workflow",)
    folds = ("graph",)
    list_display = ("workflow", "company", "number", "published_by", "created_at")
    search_fields = ("=id", "workflow__name")


@admin.register(WorkflowTrigger)
class WorkflowTriggerAdmin(CompanyRecordAdmin):
    """The kinds of events that workflows wait for."""

    icon = "bolt"
    operators_only = True
    list_display = ("workflow", "company", "kind", "created_at")
    list_filter = ("kind", BY_COMPANY)
    search_fields = ("=id", "workflow__name")


register_references(Workflow, "workflow")
register_event_kind(Workflow, "workflow")
