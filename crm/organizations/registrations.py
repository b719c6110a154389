"""The registrations of organizations."""

from __future__ import annotations

from core.api.routes import protected
from core.global_search import Kind, register_kind
from crm.organizations.filters import ORGANIZATION_FIELDS
from crm.organizations.record_type import ORGANIZATION_TYPE
from crm.organizations.selectors import live_organizations
from crm.organizations.views import OrganizationViewSet
from crm.records.types import register_record_type
from crm.saved_views.lists import ViewedList, keep_views_of

protected.register("organization", OrganizationViewSet)
register_record_type(ORGANIZATION_TYPE)
keep_views_of("organization", ViewedList("contact", ORGANIZATION_TYPE.fields, kind=ORGANIZATION_TYPE.kind))
register_kind(
    Kind(
        "organization",
        "contact",
        lambda actor: live_organizations(),
        ORGANIZATION_FIELDS.pick("name", "domain"),
        "name",
        "domain",
        15,
    )
)
