"""The built-in writer of new companies: within the plan, and once."""

from __future__ import annotations

import pytest

from accounts.models import Company
from accounts.registration.companies import create_company
from billing.models import Subscription
from core.access import Entitlement
from core.tenancy import company_scope
from core.tenancy.provisioning import provision_companies
from outreach.models import AiApp
from tests.kit.factories import UserFactory
from tests.kit.plans import allow

pytestmark = pytest.mark.django_db


def writers(company: Company) -> list[tuple[str, bool, bool]]:
    with company_scope(company.pk):
        return list(AiApp.objects.values_list("provider", "is_active", "is_default"))


def test_a_new_company_has_it() -> None:
    company, owner = create_company(name="Harbour Tools", owner=UserFactory())
    assert writers(company) == [("offline-composer", True, True)]
    with company_scope(company.pk):
        assert AiApp.objects.get().created_by_id == owner.pk


def test_a_removed_one_stays_away_after_an_upgrade() -> None:
    company, _ = create_company(name="Harbour Tools", owner=UserFactory())
    with company_scope(company.pk):
        AiApp.objects.all().delete()
    provision_companies()
    assert writers(company) == []


@pytest.mark.parametrize(
    "allowed",
    [
        None,
        Entitlement(limits={"apps": 0}),
        Entitlement(modules=frozenset({"contact"})),
    ],
)
def test_a_plan_without_room_has_none(monkeypatch: pytest.MonkeyPatch, allowed: Entitlement | None) -> None:
    allow(monkeypatch, allowed)
    company, _ = create_company(name="Harbour Tools", owner=UserFactory())
    assert writers(company) == []
    with company_scope(company.pk):
        assert Subscription.objects.exists()
