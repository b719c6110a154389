"""/comment: comments on contacts, leads, organizations and tasks."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from core.tenancy import unscoped
from crm.activities.tasks import purge_tasks
from crm.comments.services import MAX_TEXT, RESTORE_DAYS, purge_comments
from crm.models import Comment, LeadActivity
from tests.crm.comments.helpers import PATH, SEES_ALL, caller, events, new, person, restore
from tests.crm.tasks.helpers import MISSING
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import ContactFactory, LeadFactory, OrganizationFactory

NAMES = {"contact": "bob@example.org", "lead": "Ann Lee", "organization": "Acme", "task": "Call"}


@pytest.mark.parametrize("kind", NAMES)
def test_create_read_edit_and_delete(cast: Cast, records: dict[str, str], kind: str) -> None:
    made = new(cast.key, kind, records[kind], "  Looks good\r\nto me\x00 ".replace("\x00", ""))
    author = {"_id": cast.owner.pk, "name": cast.owner.name, "email": cast.owner.email}
    assert made == {
        "_id": made["_id"],
        "text": "Looks good\nto me",
        "record": {"kind": kind, "id": records[kind], "name": NAMES[kind]},
        "mentions": [],
        "createdBy": author,
        "editedAt": None,
        "createdAt": made["createdAt"],
        "updatedAt": made["updatedAt"],
    }
    path = f"{PATH}/{made['_id']}"
    assert cast.session.get(path).data == made
    assert cast.session.put(path, {"text": "Looks good\nto me"}).data["editedAt"] is None
    edited = cast.session.put(path, {"text": "Looks bad"}).data
    assert (edited["text"], edited["editedAt"] is not None) == ("Looks bad", True)
    about = {kind: records[kind]}
    assert cast.key.delete(path).status == 200
    assert cast.key.get(path).status == cast.key.delete(path).status == 404
    assert cast.key.put(path, {"text": "x"}).body["message"] == "Comment not found."
    assert restore(cast.key, made["_id"]).data == {"restoredCount": 1}
    assert cast.key.get(path).data["text"] == "Looks bad"
    assert restore(cast.key, made["_id"]).status == 404
    assert events(cast) == [
        ("comment.created", {**about, "mentions": []}),
        ("comment.updated", {**about, "mentions": []}),
        ("comment.deleted", about),
        ("comment.restored", {**about, "mentions": []}),
    ]


def test_list(cast: Cast, records: dict[str, str]) -> None:
    made = {kind: new(cast.key, kind, id, f"On the {kind}")["_id"] for kind, id in records.items()}
    bo = person(cast, "Bo Miller")
    mention = new(caller(bo), "lead", records["lead"], f"@{cast.owner.email} please")["_id"]

    def ids(**query: Any) -> list[str]:
        answer = cast.key.get(PATH, **query)
        assert answer.status == 200, answer.body
        return [row["_id"] for row in answer.data]

    assert ids() == [mention, *reversed(made.values())]
    assert ids(sortBy="createdAt", sortOrder="asc")[0] == made["contact"]
    for kind in ("contact", "organization", "task"):
        assert ids(filters={kind: records[kind]}) == [made[kind]]
    assert ids(filters={"lead": records["lead"]}) == [mention, made["lead"]]
    assert ids(filters={"createdBy": bo.pk}) == ids(filters={"mentions": cast.owner.pk}) == [mention]
    assert ids(searchValue="on the org") == [made["organization"]]
    assert ids(filters={"createdAt": "2020-01-01"}) == []
    assert cast.key.delete("/contact", {"ids": [records["contact"]]}).status == 200
    assert made["contact"] not in ids()
    assert cast.key.get(f"{PATH}/{made['contact']}").status == 404


def test_bad_bodies(cast: Cast, outsiders: Cast, records: dict[str, str]) -> None:
    record = {"kind": "contact", "id": records["contact"]}
    assert cast.key.post(PATH, {"text": "x" * MAX_TEXT, "record": record}).status == 201
    for body in (
        {"text": "x" * (MAX_TEXT + 1), "record": record},
        *({"text": text, "record": record} for text in ("", " \n ", "\u2028", 1, None)),
        *({"text": "x", "record": bad} for bad in (None, {}, {"kind": "contact"}, {"kind": "deal", "id": MISSING})),
        {"text": "x", "record": record, "mentions": "all"},
        {"text": "x", "record": record, "more": 1},
    ):
        assert cast.key.post(PATH, body).status == 400, body
    with outsiders.scope():
        foreign = {
            "contact": ContactFactory().pk,
            "lead": LeadFactory().pk,
            "organization": OrganizationFactory().pk,
            "task": MISSING,
        }
    for kind, id in foreign.items():
        answer = cast.key.post(PATH, {"text": "x", "record": {"kind": kind, "id": id}})
        assert (answer.status, answer.body["errors"][0]["field"]) == (404 if kind == "task" else 400, "record")
        assert answer.body["message"] == f"{kind.capitalize()} not found."


def test_only_the_author_edits(cast: Cast, records: dict[str, str]) -> None:
    made = new(cast.key, "contact", records["contact"])["_id"]
    bo = caller(person(cast, "Bo Miller"))
    assert bo.get(f"{PATH}/{made}").status == 200
    for answer in (
        bo.put(f"{PATH}/{made}", {"text": "Mine"}),
        bo.delete(f"{PATH}/{made}"),
        bo.delete(PATH, {"ids": [made]}),
    ):
        assert (answer.status, answer.body["message"]) == (403, "This comment belongs to another member.")
    own = new(bo, "contact", records["contact"])["_id"]
    assert bo.delete(PATH, {"ids": [own, made]}).status == 403
    assert bo.put(f"{PATH}/{own}", {"text": "Mine"}).status == bo.delete(f"{PATH}/{own}").status == 200
    assert restore(bo, own).status == 200
    cleaner = caller(person(cast, "Cleo", {"contact": {"GET": True, "DELETE": True}}))
    assert cleaner.put(f"{PATH}/{own}", {"text": "Mine"}).status == 403
    assert cleaner.delete(PATH, {"ids": [own, "0" * 24, made]}).status == 404
    assert cast.key.get(f"{PATH}/{own}").status == cast.key.get(f"{PATH}/{made}").status == 200  # all or none
    assert cleaner.delete(PATH, {"ids": [own, own, made]}).data == {"deletedCount": 2}
    assert restore(bo, made).status == 403
    assert restore(cleaner, made).status == 200
    assert cast.key.delete(PATH, {"selectAll": True}).data == {"deletedCount": 1}
    assert cast.key.delete(PATH, {"ids": [made]}).status == 404


@pytest.mark.parametrize(
    ("module", "kinds"),
    [("contact", {"contact", "organization"}), ("lead", {"lead"}), ("lead-activity", {"task"}), ("tag", set())],
)
def test_rights_are_those_of_the_record(cast: Cast, records: dict[str, str], module: str, kinds: set[str]) -> None:
    made = {kind: new(cast.key, kind, id)["_id"] for kind, id in records.items()}
    bo = caller(person(cast, "Bo Miller", {module: {"GET": True}}))
    rows = bo.get(PATH)
    assert rows.status == (200 if kinds else 403)
    assert {row["record"]["kind"] for row in rows.body.get("data", ())} == kinds
    for kind, id in records.items():
        allowed = kind in kinds
        created = bo.post(PATH, {"text": "x", "record": {"kind": kind, "id": id}})
        assert (created.status == 201) is allowed
        assert (bo.get(f"{PATH}/{made[kind]}").status == 200) is allowed
        edited = bo.put(f"{PATH}/{made[kind]}", {"text": "x"})
        assert (edited.body["name"] == "CommentNotYours_403") is allowed
    if kinds:
        assert bo.delete(PATH, {"selectAll": True}).status == 403


def test_another_companys_looks_missing(cast: Cast, outsiders: Cast) -> None:
    with outsiders.scope():
        contact = ContactFactory().pk
    foreign = new(outsiders.key, "contact", contact)["_id"]
    for method, path, body in (
        ("GET", f"{PATH}/{foreign}", None),
        ("PUT", f"{PATH}/{foreign}", {"text": "Mine"}),
        ("DELETE", f"{PATH}/{foreign}", None),
        ("POST", f"{PATH}/restore", {"ids": [foreign]}),
        ("DELETE", PATH, {"ids": [foreign]}),
    ):
        assert cast.key.call(method, path, body).status == 404, (method, path)
    assert cast.key.get(PATH).data == []


def test_the_timeline_shows_it(cast: Cast, records: dict[str, str]) -> None:
    for kind in ("contact", "lead", "organization"):
        made = new(cast.key, kind, records[kind], f"Hi @{cast.owner.email}")
        (entry,) = cast.key.get(f"/{kind}/{records[kind]}/timeline", kind="comment").data
        assert (entry["_id"], entry["title"], entry["actor"]["_id"]) == (made["_id"], "Comment", cast.owner.pk)
        assert entry["data"]["text"] == made["text"]
        assert entry["data"]["mentions"] == made["mentions"]
        cast.key.put(f"{PATH}/{made['_id']}", {"text": "Other"})
        (entry,) = cast.key.get(f"/{kind}/{records[kind]}/timeline", kind="comment").data
        assert (entry["data"]["text"], entry["data"]["editedAt"] is None) == ("Other", False)
        cast.key.delete(f"{PATH}/{made['_id']}")
        assert cast.key.get(f"/{kind}/{records[kind]}/timeline", kind="comment").data == []
        restore(cast.key, made["_id"])
        assert cast.key.get(f"/{kind}/{records[kind]}/timeline", kind="comment").data == [entry]
    with cast.scope():
        contact = LeadActivity.objects.get(lead=records["lead"], kind="comment").contact_id
    assert cast.key.get(f"/contact/{contact}/timeline", kind="comment").data[0]["data"]["text"] == "Other"


def test_a_merge_moves_comments_and_its_undoing_brings_them_back(cast: Cast) -> None:
    with cast.scope():
        winner, loser = ContactFactory().pk, ContactFactory().pk
    made = new(cast.key, "contact", loser)["_id"]
    merge = cast.key.post("/contact/merge", {"ids": [winner, loser], "winner": winner})
    assert cast.key.get(f"{PATH}/{made}").data["record"]["id"] == winner
    assert cast.key.get(f"/contact/{winner}/timeline", kind="comment").data[0]["_id"] == made
    assert cast.key.delete(f"{PATH}/{made}").status == restore(cast.key, made).status == 200
    undone = cast.key.post(f"/contact/merge/{merge.data['_id']}/undo")
    assert undone.status == 200, undone.body
    assert cast.key.get(f"{PATH}/{made}").data["record"]["id"] == loser


def test_erasure_and_deleted_tasks_take_their_comments_along(cast: Cast, records: dict[str, str]) -> None:
    task = {"title": "Call", "dueAt": "2090-01-01T10:00:00Z", "record": {"kind": "contact", "id": records["contact"]}}
    of_contact = cast.key.post("/task", task).data["_id"]
    new(cast.key, "task", of_contact, f"@{cast.owner.email}")
    new(cast.key, "contact", records["contact"], f"@{cast.owner.email}")
    new(cast.key, "task", records["task"], f"@{cast.owner.email}")
    kept = new(cast.key, "lead", records["lead"])["_id"]
    assert cast.key.delete(f"/task/{records['task']}").status == 200
    assert [row["_id"] for row in cast.key.get(PATH, filters={"task": records["task"]}).data] == []
    with time_machine.travel(timezone.now() + timedelta(days=31)), unscoped(reason="a test"):
        assert purge_tasks() is False
    export = cast.key.get(f"/contact/{records['contact']}/personal-data")
    assert export.status in (200, 404)
    answer = cast.key.post(f"/contact/{records['contact']}/erase", {"confirm": "bob@example.org"})
    assert answer.status < 300, answer.body
    with cast.scope():
        assert list(Comment.objects.values_list("pk", flat=True)) == [kept]


def test_deleted_ones_are_removed_after_a_while(cast: Cast, records: dict[str, str]) -> None:
    made = [new(cast.key, "lead", records["lead"])["_id"] for _ in range(2)]
    assert cast.key.delete(f"{PATH}/{made[0]}").status == 200
    for days, left in ((RESTORE_DAYS - 1, 2), (RESTORE_DAYS + 1, 1)):
        with time_machine.travel(timezone.now() + timedelta(days=days)), unscoped(reason="a test"):
            assert purge_comments() is False
            assert Comment.objects.filter(pk__in=made).count() == left


def test_a_member_who_left_stays_as_a_name(cast: Cast, records: dict[str, str]) -> None:
    bo = person(cast, "Bo Miller", SEES_ALL)
    made = new(caller(bo), "lead", records["lead"], "Done")["_id"]
    asked = new(cast.key, "lead", records["lead"], "Thanks @Bo Miller")["_id"]
    assert cast.session.delete(f"/member/{bo.pk}").status == 200
    assert cast.key.get(f"{PATH}/{made}").data["createdBy"]["name"] == "Bo Miller"
    edited = cast.key.put(f"{PATH}/{asked}", {"text": "Thank you @Bo Miller!"}).data
    assert [member["label"] for member in edited["mentions"]] == ["Bo Miller"]


def test_no_comment_is_counted_or_written_twice(db: None) -> None:
    cast = make_cast()
    with cast.scope():
        contact = ContactFactory().pk
    body = {"text": "Once", "record": {"kind": "contact", "id": contact}}
    first, second = (cast.key.call("POST", PATH, body, HTTP_IDEMPOTENCY_KEY="comment-1") for _ in range(2))
    assert (first.status, first.data) == (second.status, second.data)
    with cast.scope():
        assert Comment.objects.count() == 1
