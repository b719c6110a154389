"""The demo's role whose members meet their own records alone."""

from __future__ import annotations

from accounts.models import Role
from accounts.roles.permissions import METHODS, OWN, SCOPED_MODULES, allow

OWN_SALES = "Sales, own records"
READS = ("custom-field", "tag", "product-service", "contact-category", "segment", "report", "team", "file", "settings")


def create_own_sales() -> None:
    """Create the role, unless the company has it."""
    Role.objects.get_or_create(
        name=OWN_SALES,
        defaults={
            "description": "Works with the contacts, organizations and leads that they own.",
            "permission": {**allow(("contact", "lead", "lead-activity", "meeting"), *METHODS), **allow(READS, "GET")},
            "record_scope": dict.fromkeys(SCOPED_MODULES, OWN),
        },
    )
