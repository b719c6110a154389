"""Tags that are created where they are chosen: in the form of a contact and in a change of many."""

from __future__ import annotations

import pytest
from django.test import Client

from accounts.models import Member
from crm.models import Contact, ContactTag, Tag
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import ContactFactory
from tests.kit.html import html_of
from tests.web.helpers import at, enter, text_of


@pytest.fixture
def owner(cast: Cast) -> Member:
    return cast.owner


@pytest.fixture
def browser(owner: Member) -> Client:
    return enter(owner)


def tags_of(cast: Cast, contact: Contact) -> set[str]:
    with cast.scope():
        return set(ContactTag.objects.filter(contact=contact).values_list("tag__name", flat=True))


NEEDED = {"name": "Ann", "email": "ann@example.org", "countryCode": "+44", "number": "7400123456"}


def test_a_new_contact_brings_a_new_tag(owner: Member, cast: Cast, browser: Client) -> None:
    place = at(owner, "contacts/new")
    assert 'name="newTag"' in html_of(browser.get(place))
    assert browser.post(place, {"do": "save", **NEEDED, "newTag": "  Fair 2027 "}).status_code == 303
    with cast.scope():
        contact = Contact.objects.get()
    assert tags_of(cast, contact) == {"Fair 2027"}


def test_a_tag_that_exists_is_taken_whatever_its_case(owner: Member, cast: Cast, browser: Client) -> None:
    with cast.scope():
        tag, other = Tag.objects.create(name="Press"), Tag.objects.create(name="VIP")
        contact = ContactFactory()
    place = at(owner, f"contacts/{contact.pk}")
    for sent, expected in (
        ({"tags": [other.pk], "newTag": "press"}, {"Press", "VIP"}),
        ({"tags": [tag.pk, other.pk], "newTag": "PRESS"}, {"Press", "VIP"}),
        ({"tags": [tag.pk, other.pk], "newTag": "Third"}, {"Press", "VIP", "Third"}),
        ({"tags": [other.pk], "newTag": ""}, {"VIP"}),
    ):
        assert browser.post(place, {"do": "save", **sent}).status_code == 303, sent
        assert tags_of(cast, contact) == expected
    with cast.scope():
        assert Tag.objects.count() == 3


def test_a_name_that_no_tag_may_have_is_refused_at_its_field(owner: Member, cast: Cast, browser: Client) -> None:
    refused = browser.post(at(owner, "contacts/new"), {"do": "save", **NEEDED, "newTag": "x" * 300})
    assert (refused.status_code, 'id="f-newTag-error"' in html_of(refused)) == (422, True)
    with cast.scope():
        assert not Contact.objects.exists()


@pytest.mark.parametrize(("how", "expected"), [("append", {"Old", "New"}), ("set", {"New"})])
def test_many_get_a_new_tag(owner: Member, cast: Cast, browser: Client, how: str, expected: set[str]) -> None:
    with cast.scope():
        contacts = [ContactFactory() for _ in range(2)]
        old = Tag.objects.create(name="Old")
        for contact in contacts:
            ContactTag.objects.create(contact=contact, tag=old)
    place, ids = at(owner, "contacts/change"), [contact.pk for contact in contacts]
    assert "New tag" in text_of(browser.post(place, {"do": "choose", "what": "tags", "ids": ids}))
    sent = {"do": "save", "what": "tags", "ids": ids, "how": how}
    assert browser.post(place, sent).status_code == 422
    assert browser.post(place, {**sent, "newTag": "New"}).status_code == 303
    assert [tags_of(cast, contact) for contact in contacts] == [expected] * 2


def test_who_may_add_no_tags_is_offered_none(db: None) -> None:
    cast = make_cast({"contact": {"GET": True, "POST": True, "PUT": True}, "tag": {"GET": True}})
    browser = enter(cast.narrow)
    assert 'name="newTag"' not in html_of(browser.get(at(cast.narrow, "contacts/new")))
    assert browser.post(at(cast.narrow, "contacts/new"), {"do": "save", **NEEDED, "newTag": "Sly"}).status_code == 303
    with cast.scope():
        assert not Tag.objects.exists()


@pytest.mark.parametrize("email", ["no address", "taken@example.org"])
def test_a_refused_contact_leaves_no_new_tag(owner: Member, cast: Cast, browser: Client, email: str) -> None:
    with cast.scope():
        ContactFactory(email="taken@example.org")
        contact = ContactFactory(email="ann@example.org")
    for place in ("contacts/new", f"contacts/{contact.pk}"):
        refused = browser.post(at(owner, place), {"do": "save", **NEEDED, "email": email, "newTag": "Fair 2027"})
        assert (refused.status_code, 'value="Fair 2027"' in html_of(refused)) == (422, True), place
        with cast.scope():
            assert not Tag.objects.exists()
    assert browser.post(at(owner, f"contacts/{contact.pk}"), {"do": "save", "newTag": "Fair 2027"}).status_code == 303
    assert tags_of(cast, contact) == {"Fair 2027"}


def test_a_refused_change_of_many_leaves_no_new_tag(owner: Member, cast: Cast, browser: Client) -> None:
    with cast.scope():
        contact = ContactFactory()
    sent = {"do": "save", "what": "tags", "ids": [contact.pk], "how": "gone", "newTag": "New"}
    assert browser.post(at(owner, "contacts/change"), sent).status_code == 422
    with cast.scope():
        assert not Tag.objects.exists()
