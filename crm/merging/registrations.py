"""The registrations of merges and duplicates."""

from __future__ import annotations

from core.api.routes import protected
from crm.merging.duplicate_views import ContactDuplicateViewSet, LeadDuplicateViewSet, OrganizationDuplicateViewSet
from crm.merging.views import ContactMergeViewSet, LeadMergeViewSet, OrganizationMergeViewSet

protected.register("contact/merge", ContactMergeViewSet)
protected.register("contact/duplicate", ContactDuplicateViewSet)
protected.register("lead/merge", LeadMergeViewSet)
protected.register("lead/duplicate", LeadDuplicateViewSet)
protected.register("organization/merge", OrganizationMergeViewSet)
protected.register("organization/duplicate", OrganizationDuplicateViewSet)
