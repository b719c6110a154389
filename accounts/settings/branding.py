"""The branding of a company's mails and pages: name, links and colour of its app (CompanySettings)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from accounts.settings.models import CompanySettings
from core.tenancy import unscoped


@dataclass(frozen=True)
class Brand:
    """The branding for templates; the service's own without a company."""

    name: str = "Leadwright"
    description: str = ""
    version: str = ""
    links: dict[str, str] = field(default_factory=dict)
    background: dict[str, Any] = field(default_factory=dict)


def brand_of(company_id: str | None) -> Brand:
    """Return the company's brand."""
    if company_id is None:
        return Brand()
    with unscoped(reason="mails: the brand of the company that one is sent for"):
        found = CompanySettings.objects.select_related("company").filter(company_id=company_id).first()
    if found is None:
        return Brand()
    return Brand(
        found.app_name or found.company.name,
        found.app_description,
        found.app_version,
        found.links,
        found.mobile_background,
    )
