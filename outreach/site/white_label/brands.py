"""The brand of a company, as pages and mails show it, and the company whose pages a host shows."""

from __future__ import annotations

import re

from django.core.cache import cache

from accounts.settings.branding import Look
from core.access import entitlement_source
from core.tenancy import company_scope, unscoped
from outreach.messaging.domain_tracking.hosts import address_of
from outreach.messaging.domain_tracking.models import DomainTracking
from outreach.site.white_label.colors import lighten_color
from outreach.site.white_label.models import WhiteLabel

KNOWN_FOR = 10
"""Seconds for which a process remembers a host."""
SERVED = re.compile(
    r"/|/favicon\.ico|/licences"
    r"|/(?:login|logout|forgot-password|reset-password|verify-email|resend-verification|account)(?:/.*)?"
    r"|/invite(?:/decline)?|/f/.+|/widget/[^/]+\.js|/brand/.+|/static/.+"
    r"|/(?:book|booking|b|meet|q)/.+"
    r"|/api/public/(?:form|widget|unsubscribe|booking|meeting)/.+",
    re.ASCII | re.DOTALL,
)
"""Paths that the host of a company's pages serves, in addition to the pages of that company."""
COMPANY = re.compile(r"/c/([0-9a-f]{24})(?:/.*)?", re.ASCII | re.DOTALL)


def includes_brand(company_id: str) -> bool:
    """Return whether the company's plan has a brand of its own."""
    entitlement = entitlement_source().of(company_id)
    return entitlement is not None and (entitlement.modules is None or "white-label-options" in entitlement.modules)


def look_of(company_id: str) -> Look | None:
    """Return the company's brand. None: it has none, or its plan no longer includes one."""
    with company_scope(company_id):
        brand = WhiteLabel.objects.select_related("domain").first()
        if brand is None or not includes_brand(company_id):
            return None
        domain = brand.domain
    verified = domain is not None and domain.state == DomainTracking.State.VERIFIED
    version = f"{brand.updated_at:%Y%m%d%H%M%S%f}"
    return Look(
        name=brand.product_name,
        sender=brand.sender_name,
        accent=brand.accent,
        accent_dark=brand.accent_dark or (lighten_color(brand.accent) if brand.accent else ""),
        logo=f"/brand/{brand.logo_id}.png" if brand.logo_id else "",
        favicon=f"/brand/{brand.favicon_id}.png" if brand.favicon_id else "",
        style=f"/brand/{company_id}/{version}.css" if brand.accent else "",
        base_url=address_of(domain.name) if verified and domain is not None else "",
    )


def company_of(host: str) -> str:
    """Return the company whose pages the host shows; "" for none."""
    return str(cache.get_or_set(_key(host), lambda: _read_company(host), KNOWN_FOR))


def forget(company_id: str) -> None:
    """Delete the company's cached brand and hosts; other processes refresh them within ten seconds."""
    with company_scope(company_id):
        names = list(DomainTracking.objects.values_list("name", flat=True)[:100])
    cache.delete_many([f"look:{company_id}", *(_key(name) for name in names)])


def is_served_path(path: str, company_id: str) -> bool:
    """Return whether the company's host answers the address."""
    own = COMPANY.fullmatch(path)
    return own[1] == company_id if own else SERVED.fullmatch(path) is not None


def _key(host: str) -> str:
    return f"brand-host:{host}"


def _read_company(host: str) -> str:
    with unscoped(reason="a request to a host of some company's pages"):
        rows = WhiteLabel.objects.filter(domain__name=host, domain__state=DomainTracking.State.VERIFIED)
        company = rows.values_list("company_id", flat=True).first()
    if company is None:
        return ""
    with company_scope(company):
        return str(company) if includes_brand(company) else ""
