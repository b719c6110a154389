"""POST /genie/audience-preview."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from crm.models import Contact, ContactTag, Lead
from outreach.models import SendJob, Suppression
from outreach.runs.genie.audience import Audience
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import ContactCategoryFactory, ContactFactory, LeadFactory, TagFactory
from tests.outreach.helpers import Post, planned

MISSING = "0" * 24
PATH = "/genie/audience-preview"


def test_the_selectors_are_a_union_and_each_reason_is_counted(cast: Cast) -> None:
    with cast.scope():
        tag, category = TagFactory(), ContactCategoryFactory()
        named = ContactFactory(name="Named")
        tagged = ContactFactory()
        both = ContactFactory(category=category)
        for contact in (tagged, both):
            ContactTag.objects.create(contact=contact, tag=tag)
        ContactFactory(category=category, unsubscribed_at=timezone.now())
        ContactFactory(category=category, email=None)
        ContactFactory(category=category, email="no address")
        listed = ContactFactory(category=category, email="Listed@Example.org")
        Suppression.objects.create(email="listed@example.org", reason="manual")
        ContactFactory(category=category, is_deleted=True)
        ContactFactory()
    answer = cast.key.post(PATH, {"contactIds": [named.pk], "tags": [tag.pk], "categories": [category.pk]})
    assert answer.status == 200
    assert answer.data["count"] == 7
    assert answer.data["sendable"] == 3
    assert answer.data["excluded"] == {"unsubscribed": 1, "no_valid_address": 2, "address_suppressed": 1}
    shown = {row["_id"]: row["decision"] for row in answer.data["sample"]}
    assert len(shown) == 7
    assert (shown[named.pk]["state"], shown[named.pk]["reason"]) == ("ready", None)
    assert (shown[listed.pk]["state"], shown[listed.pk]["reason"]) == ("stop", "address_suppressed")
    assert answer.data["sample"][0]["name"] == "Named"


def test_who_is_in_a_run_of_late_is_counted(cast: Cast, post: Post) -> None:
    run = planned(cast, 5, draft=True)
    with cast.scope():
        waits, sent, declined, old, unsubscribed = SendJob.objects.filter(run_id=run).order_by("id")
        for job, change in (
            (sent, {"status": "sent"}),
            (declined, {"status": "cancelled"}),
            (old, {"status": "sent", "created_at": timezone.now() - timedelta(days=31)}),
        ):
            SendJob.objects.filter(pk=job.pk).update(**change)
        Contact.objects.filter(pk=unsubscribed.contact_id).update(unsubscribed_at=timezone.now())
        ids = [job.contact_id for job in (waits, sent, declined, old, unsubscribed)]
    found = cast.key.post(PATH, {"contactIds": ids}).data
    assert (found["count"], found["sendable"], found["writtenRecently"]) == (5, 4, 2)


def test_an_empty_selection_is_an_empty_audience(cast: Cast) -> None:
    with cast.scope():
        ContactFactory()
    nobody = {"count": 0, "sendable": 0, "writtenRecently": 0, "excluded": {}, "sample": []}
    assert cast.key.post(PATH, {}).data == nobody
    assert (
        cast.session.post(
            PATH, {"contactIds": [], "leadIds": [], "segments": None, "tags": None, "categories": None}
        ).data["count"]
        == 0
    )


def test_the_number_of_queries_does_not_grow_with_the_audience(cast: Cast, django_assert_num_queries: Any) -> None:
    with cast.scope():
        few = [ContactFactory().pk for _ in range(2)]
        many = [ContactFactory().pk for _ in range(40)]
    cast.key.get("/company")  # the first use of a key in a minute is written down
    counted = []
    for ids in (few, many):
        with django_assert_num_queries(12, exact=False) as found:
            assert cast.key.post(PATH, {"contactIds": ids}).data["sendable"] == len(ids)
        counted.append(len(found))
    assert counted[0] == counted[1]


@pytest.mark.parametrize("selector", ["contactIds", "leadIds", "tags", "categories"])
def test_ids_of_nobody_and_of_another_company_are_named(cast: Cast, outsiders: Cast, selector: str) -> None:
    with outsiders.scope():
        makers = {
            "contactIds": ContactFactory,
            "leadIds": LeadFactory,
            "tags": TagFactory,
            "categories": ContactCategoryFactory,
        }
        foreign = makers[selector]().pk
    for id in (MISSING, foreign):
        answer = cast.key.post(PATH, {selector: [id]})
        assert answer.status == 400
        assert answer.body["warning"] == f"{selector}: {id} not found in this company (1 in all)"
    assert "24 hex" in cast.key.post(PATH, {selector: ["xyz"]}).body["warning"]
    assert selector in cast.key.post(PATH, {selector: "x"}).body["warning"]


def test_leads_stand_for_their_contacts(scope: Cast) -> None:
    named, other, gone = ContactFactory(name="A"), ContactFactory(name="B"), ContactFactory(is_deleted=True)
    leads = [LeadFactory(contact=contact).pk for contact in (named, named, other, gone)]
    body = {"contactIds": [named.pk], "leadIds": leads}
    answer = scope.key.post(PATH, body)
    assert (answer.data["count"], answer.data["sendable"]) == (2, 2)
    assert [row["_id"] for row in answer.data["sample"]] == [named.pk, other.pk]
    stored = Audience.from_json({"leadIds": leads})
    assert stored.as_json()["leadIds"] == leads
    assert stored.next_ids("", 1) == [named.pk]
    assert stored.next_ids(named.pk, 5) == [other.pk, gone.pk]
    Lead.objects.filter(contact=other).update(is_deleted=True)
    refused = scope.key.post(PATH, body)
    assert (refused.status, refused.body["message"]) == (400, "Lead not found.")
    assert set(Audience.from_json({"leadIds": leads}).contacts()) == {named}


@pytest.mark.parametrize("path", [PATH, "/genie/draft-preview", "/campaign/audience-preview"])
def test_who_may_not_read_contacts_is_told_nothing_of_them(db: None, path: str) -> None:
    may = {"genie": {"POST": True}, "campaign": {"POST": True}}
    reader, other = make_cast({**may, "contact": {"GET": True}}), make_cast(may)
    assert reader.narrow_session.post(path, {}).status in (200, 400)  # 400: nothing writes drafts there
    refused = other.narrow_session.post(path, {})
    assert (refused.status, "contact.GET" in refused.body["warning"]) == (403, True)
    assert make_cast().narrow_session.post(path, {}).status == 403


def test_walking_an_audience_meets_each_contact_once(scope: Cast) -> None:
    tag = TagFactory()
    ids = [ContactFactory().pk for _ in range(23)]
    tagged = [ContactFactory().pk for _ in range(12)] + ids[:5]
    for id in tagged:
        ContactTag.objects.create(contact_id=id, tag=tag)
    category = ContactCategoryFactory()
    filed = [ContactFactory(category=category).pk for _ in range(3)]
    ContactFactory()
    dead = ContactFactory(is_deleted=True).pk
    audience = Audience.from_json({"contactIds": [*ids, dead], "tags": [tag.pk], "categories": [category.pk]})
    met: list[str] = []
    while found := audience.next_ids(met[-1] if met else "", 4):
        met += found
    assert met == sorted({*ids, *tagged, *filed, dead})
