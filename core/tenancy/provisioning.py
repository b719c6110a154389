"""Provisioning of new companies: apps connect to a hook, and the service that creates a company sends it."""

from __future__ import annotations

from django.apps import apps
from django.db import transaction

from core.hooks import Hook
from core.tenancy import company_scope

company_created: Hook[[], object] = Hook(
    __name__,
    "company_created",
    "When a company is created, in that transaction and its scope, and for each company after an upgrade. Adds the rows"
    " that a company starts with; idempotent.",
)

company_opened: Hook[[], object] = Hook(
    __name__,
    "company_opened",
    "After a new company was provisioned, in that transaction and its scope, and never again. Adds what its people may"
    " remove for good.",
)


def provision_company() -> None:
    """Add the rows that the active company starts with."""
    company_created.send()


def provision_companies() -> None:
    """Provision every company, so that existing companies get the data of a new release."""
    companies = apps.get_model("accounts.Company")
    # One transaction for each company, so that a release which fails at one keeps the others.
    for pk in companies.objects.values_list("pk", flat=True).iterator(chunk_size=1000):
        with transaction.atomic(), company_scope(pk):
            provision_company()
