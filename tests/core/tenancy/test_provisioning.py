"""The apps provide each company with its first records, old companies after an upgrade."""

from __future__ import annotations

from django.core.management import call_command

from accounts.models import CompanySettings, Role
from crm.models import CustomField
from tests.kit.cast import Cast
from tests.kit.factories import CompanyFactory


def counts(company: str) -> dict[str, int]:
    from core.tenancy import company_scope

    with company_scope(company):
        return {model.__name__: model.objects.count() for model in (CompanySettings, Role, CustomField)}


def test_migrate_provisions_the_companies_that_are_there(cast: Cast) -> None:
    bare = CompanyFactory()
    before = counts(cast.company.pk)
    call_command("migrate", verbosity=0)
    assert counts(bare.pk) == {"CompanySettings": 1, "Role": 4, "CustomField": before["CustomField"]}
    assert counts(cast.company.pk) == before
