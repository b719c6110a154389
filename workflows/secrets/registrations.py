"""The registrations of secrets."""

from __future__ import annotations

from core.api.routes import protected
from workflows.secrets.views import WorkflowSecretViewSet

protected.register("workflow/secrets", WorkflowSecretViewSet)
