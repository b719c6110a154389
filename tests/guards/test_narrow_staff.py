"""Staff with a few permissions: their pages open, and every link on them leads to a page that opens."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import Permission
from django.db import models
from django.test import Client
from django.urls import reverse

from accounts.models import Company, User
from core.tenancy import company_scope
from tests.guards.backoffice_rows import MAKERS
from tests.kit.examples import walked
from tests.kit.factories import CompanyFactory, UserFactory
from tests.kit.rows import kept_for_module

REGISTERED = sorted(admin.site._registry, key=lambda model: model._meta.label)
CLOSED = (403, 500)


@pytest.fixture(scope="module")
def rows(django_db_setup: None, django_db_blocker: Any) -> Iterator[dict[type[models.Model], Any]]:
    """A record of each kind."""
    with kept_for_module(django_db_blocker):
        company: Company = CompanyFactory()
        with company_scope(company.pk):
            yield {model: maker(model._base_manager.count()) for model, maker in MAKERS.items()}


def permitted(*names: str) -> Client:
    """Return the browser of a staff member with these permissions."""
    user: User = UserFactory(is_staff=True)
    for name in names:
        app, _, codename = name.partition(".")
        user.user_permissions.add(Permission.objects.get(codename=codename, content_type__app_label=app))
    client = Client()
    client.force_login(user)
    return client


def links_of(html: str) -> set[str]:
    """Return the addresses of pages of the back office that a page links to."""
    root = reverse("admin:index")
    found = {unescape(address).partition("#")[0] for address in re.findall(r'href="([^"#][^"]*)"', html)}
    return {address for address in found if address.startswith(root) and "logout" not in address}


def walk(client: Client, pages: list[str], seen: dict[str, int]) -> list[tuple[str, str, int]]:
    """Open the pages and what they link to. Return (page, link, status) of each that does not open."""
    closed = []
    for page in pages:
        response = client.get(page)
        if response.status_code in CLOSED:
            closed.append(("", page, response.status_code))
            continue
        for link in sorted(links_of(response.content.decode())):
            if link not in seen:
                seen[link] = client.get(link).status_code
            if seen[link] in CLOSED:
                closed.append((page, link, seen[link]))
    return closed


def pages_of(model: type[models.Model], row: Any) -> list[str]:
    meta = model._meta
    name = f"admin:{meta.app_label}_{meta.model_name}"
    return [reverse(f"{name}_changelist"), reverse(f"{name}_change", args=(row.pk,))]


@pytest.mark.parametrize("right", ["view", "change"])
@pytest.mark.django_db
def test_one_permission_opens_all_links(rows: dict[type[models.Model], Any], right: str) -> None:
    assert len(REGISTERED) > 100
    for model in walked(REGISTERED[right == "change" :: 2]):
        client = permitted(f"{model._meta.app_label}.{right}_{model._meta.model_name}")
        assert walk(client, [reverse("admin:index"), *pages_of(model, rows[model])], {}) == [], model._meta.label


SUPPORT = ("accounts.view_company", "accounts.view_member", "accounts.view_user", "crm.view_contact")
BILLING = ("accounts.view_company", "billing.view_payment", "billing.change_payment", "billing.view_invoice")
DELIVERY = ("outreach.view_sendjob", "outreach.view_geniescheduler", "outreach.change_geniescheduler")


@pytest.mark.parametrize("names", [SUPPORT, BILLING, DELIVERY], ids=["support", "billing", "delivery"])
@pytest.mark.django_db
def test_a_job_with_a_few_permissions_opens_all_links(
    rows: dict[type[models.Model], Any], names: tuple[str, ...]
) -> None:
    client = permitted(*names)
    seen: dict[str, int] = {}
    of = {model for model in REGISTERED for name in names if name.endswith(f"_{model._meta.model_name}")}
    pages = [reverse("admin:index"), *(page for model in of for page in pages_of(model, rows[model]))]
    assert walk(client, pages, seen) == []
    assert len(seen) > 3
