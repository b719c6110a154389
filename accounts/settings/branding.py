"""The branding of a company's mails and pages: name, links and colour of its app (CompanySettings), and where its plan
includes one its own look (`set_look`). On the host of a company's own pages no other brand is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field

from django.db import DatabaseError
from django.http import Http404

from accounts.settings.models import CompanySettings
from core.tenancy import unscoped
from core.types import JsonObject


@dataclass(frozen=True)
class Look:
    """A company's own look; empty values are the service's. Addresses begin with /, except for `base_url`."""

    name: str = ""
    sender: str = ""
    accent: str = ""
    accent_dark: str = ""
    logo: str = ""
    favicon: str = ""
    style: str = ""
    base_url: str = ""
    """Base address of the company's pages, without a trailing slash."""


@dataclass(frozen=True)
class Brand:
    """The branding for templates; the service's own without a company."""

    name: str = "Leadwright"
    description: str = ""
    version: str = ""
    links: dict[str, str] = field(default_factory=dict)
    background: JsonObject = field(default_factory=dict)
    look: Look = field(default_factory=Look)


_look_source: Callable[[str], Look | None] = lambda company: None  # noqa: E731
_served: ContextVar[str] = ContextVar("leadwright_served_company", default="")


def set_look(source: Callable[[str], Look | None]) -> None:
    """Register where the looks of companies come from."""
    global _look_source
    _look_source = source


@contextmanager
def company_pages_scope(company_id: str) -> Iterator[None]:
    """Open a block that answers a request to the host of a company's own pages."""
    token = _served.set(company_id)
    try:
        yield
    finally:
        _served.reset(token)


def served_company() -> str:
    """Return the company whose host is asked; "" at the service's own address."""
    return _served.get()


def brand_colors(company_id: str) -> Look:
    """Return the look of a company's pages."""
    return _look_source(company_id) or Look()


def brand_of(company_id: str | None) -> Brand:
    """Return the brand that a page shows: the company's, or without one that of the host.

    Raises Http404 on the host of another company.
    """
    served = _served.get()
    if served and company_id not in (None, served):
        raise Http404
    return mail_brand_of(company_id or served or None)


def error_brand(status: int) -> Brand | None:
    """Return the brand of an error page: that of the host, unless the database may be the cause of the error."""
    if not _served.get() or status >= 500:
        return None
    with suppress(DatabaseError):
        return brand_of(None)
    return None


def mail_brand_of(company_id: str | None) -> Brand:
    """Return the brand of a company's mails, wherever they were caused."""
    if company_id is None:
        return Brand()
    with unscoped(reason="mails: the brand of the company that one is sent for"):
        row = CompanySettings.objects.select_related("company").filter(company_id=company_id).first()
    if row is None:
        return Brand()
    look = brand_colors(company_id)
    return Brand(
        look.name or row.app_name or row.company.name,
        row.app_description,
        row.app_version,
        row.links,
        row.mobile_background,
        look,
    )
