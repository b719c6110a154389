"""Addresses of merges and duplicates."""

from __future__ import annotations

from core.api.router import Route
from crm.merging import duplicate_views
from crm.merging import views as merge_views

MERGE_ROUTES = [
    Route("contact/merge", merge_views.ContactMerges),
    Route("contact/merge/<str:id>", merge_views.ContactMergeDetail),
    Route("contact/merge/<str:id>/undo", merge_views.ContactMergeUndoing),
    Route("contact/duplicate", duplicate_views.ContactDuplicates),
    Route("contact/duplicate/dismiss", duplicate_views.DismissContactDuplicates),
    Route("lead/merge", merge_views.LeadMerges),
    Route("lead/merge/<str:id>", merge_views.LeadMergeDetail),
    Route("lead/merge/<str:id>/undo", merge_views.LeadMergeUndoing),
    Route("lead/duplicate", duplicate_views.LeadDuplicates),
    Route("lead/duplicate/dismiss", duplicate_views.DismissLeadDuplicates),
]
