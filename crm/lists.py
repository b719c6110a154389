"""The panels whose records segments select: each with its live records and what these are filtered by."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet

from core.lists import FieldSet
from crm.api.contact_fields import CONTACT_FIELDS
from crm.api.lead_fields import LEAD_FIELDS
from crm.selectors import live_contacts, live_leads

PANEL_LISTS: dict[str, tuple[Callable[[], QuerySet[Any]], FieldSet]] = {
    "contact": (live_contacts, CONTACT_FIELDS),
    "lead": (live_leads, LEAD_FIELDS),
}
