"""Filters that write dates and times in the company's formats: `{{ at|company_datetime:formats }}`.

Mails have `formats` in their context (accounts.mails.services).
"""

from __future__ import annotations

import datetime as dt

from django import template

from core.text.formats import Formats
from core.text.links import prevent_links

register = template.Library()


@register.filter
def plain_name(name: str) -> str:
    """Return a name of which mail programs make no link."""
    return prevent_links(name)


@register.filter
def company_date(value: dt.date, formats: Formats) -> str:
    return formats.date(value)


@register.filter
def company_datetime(value: dt.datetime, formats: Formats) -> str:
    """Format a time with its time zone, since a mail may be read anywhere."""
    return f"{formats.datetime(value)} ({formats.timezone})"
