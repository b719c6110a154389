"""Back office pages of pipelines and of reasons for lost leads."""

from __future__ import annotations

from django.contrib import admin
from django.utils.safestring import SafeString

from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from core.backoffice.columns import choice_text
from core.backoffice.panels import register_panel, render_table
from core.backoffice.references import register_references
from core.text.translation import gettext_lazy as _
from crm.pipelines.models import LostReason, Pipeline, Stage


@admin.register(Pipeline)
class PipelineAdmin(CompanyRecordAdmin):
    """Pipelines; the company changes their stages."""

    icon = "view_kanban"
    edits = ("name",)
    list_display = ("name", "company", "is_default", "created_at")
    list_filter = (BY_COMPANY, "is_default")
    search_fields = ("=id", "name")


@register_panel(Pipeline, _("Stages"))
def _stages(pipeline: Pipeline) -> SafeString:
    stages = Stage.objects.filter(pipeline=pipeline).order_by("position", "pk")[:100]
    rows = [(stage.name, choice_text(stage, "kind"), f"{stage.probability}%", stage.status or "–") for stage in stages]
    return render_table((_("Name"), _("Kind"), _("Probability"), _("Status")), rows, empty=_("No stages."))


@admin.register(LostReason)
class LostReasonAdmin(CompanyRecordAdmin):
    """Reasons for which leads are lost."""

    icon = "thumb_down"
    edits = ("name",)
    list_display = ("name", "company", "created_at")
    search_fields = ("=id", "name")


register_references(Pipeline, "pipeline")
register_references(LostReason, "lostReason")
