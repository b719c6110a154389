"""Provisioning of new companies: apps register hooks, and the service that creates a company runs them."""

from __future__ import annotations

from collections.abc import Callable

from django.apps import apps
from django.db import transaction

from core.tenancy import company_scope

_hooks: list[Callable[[], None]] = []


def on_company_created(hook: Callable[[], None]) -> None:
    """Register a hook that runs in the scope of each new company and the transaction that creates it.

    It must be idempotent.
    """
    # Apps may be set up twice in a process, as tests do.
    if hook not in _hooks:
        _hooks.append(hook)


def provision_company() -> None:
    """Run all hooks for the active company."""
    for hook in _hooks:
        hook()


def provision_companies() -> None:
    """Run all hooks for every company, so that existing companies get the data of a new release."""
    companies = apps.get_model("accounts.Company")
    # One transaction for each company, so that a release which fails at one keeps the others.
    for pk in companies.objects.values_list("pk", flat=True).iterator(chunk_size=1000):
        with transaction.atomic(), company_scope(pk):
            provision_company()
