"""Reads of the CRM for the apps above it; within the CRM each domain has its own."""

from __future__ import annotations

from crm.contacts.selectors import live_contacts
from crm.custom_fields.selectors import own_fields
from crm.files.selectors import stored_files
from crm.leads.selectors import live_leads
from crm.products.selectors import live_products

__all__ = ["live_contacts", "live_leads", "live_products", "own_fields", "stored_files"]
