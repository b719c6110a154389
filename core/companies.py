"""What apps do for each new company: they register it here, and whoever makes a company runs it."""

from __future__ import annotations

from collections.abc import Callable

from django.apps import apps
from django.db import transaction

from core.tenancy import company_scope

_hooks: list[Callable[[], None]] = []


def on_company_created(hook: Callable[[], None]) -> None:
    """Have the hook called inside the scope of each new company, in the transaction that makes it; it must be safe to run twice."""
    if hook not in _hooks:
        _hooks.append(hook)


def furnish_company() -> None:
    """Run all hooks for the active company."""
    for hook in _hooks:
        hook()


def furnish_companies() -> None:
    """Run all hooks for every company there is, so that a new release's apps find what they give to new ones with the old ones too."""
    companies = apps.get_model("accounts.Company")
    for pk in companies.objects.values_list("pk", flat=True).iterator(chunk_size=1000):
        with transaction.atomic(), company_scope(pk):
            furnish_company()
