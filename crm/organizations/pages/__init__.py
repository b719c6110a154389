"""The pages of organizations: the list, the bulk change, an organization, a new one."""

from __future__ import annotations

from crm.organizations.pages.lists import ChangeOrganizations, OrganizationCell, OrganizationColumns, Organizations
from crm.organizations.pages.record import NewOrganization, OrganizationDetail, OrganizationRelated

PAGES = [
    Organizations,
    OrganizationColumns,
    ChangeOrganizations,
    OrganizationCell,
    NewOrganization,
    OrganizationDetail,
    OrganizationRelated,
]
