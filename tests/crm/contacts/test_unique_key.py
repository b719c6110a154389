"""What makes contacts unique: the setting, and the database under concurrency."""

from __future__ import annotations

from collections import Counter

import pytest

from core.errors import NamedError
from core.models import Event
from core.tenancy import company_scope
from core.tenancy.provisioning import provision_company
from crm.contacts.services import create_contact, create_contacts, set_unique_key, update_contact
from crm.models import Contact
from tests.crm.contacts.helpers import form
from tests.kit.cast import Cast
from tests.kit.factories import CompanyFactory, MemberFactory
from tests.kit.threads import at_once


@pytest.fixture
def office(transactional_db: None) -> tuple[str, str]:
    """A committed company and its owner, so that threads see them."""
    company = CompanyFactory()
    with company_scope(company.pk):
        provision_company()
        owner = MemberFactory()
    return company.pk, owner.pk


def test_fifty_creations_of_one_contact_make_one(office: tuple[str, str]) -> None:
    company, owner = office
    results = at_once(50, company, lambda n: type(create_contact(actor_id=owner, form_data=form(1))).__name__)
    assert Counter(results) == {"Saved": 1, "ContactAlreadyExists_400": 49}
    with company_scope(company):
        assert Contact.objects.count() == 1
        assert Event.objects.filter(kind="contact.created").count() == 1


def test_either_part_of_the_key_counts_under_concurrency(office: tuple[str, str]) -> None:
    company, owner = office
    results = at_once(
        20,
        company,
        lambda n: type(create_contact(actor_id=owner, form_data=form(1, email=f"a{n}@example.com"))).__name__,
    )
    assert Counter(results) == {"Saved": 1, "ContactAlreadyExists_400": 19}


def test_updating_what_exists_under_concurrency_makes_one(office: tuple[str, str]) -> None:
    company, owner = office
    results = at_once(
        20,
        company,
        lambda n: create_contact(actor_id=owner, form_data=form(1, name=f"Ann {n}"), existing_error=False).id,
    )
    assert len(set(results)) == 1
    with company_scope(company):
        assert Contact.objects.count() == 1


def test_updates_to_one_address_under_concurrency_leave_one_with_it(office: tuple[str, str]) -> None:
    company, owner = office
    with company_scope(company):
        ids = create_contacts(actor_id=owner, items=[form(n) for n in range(10)]).created
    results = at_once(
        10,
        company,
        lambda n: type(update_contact(id=ids[n], actor_id=owner, form_data={"email": "same@example.com"})).__name__,
    )
    assert Counter(results) == {"BulkJob": 1, "ContactAlreadyExists_400": 9}


def test_bulk_creations_that_overlap_neither_deadlock_nor_double(office: tuple[str, str]) -> None:
    company, owner = office

    def create(n: int) -> tuple[int, int]:
        items = [form(i) for i in range(100)]
        result = create_contacts(actor_id=owner, items=items[::-1] if n % 2 else items)
        return len(result.created), len(result.failed)

    results = at_once(8, company, create)
    assert sum(created for created, _ in results) == 100
    assert sum(failed for _, failed in results) == 700
    with company_scope(company):
        assert Contact.objects.count() == 100


def test_a_setting_of_one_part_frees_the_other(cast: Cast) -> None:
    with cast.scope():
        set_unique_key("email")
    assert cast.key.post("/contact", {"formData": form(1)}).status == 200
    assert cast.key.post("/contact", {"formData": form(1, email="bob@example.com")}).status == 200
    assert cast.key.post("/contact", {"formData": form(2, email="BOB@example.com")}).status == 400
    with cast.scope():
        assert set(Contact.objects.values_list("email_key", "number_key")) == {
            ("ann1@example.com", None),
            ("bob@example.com", None),
        }
    moved = cast.key.put("/contact", {"selectAll": True, "formData": {"countryCode": "+49", "number": "1701234567"}})
    assert moved.data == {"matchedCount": 2, "updatedCount": 2}
    with cast.scope():
        for value in ("number", "either"):
            with pytest.raises(NamedError) as refused:
                set_unique_key(value)
            assert (
                str(refused.value)
                == "UniqueKeyInvalid_400: 2 contacts share 1 values of number; merge or delete them first"
            )
        assert Contact.objects.filter(number_key=None).count() == 2


def test_the_setting_rewrites_the_keys_of_all_contacts(cast: Cast) -> None:
    cast.key.post("/contact", {"formData": form(1, email="Ånn@Example.com")})
    with cast.scope():
        set_unique_key("number")
        assert list(Contact.objects.values_list("email_key", "number_key")) == [(None, "+491701000001")]
    assert cast.key.post("/contact", {"formData": form(2, email="ånn@example.com")}).status == 200
    assert cast.key.post("/contact", {"formData": form(2)}).status == 400
    with cast.scope():
        with pytest.raises(NamedError):
            set_unique_key("email")
        Contact.objects.filter(number="1701000002").update(is_deleted=True)
        set_unique_key("email")
        assert list(Contact.objects.filter(is_deleted=False).values_list("email_key", "number_key")) == [
            ("ånn@example.com", None)
        ]
    assert cast.key.post("/contact", {"formData": form(3, email="ÅNN@example.com")}).status == 400


def test_an_unknown_setting_is_refused(cast: Cast) -> None:
    with cast.scope(), pytest.raises(NamedError) as refused:
        set_unique_key("name")
    assert refused.value.name == "UniqueKeyInvalid_400"


def test_the_setting_of_another_company_stays(cast: Cast, outsiders: Cast) -> None:
    outsiders.key.post("/contact", {"formData": form(1)})
    with cast.scope():
        set_unique_key("email")
    with outsiders.scope():
        assert list(Contact.objects.values_list("email_key", "number_key")) == [("ann1@example.com", "+491701000001")]
    outsiders.company.refresh_from_db()
    assert outsiders.company.contact_unique_key == "either"
