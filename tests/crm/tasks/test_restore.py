"""POST /task/restore: deleted tasks come back, with their comments, for some days."""

from __future__ import annotations

from datetime import timedelta

import time_machine
from django.utils import timezone

from core.events import deliver
from core.jobs import WORK
from core.models import Event
from core.tenancy import unscoped
from crm.activities.tasks import RESTORE_DAYS, purge_tasks
from crm.models import Comment, FollowUp
from tests.crm.tasks.helpers import MISSING, PATH, new
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import ContactFactory, LeadFactory


def ids(cast: Cast, path: str = PATH) -> list[str]:
    return sorted(row["_id"] for row in cast.key.get(path).data)


def test_a_bulk_deletion_is_undone(cast: Cast) -> None:
    with cast.scope():
        lead, contact = LeadFactory().pk, ContactFactory().pk
    of_lead, of_contact = new(cast, "lead", lead)["_id"], new(cast, "contact", contact, recurrence="weekly")["_id"]
    other = new(cast)["_id"]
    comment = cast.key.post("/comment", {"text": "Soon", "record": {"kind": "task", "id": of_lead}}).data["_id"]
    before = cast.key.get(f"{PATH}/{of_contact}").data
    assert cast.key.delete(PATH, {"ids": [of_lead, of_contact]}).data == {"deletedCount": 2}
    assert (ids(cast), ids(cast, "/lead-activity/follow-up")) == ([other], [])
    assert cast.key.delete(PATH, {"ids": [of_lead]}).status == 404
    assert cast.key.put(f"{PATH}/{of_lead}", {"title": "x"}).status == 404
    assert cast.key.get(f"/comment/{comment}").status == 404
    for wrong in ([of_lead, other], [of_lead, MISSING], []):
        assert cast.key.post(f"{PATH}/restore", {"ids": wrong}).status == 404
    assert cast.key.post(f"{PATH}/restore", {"ids": [of_lead, of_contact]}).data == {"restoredCount": 2}
    assert (ids(cast), ids(cast, "/lead-activity/follow-up")) == (sorted([of_lead, of_contact, other]), [of_lead])
    assert cast.key.get(f"/comment/{comment}").status == 200
    after = cast.key.get(f"{PATH}/{of_contact}").data
    assert {**after, "updatedAt": ""} == {**before, "updatedAt": ""}
    with cast.scope():
        kinds = Event.objects.filter(kind__endswith=".restored").order_by("kind").values_list("kind", "object_id")
        assert sorted(kinds) == [
            ("follow-up.restored", of_lead),
            *sorted([("task.restored", of_contact), ("task.restored", of_lead)]),
        ]
    deliver()
    titles = [entry["title"] for entry in cast.key.get(f"/contact/{contact}/timeline").data]
    assert titles[0] == "Task restored: Send the offer"


def test_of_deleted_records_and_other_companies(cast: Cast, outsiders: Cast) -> None:
    with cast.scope():
        contact = ContactFactory().pk
    task = new(cast, "contact", contact)["_id"]
    foreign = new(outsiders)["_id"]
    assert cast.key.delete(f"{PATH}/{task}").status == outsiders.key.delete(f"{PATH}/{foreign}").status == 200
    assert cast.key.delete("/contact", {"ids": [contact]}).status == 200
    for id in (task, foreign):
        assert cast.key.post(f"{PATH}/restore", {"ids": [id]}).status == 404


def test_it_takes_the_right_to_add_tasks(db: None) -> None:
    for permission, status in (({"GET": True, "DELETE": True}, 403), ({"POST": True}, 200)):
        cast = make_cast({"lead-activity": permission})
        task = new(cast)["_id"]
        assert cast.key.delete(f"{PATH}/{task}").status == 200
        assert cast.narrow_session.post(f"{PATH}/restore", {"ids": [task]}).status == status


def test_nobody_is_reminded_of_a_deleted_task(cast: Cast) -> None:
    due = timezone.now() + timedelta(hours=1)
    task = new(cast, dueAt=due.isoformat(), remindMinutes=5)["_id"]
    assert cast.key.delete(f"{PATH}/{task}").status == 200
    with time_machine.travel(due + timedelta(minutes=1), tick=False):
        assert not WORK["reminders"].due()


def test_deleted_ones_are_removed_after_a_while(cast: Cast) -> None:
    task, kept = new(cast)["_id"], new(cast)["_id"]
    cast.key.post("/comment", {"text": "Soon", "record": {"kind": "task", "id": task}})
    assert cast.key.delete(f"{PATH}/{task}").status == 200
    for days, left in ((RESTORE_DAYS - 1, 2), (RESTORE_DAYS + 1, 1)):
        with time_machine.travel(timezone.now() + timedelta(days=days)), unscoped(reason="a test"):
            assert purge_tasks() is False
            assert FollowUp.objects.filter(pk__in=[task, kept]).count() == left
    with cast.scope():
        assert not Comment.objects.exists()
