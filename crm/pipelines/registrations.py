"""The registrations of pipelines."""

from __future__ import annotations

from crm.custom_fields.system_fields import system_options_changed
from crm.pipelines.default import sync_default_pipeline

system_options_changed.connect(sync_default_pipeline)
