"""Reads of the CRM for the apps above it; within the CRM each domain has its own."""

from __future__ import annotations

from crm.services.contact_selectors import live_contacts
from crm.services.field_selectors import own_fields
from crm.services.file_selectors import stored_files
from crm.services.lead_selectors import live_leads
from crm.services.product_selectors import live_products

__all__ = ["live_contacts", "live_leads", "live_products", "own_fields", "stored_files"]
