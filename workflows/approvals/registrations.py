"""The registrations of approvals."""

from __future__ import annotations

from accounts.companies.overview import Measure, register_measure
from workflows.approvals.services import open_approvals_of

register_measure(Measure("approvals", "workflow", open_approvals_of, own=True, place=90))
