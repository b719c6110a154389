"""Addresses of contacts."""

from __future__ import annotations

from core.api.router import Route
from crm.contacts import views as contact_views

CONTACT_ROUTES = [
    Route("contact", contact_views.Contacts),
    Route("contact/bulk", contact_views.ContactBulk),
    Route("contact/<str:id>", contact_views.ContactDetail),
]
