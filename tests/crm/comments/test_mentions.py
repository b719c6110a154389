"""Mentions in comments: who is meant, who may be mentioned, and one notice for each."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.models import Mail, Member, Notification
from tests.crm.comments.helpers import PATH, SEES_ALL, caller, new, person, restore
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import ContactFactory
from tests.kit.threads import at_once


@pytest.fixture
def members(cast: Cast) -> dict[str, Member]:
    """Return name -> a member who sees all records."""
    names = {"Ann Lee": "ann@firm.example", "Ann Lee-Ray": "ray@firm.example", "Bo": "bo@firm.example"}
    return {name: person(cast, name, email=email) for name, email in names.items()}


def labels(comment: dict[str, Any]) -> dict[str, str]:
    """Return name -> label of the mentions."""
    return {member["name"]: member["label"] for member in comment["mentions"]}


def notices(cast: Cast) -> list[str]:
    """Return the ids of the members who were notified, in order; each had a mail as well."""
    with cast.scope():
        told = list(
            Notification.objects.filter(kind="comment.mentioned").order_by("id").values_list("member", flat=True)
        )
        assert Mail.objects.filter(kind="notice_comment_mentioned").count() == len(told)
        return told


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("@Ann Lee, look", {"Ann Lee": "Ann Lee"}),
        ("look, (@ann lee)", {"Ann Lee": "ann lee"}),
        ("@Ann Lee-Ray and\n@Bo.", {"Ann Lee-Ray": "Ann Lee-Ray", "Bo": "Bo"}),
        ("@Bo @Bo @bo@firm.example", {"Bo": "Bo"}),
        ("mail @bo@firm.example!", {"Bo": "bo@firm.example"}),
        ("@Bob @Boris @Bo_ @Ann @ Bo @@Bo x@Bo a.@Bo", {}),
        ("write to bo@firm.example", {}),
        ("@", {}),
    ],
)
def test_whom_a_text_names(
    cast: Cast, records: dict[str, str], members: dict[str, Member], text: str, expected: dict[str, str]
) -> None:
    made = new(cast.key, "lead", records["lead"], text)
    assert labels(made) == expected
    assert sorted(notices(cast)) == sorted(members[name].pk for name in expected)


def test_members_given_by_id(cast: Cast, records: dict[str, str], members: dict[str, Member]) -> None:
    bo, ann = members["Bo"], members["Ann Lee"]
    made = new(cast.key, "lead", records["lead"], "Hi @Bo", mentions=[ann.pk, bo.pk])
    assert labels(made) == {"Ann Lee": "", "Bo": "Bo"}
    path = f"{PATH}/{made['_id']}"
    assert labels(cast.key.put(path, {"text": "Hi"}).data) == {"Ann Lee": ""}
    assert labels(cast.key.put(path, {"mentions": []}).data) == {}
    for wrong in ("0" * 24, cast.company.pk):
        body = {"text": "x", "record": {"kind": "lead", "id": records["lead"]}, "mentions": [wrong]}
        assert cast.key.post(PATH, body).status == 404
    blocked = person(cast, "Cleo", status="blocked")
    assert cast.key.put(path, {"mentions": [blocked.pk]}).status == 404


def test_each_is_notified_once(cast: Cast, records: dict[str, str], members: dict[str, Member]) -> None:
    bo, ann = members["Bo"].pk, members["Ann Lee"].pk
    made = new(cast.key, "contact", records["contact"], f"@Bo and I, @{cast.owner.email}")
    assert notices(cast) == [bo]
    path = f"{PATH}/{made['_id']}"
    for text, expected in (
        ("@Bo, again", [bo]),
        ("@Bo and @Ann Lee", [bo, ann]),
        ("nobody", [bo, ann]),
        ("@Bo and @Ann Lee", [bo, ann]),
    ):
        assert cast.key.put(path, {"text": text}).status == 200
        assert notices(cast) == expected
    cast.key.delete(path)
    assert restore(cast.key, made["_id"]).status == 200
    assert notices(cast) == [bo, ann]
    with cast.scope():
        notification = Notification.objects.filter(member=bo).get()
        assert (notification.resource, notification.record_id) == ("comment", made["_id"])
        assert notification.text == f"{cast.owner.name} mentioned you in a comment about bob@example.org"


def test_the_company_switches_the_mails_off(cast: Cast, records: dict[str, str], members: dict[str, Member]) -> None:
    setting = {"notificationSettings": {"comment.mentioned": {"email": False}}}
    assert cast.key.put("/settings", setting).status == 200
    new(cast.key, "contact", records["contact"], "@Bo")
    with cast.scope():
        assert Notification.objects.filter(kind="comment.mentioned").count() == 1
        assert not Mail.objects.filter(kind="notice_comment_mentioned").exists()


@pytest.mark.parametrize(("sees_members", "named"), [(True, True), (False, False)])
def test_who_may_not_see_the_record_is_refused(
    cast: Cast, records: dict[str, str], sees_members: bool, named: bool
) -> None:
    blind = person(cast, "Cleo Blind", {"contact": {"GET": True}})
    writer = caller(person(cast, "Writer", {**SEES_ALL, "member": {"GET": sees_members}}))
    for body in ({"text": "@Cleo Blind"}, {"text": "Hi", "mentions": [blind.pk]}):
        answer = writer.post(PATH, {**body, "record": {"kind": "lead", "id": records["lead"]}})
        assert (answer.status, answer.body["message"]) == (400, "A mentioned member can't see this record.")
        assert ("Cleo Blind" in answer.body["warning"]) is named
    assert writer.get(PATH).data == []
    assert labels(new(writer, "contact", records["contact"], "@Cleo Blind")) == {"Cleo Blind": "Cleo Blind"}


def test_two_members_of_one_name(cast: Cast, records: dict[str, str], members: dict[str, Member]) -> None:
    other = person(cast, "Bo", email="other@firm.example")
    record = {"kind": "lead", "id": records["lead"]}
    refused = cast.key.post(PATH, {"text": "@Bo", "record": record})
    assert refused.status == 400
    assert refused.body["message"] == "Several members have this name. Mention them by email address."
    by_mail = new(cast.key, "lead", records["lead"], "@other@firm.example")
    assert by_mail["mentions"][0]["_id"] == other.pk
    by_id = new(cast.key, "lead", records["lead"], "@Bo", mentions=[other.pk])
    assert [(member["_id"], member["label"]) for member in by_id["mentions"]] == [(other.pk, "Bo")]
    # The one who is meant stays, whatever the edit adds.
    edited = cast.key.put(f"{PATH}/{by_id['_id']}", {"text": "@Bo, hello"}).data
    assert [member["_id"] for member in edited["mentions"]] == [other.pk]
    # Of two, only one may see the record: there is nothing to ask.
    person(cast, "Dan", {"contact": {"GET": True}})
    seeing = person(cast, "Dan")
    assert new(cast.key, "lead", records["lead"], "@Dan")["mentions"][0]["_id"] == seeing.pk


def test_a_mention_survives_a_new_name(cast: Cast, records: dict[str, str], members: dict[str, Member]) -> None:
    made = new(cast.key, "lead", records["lead"], "@Bo, look")
    with cast.scope():
        Member.objects.filter(pk=members["Bo"].pk).update(name="Beau")
    assert labels(cast.key.get(f"{PATH}/{made['_id']}").data) == {"Beau": "Bo"}
    assert labels(cast.key.put(f"{PATH}/{made['_id']}", {"text": "@Bo, look here"}).data) == {"Beau": "Bo"}


def test_members_of_other_companies_are_not_meant(cast: Cast, outsiders: Cast, records: dict[str, str]) -> None:
    person(outsiders, "Zoe Far")
    assert new(cast.key, "lead", records["lead"], "@Zoe Far")["mentions"] == []


def test_too_many(cast: Cast, records: dict[str, str]) -> None:
    text = " ".join(f"@member{n}@firm.example" for n in range(51))
    for n in range(51):
        person(cast, f"Member {n}", email=f"member{n}@firm.example")
    answer = cast.key.post(PATH, {"text": text, "record": {"kind": "lead", "id": records["lead"]}})
    assert (answer.status, answer.body["errors"][0]["field"]) == (400, "text")


@pytest.mark.django_db(transaction=True)
def test_edits_at_once_notify_once(transactional_db: None) -> None:
    cast = make_cast()
    bo = person(cast, "Bo")
    with cast.scope():
        contact = ContactFactory().pk
    made = new(cast.key, "contact", contact)["_id"]

    def edit(n: int) -> None:
        assert cast.key.put(f"{PATH}/{made}", {"text": f"@Bo {n}"}).status == 200

    at_once(4, None, edit)
    assert notices(cast) == [bo.pk]
