"""The registrations of pipelines."""

from __future__ import annotations

from core.api.routes import protected
from crm.custom_fields.system_fields import system_options_changed
from crm.pipelines.default import sync_default_pipeline
from crm.pipelines.views import LostReasonViewSet, PipelineViewSet

protected.register("lost-reason", LostReasonViewSet)
protected.register("pipeline", PipelineViewSet)
system_options_changed.connect(sync_default_pipeline)
