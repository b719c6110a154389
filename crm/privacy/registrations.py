"""The registrations of personal data in the CRM and the apps below it."""

from __future__ import annotations

from crm.privacy.tables import register_tables

register_tables()
