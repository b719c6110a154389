"""The registrations of approvals."""

from __future__ import annotations

from accounts.companies.overview import Measure, register_measure
from core.api.routes import protected
from workflows.approvals.services import open_approvals_of
from workflows.approvals.views import WorkflowApprovalViewSet

protected.register("workflow/approvals", WorkflowApprovalViewSet)
register_measure(Measure("approvals", "workflow", open_approvals_of, own=True, place=90))
