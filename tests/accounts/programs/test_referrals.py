"""Referral codes and attribution."""

from __future__ import annotations

from collections import Counter

import pytest
from django.db import IntegrityError, transaction

from accounts.models import Referral
from accounts.programs.referrals import ALPHABET, LENGTH, clean_code, make_code, record_referral
from accounts.programs.services import revoke_partnership, set_refer_program
from tests.accounts.programs.helpers import bring, make_partner, make_referrer
from tests.kit.factories import CompanyFactory, UserFactory

pytestmark = pytest.mark.django_db


def test_codes_are_short_and_cannot_be_misread() -> None:
    made = [make_code(prefix) for prefix in "PR" for _ in range(500)]
    assert len(set(made)) == 1000
    assert {len(code) for code in made} == {LENGTH} == {8}
    assert Counter(code[0] for code in made) == {"P": 500, "R": 500}
    assert not set("01AEILOUY") & set(ALPHABET)
    assert {character for code in made for character in code[1:]} == set(ALPHABET)


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("PBCDFGH2", "PBCDFGH2"),
        (" pbcd-fgh2\n", "PBCDFGH2"),
        ("r234 5678", "R2345678"),
        ("", ""),
        ("XBCDFGH2", ""),
        ("PBCDFGH", ""),
        ("PBCDFGH22", ""),
        ("PBCDFGH0", ""),
        ("P' OR 1=1", ""),
        ("P\0BCDFGH2", ""),
        ("P" * 100_000, ""),
    ],
)
def test_what_is_typed_is_cleaned(typed: str, code: str) -> None:
    assert clean_code(typed) == code


def test_a_partners_code_attributes_whatever_its_case() -> None:
    partner, user, company = make_partner(), UserFactory(), CompanyFactory()
    found = record_referral(user=user, company=company, code=f" {partner.code.lower()} ")
    assert found is not None
    stored = Referral.objects.get()
    assert (stored.pk, stored.program, stored.referrer, stored.user, stored.referred_company, stored.code) == (
        found.pk,
        "partner",
        partner.user,
        user,
        company,
        partner.code,
    )


def test_a_refer_code_attributes_to_the_refer_program() -> None:
    program = make_referrer()
    assert (bring(program.code).program, Referral.objects.get().referrer) == ("refer", program.user)


@pytest.mark.parametrize("code", ["", "P2222222", "nonsense", "💥", "x" * 500])
def test_an_unknown_code_changes_nothing(code: str) -> None:
    make_partner()
    assert record_referral(user=UserFactory(), company=CompanyFactory(), code=code) is None
    assert Referral.objects.count() == 0


@pytest.mark.parametrize("status", ["requested", "rejected", "revoked"])
def test_only_an_approved_partners_code_works(status: str) -> None:
    partner = make_partner(status=status)
    assert record_referral(user=UserFactory(), company=CompanyFactory(), code=partner.code) is None
    assert Referral.objects.count() == 0


def test_a_code_stops_with_the_program_and_works_again() -> None:
    partner, program = make_partner(), make_referrer()
    revoke_partnership(program_id=partner.pk, by=UserFactory())
    set_refer_program(user_id=program.user_id, status="inactive")
    for code in (partner.code, program.code):
        assert record_referral(user=UserFactory(), company=CompanyFactory(), code=code) is None
    assert set_refer_program(user_id=program.user_id, status="active").code == program.code
    assert bring(program.code).referrer_id == program.user_id


def test_a_closed_accounts_code_does_not_work() -> None:
    partner = make_partner(user=UserFactory(is_active=False))
    assert record_referral(user=UserFactory(), company=CompanyFactory(), code=partner.code) is None


def test_nobody_brings_themselves() -> None:
    partner = make_partner()
    assert record_referral(user=partner.user, company=CompanyFactory(), code=partner.code) is None
    with pytest.raises(IntegrityError), transaction.atomic():
        Referral.objects.create(program="partner", referrer=partner.user, user=partner.user, code=partner.code)
    assert Referral.objects.count() == 0


def test_the_first_referrer_stays() -> None:
    first, second, user = make_partner(), make_referrer(), UserFactory()
    assert record_referral(user=user, company=CompanyFactory(), code=first.code).referrer == first.user
    assert record_referral(user=user, company=CompanyFactory(), code=second.code) is None
    assert [found.referrer for found in Referral.objects.all()] == [first.user]
    with pytest.raises(IntegrityError), transaction.atomic():
        Referral.objects.create(program="refer", referrer=second.user, user=user, code=second.code)


def test_a_company_is_brought_once() -> None:
    first, second, company = make_partner(), make_partner(), CompanyFactory()
    assert record_referral(user=UserFactory(), company=company, code=first.code) is not None
    assert record_referral(user=UserFactory(), company=company, code=second.code) is None
    assert Referral.objects.get().referrer == first.user
