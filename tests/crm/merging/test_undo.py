"""POST /contact/merge/:id/undo and /lead/merge/:id/undo"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from billing.models import Subscription
from core.models import Event
from crm.contacts.services import set_unique_key
from crm.models import Contact, ContactTag, CustomFieldValue, Lead, Merge, Tag
from tests.crm.bulk_jobs.helpers import done as finish_job
from tests.crm.contacts.helpers import add_field, form
from tests.crm.leads.helpers import lead_field, make, product
from tests.crm.merging.helpers import differences, everything, merge, undo
from tests.crm.pipelines.helpers import default_pipeline, make_pipeline, stage_ids
from tests.kit.cast import Cast
from tests.kit.factories import ContactCategoryFactory, TagFactory

CONTACT_VALUES = st.fixed_dictionaries(
    {},
    optional={
        "name": st.sampled_from(["Ann", "Anna", "Öz"]),
        "city": st.sampled_from(["Bonn", "Köln"]),
        "score": st.sampled_from([0, 1, 2.5, -7]),
        "colors": st.lists(st.sampled_from(["red", "green", "blue"]), unique=True, min_size=1),
        "since": st.sampled_from(["2026-01-31", "2020-02-29"]),
        "vip": st.booleans(),
    },
)
LEAD_VALUES = st.fixed_dictionaries(
    {},
    optional={
        "status": st.sampled_from(["new", "contacted", "won"]),
        "source": st.sampled_from(["website", "event"]),
        "value": st.sampled_from([0, 12.5, 1000]),
        "notes": st.sampled_from(["call", "write"]),
        "budget": st.sampled_from([1, 2]),
    },
)
PLACES = st.lists(st.integers(0, 2), unique=True)


@st.composite
def stories(draw: Any, values: st.SearchStrategy[dict[str, Any]]) -> dict[str, Any]:
    """Draw some records with links, the winner, and the choices of values."""
    records = [
        {"formData": draw(values), "tags": draw(PLACES), "products": draw(PLACES)}
        for _ in range(draw(st.integers(2, 4)))
    ]
    keys = sorted({key for record in records for key in record["formData"]})
    return {
        "records": records,
        "winner": draw(st.integers(0, len(records) - 1)),
        "choices": {key: draw(st.integers(0, len(records) - 1)) for key in keys if draw(st.booleans())},
        "fillEmpty": draw(st.booleans()),
        "number": draw(st.integers(0, len(records) - 1)),
    }


@pytest.fixture
def prepared(cast: Cast) -> dict[str, list[str]]:
    """Fields of both panels, three tags and three products."""
    with cast.scope():
        add_field("city")
        add_field("score", "number", "number")
        add_field("colors", "multi-select", "array", options=["red", "green", "blue"])
        add_field("since", "date", "date")
        add_field("vip", "checkbox", "boolean")
        lead_field("budget", "number", "number")
        return {
            "tags": [TagFactory().pk for _ in range(3)],
            "products": [product(name).pk for name in ("Axe", "Bow", "Cup")],
        }


SOME = settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


@SOME
@given(story=stories(CONTACT_VALUES))
def test_undoing_gives_contacts_back_byte_for_byte(
    cast: Cast, prepared: dict[str, list[str]], story: dict[str, Any]
) -> None:
    with cast.scope():
        Contact.objects.update(is_deleted=True)
        Lead.objects.update(is_deleted=True)  # or the next contacts with these keys take them over
    ids = []
    for n, record in enumerate(story["records"]):
        tags = [prepared["tags"][place] for place in record["tags"]]
        made = cast.key.post("/contact", {"formData": form(n, **record["formData"]), "tags": tags})
        make(cast, n, formData={"notes": str(n)}, productServices=prepared["products"][n % 3 :])
        ids.append(made.data["_id"])
    choices = {key: ids[place] for key, place in story["choices"].items()} | {"number": ids[story["number"]]}
    before = everything(cast)
    winner = ids.pop(story["winner"])
    found = merge(cast, "contact", winner, *ids, choices=choices, fillEmpty=story["fillEmpty"])
    answer = undo(cast, "contact", found["_id"])
    assert (answer.status, answer.data["kept"]) == (200, []), answer.body
    assert differences(before, everything(cast)) == []


@SOME
@given(story=stories(LEAD_VALUES))
def test_undoing_gives_leads_back_byte_for_byte(
    cast: Cast, prepared: dict[str, list[str]], story: dict[str, Any]
) -> None:
    with cast.scope():
        Lead.objects.update(is_deleted=True)
    ids = []
    for n, record in enumerate(story["records"]):
        links = {
            "tags": [prepared["tags"][place] for place in record["tags"]],
            "productServices": [prepared["products"][p] for p in record["products"]],
        }
        ids.append(make(cast, n, formData=record["formData"], **links)["_id"])
    choices = {key: ids[place] for key, place in story["choices"].items()} | {"contact": ids[story["number"]]}
    before = everything(cast)
    winner = ids.pop(story["winner"])
    found = merge(cast, "lead", winner, *ids, choices=choices, fillEmpty=story["fillEmpty"])
    answer = undo(cast, "lead", found["_id"])
    assert (answer.status, answer.data["kept"]) == (200, []), answer.body
    assert differences(before, everything(cast)) == []


@pytest.fixture
def pair(cast: Cast) -> tuple[str, str]:
    with cast.scope():
        add_field("city")
        tag = TagFactory(name="theirs").pk
    ann = cast.key.post("/contact", {"formData": form(1, name="Ann")}).data["_id"]
    anna = cast.key.post("/contact", {"formData": form(2, name="Anna", city="Bonn"), "tags": [tag]}).data["_id"]
    return ann, anna


def test_the_answer_and_the_event(cast: Cast, pair: tuple[str, str]) -> None:
    ann, anna = pair
    before = [cast.key.get(f"/contact/{id}").data for id in pair]
    id = merge(cast, "contact", ann, anna)["_id"]
    answer = cast.session.post(f"/contact/merge/{id}/undo", {"automation": "skip"})
    assert (answer.status, answer.body["message"], answer.data["contacts"]) == (200, "Merge undone.", before)
    assert (answer.data["canUndo"], answer.data["undoneBy"]["_id"]) == (False, cast.owner.pk)
    assert answer.data["undoneAt"] is not None
    with cast.scope():
        event = Event.objects.get(kind="contact.unmerged")
        assert (event.object_id, event.payload, event.automation) == (ann, {"contact": ann, "losers": [anna]}, False)
    again = undo(cast, "contact", id)
    assert (again.status, again.body["warning"]) == (400, "id: the merge has been undone already")


def test_what_somebody_has_changed_since_stays_and_is_named(cast: Cast, pair: tuple[str, str]) -> None:
    ann, anna = pair
    with cast.scope():
        category = ContactCategoryFactory().pk
    id = merge(cast, "contact", ann, anna, choices={"name": anna})["_id"]
    cast.key.put(f"/contact/{ann}", {"formData": {"city": "Köln"}, "category": category})
    answer = undo(cast, "contact", id)
    assert answer.data["kept"] == [{"resource": "contact", "_id": ann, "keys": ["city"]}]
    found = {row["_id"]: row for row in answer.data["contacts"]}
    assert found[ann]["formData"] == form(1, name="Ann", city="Köln")
    assert (found[ann]["category"]["_id"], found[ann]["tags"]) == (category, [])
    assert found[anna]["formData"] == form(2, name="Anna", city="Bonn")
    with cast.scope():
        rows = CustomFieldValue.objects.values_list("contact_id", "text")
        assert set(rows) == {(ann, "Köln"), (anna, "Bonn")}
        assert set(ContactTag.objects.values_list("contact_id", flat=True)) == {anna}


def test_only_within_thirty_days(cast: Cast, pair: tuple[str, str]) -> None:
    found = merge(cast, "contact", *pair)
    with time_machine.travel(timezone.now() + timedelta(days=30, minutes=1), tick=False):
        answer = undo(cast, "contact", found["_id"])
        assert (answer.status, answer.body["message"]) == (400, "This can't be done.")
        assert answer.body["warning"].startswith("id: the merge could be undone until")
        assert cast.key.get(f"/contact/merge/{found['_id']}").data["canUndo"] is False
    with time_machine.travel(timezone.now() + timedelta(days=29, hours=23), tick=False):
        assert undo(cast, "contact", found["_id"]).status == 200


def test_later_merges_are_undone_first(cast: Cast, pair: tuple[str, str]) -> None:
    ann, anna = pair
    third = cast.key.post("/contact", {"formData": form(3)}).data["_id"]
    before = everything(cast)
    first, second = merge(cast, "contact", ann, anna)["_id"], merge(cast, "contact", third, ann)["_id"]
    answer = undo(cast, "contact", first)
    assert (answer.status, answer.body["warning"]) == (
        400,
        f"id: the contact has been merged into {third}; undo that merge first",
    )
    assert undo(cast, "contact", second).status == undo(cast, "contact", first).status == 200
    assert differences(before, everything(cast)) == []


def test_a_deleted_winner_or_an_erased_loser_cannot_be_parted(cast: Cast, pair: tuple[str, str]) -> None:
    ann, anna = pair
    id = merge(cast, "contact", ann, anna)["_id"]
    cast.key.delete("/contact", {"ids": [ann]})
    assert undo(cast, "contact", id).body["warning"] == "id: the contact has been deleted; it has to be restored first"
    with cast.scope():
        Contact.objects.filter(pk=ann).update(is_deleted=False)
        Contact.objects.filter(pk=anna).delete()
    assert undo(cast, "contact", id).body["warning"] == "id: a contact of the merge has been erased"


def test_an_address_that_somebody_else_has_by_now_is_in_the_way(cast: Cast, pair: tuple[str, str]) -> None:
    ann, anna = pair
    id = merge(cast, "contact", ann, anna)["_id"]
    taker = cast.key.post("/contact", {"formData": form(2)}).data["_id"]
    before = everything(cast)
    answer = undo(cast, "contact", id)
    assert (answer.status, answer.body["message"]) == (400, "This contact already exists.")
    assert anna in answer.body["warning"]
    assert differences(before, everything(cast)) == []
    cast.key.delete("/contact", {"ids": [taker]})
    assert undo(cast, "contact", id).status == 200


def test_keys_follow_the_unique_key_of_the_day(cast: Cast, pair: tuple[str, str]) -> None:
    ann, anna = pair
    id = merge(cast, "contact", ann, anna, choices={"email": anna})["_id"]
    with cast.scope():
        set_unique_key("number")
    assert undo(cast, "contact", id).status == 200
    with cast.scope():
        rows = Contact.objects.values_list("pk", "email", "email_key", "number_key")
        assert set(rows) == {
            (ann, "ann1@example.com", None, "+491701000001"),
            (anna, "ann2@example.com", None, "+491701000002"),
        }


def test_records_that_come_back_count_against_the_plan(cast: Cast, pair: tuple[str, str]) -> None:
    id = merge(cast, "contact", *pair)["_id"]
    with cast.scope():
        Subscription.objects.update(limits={"contact": 1})
    answer = cast.session.post(f"/contact/merge/{id}/undo")
    assert (answer.status, answer.body["success"]) == (403, False)
    assert "contacts, and there is room" in answer.body["warning"]
    assert undo(cast, "contact", id).status == 200, "the key path makes no such check"


def test_bad_bodies(cast: Cast, pair: tuple[str, str]) -> None:
    id = merge(cast, "contact", *pair)["_id"]
    for body in ({"automation": "maybe"}, {"surprise": 1}, []):
        assert cast.key.post(f"/contact/merge/{id}/undo", body).status == 400
    with cast.scope():
        assert Merge.objects.get().undone_at is None
        assert Tag.objects.count() == 1


@pytest.mark.parametrize("caller", ["key", "session"])
def test_leads_of_a_deleted_pipeline_come_to_the_default_one(cast: Cast, caller: str) -> None:
    pipeline = make_pipeline(cast)
    stages = stage_ids(pipeline)
    winner = make(cast, 1, formData={"status": "qualified"})["_id"]
    lost, asked = (make(cast, number, stage=stages[name])["_id"] for number, name in ((2, "Gone"), (3, "Asked")))
    merged = merge(cast, "lead", winner, lost, asked)["_id"]
    assert cast.key.delete("/pipeline", {"ids": [pipeline["_id"]]}).status == 200
    answer = getattr(cast, caller).post(f"/lead/merge/{merged}/undo")
    assert (answer.status, lost in answer.body["warning"], winner in answer.body["warning"]) == (200, True, False)
    places = {lead["_id"]: (lead["pipeline"]["name"], lead["stage"]["name"]) for lead in cast.key.get("/lead").data}
    name = default_pipeline(cast)["name"]
    assert places == {winner: (name, "Qualified"), lost: (name, "Lost"), asked: (name, "New")}


def test_a_winner_of_a_deleted_pipeline_comes_to_the_default_one(cast: Cast) -> None:
    pipeline = make_pipeline(cast)
    winner = make(cast, 1, stage=stage_ids(pipeline)["Gone"])["_id"]
    other = make(cast, 2, formData={"status": "qualified"})["_id"]
    merged = merge(cast, "lead", winner, other, choices={"status": other})["_id"]
    assert cast.key.get(f"/lead/{winner}").data["stage"]["name"] == "Qualified"
    assert cast.key.delete("/pipeline", {"ids": [pipeline["_id"]]}).status == 200
    assert winner in undo(cast, "lead", merged).body["warning"]
    lead = cast.key.get(f"/lead/{winner}").data
    assert (lead["stage"]["name"], lead["formData"]["status"]) == ("Lost", "lost")


def test_leads_of_a_pipeline_that_stays_come_back_without_a_warning(cast: Cast) -> None:
    pipeline = make_pipeline(cast)
    winner, lost = make(cast, 1)["_id"], make(cast, 2, stage=stage_ids(pipeline)["Gone"])["_id"]
    assert "warning" not in undo(cast, "lead", merge(cast, "lead", winner, lost)["_id"]).body
    assert cast.key.get(f"/lead/{lost}").data["pipeline"]["_id"] == pipeline["_id"]


@pytest.mark.parametrize("way", ["merge", "bulk"])
def test_leads_of_a_stage_that_became_an_open_one_stay_lost(cast: Cast, way: str) -> None:
    pipeline = make_pipeline(cast)
    stages = stage_ids(pipeline)
    winner, lost = make(cast, 1, stage=stages["Asked"])["_id"], make(cast, 2, stage=stages["Gone"])["_id"]
    if way == "merge":
        done = merge(cast, "lead", winner, lost)["_id"]
    else:
        done = cast.key.put("/lead", {"ids": [lost], "stage": stages["Asked"]}).body["bulkJob"]
    reopened = [
        {**stage, "kind": "open", "probability": 10} if stage["name"] == "Gone" else stage
        for stage in pipeline["stages"]
    ]
    reopened.append({"name": "Lost for good", "kind": "lost", "probability": 0})
    assert cast.key.put(f"/pipeline/{pipeline['_id']}", {"stages": reopened}).status == 200
    if way == "merge":
        assert undo(cast, "lead", done).status == 200
    else:
        finish_job(cast, cast.key.post(f"/bulk-job/{done}/undo").data["_id"])
    lead = cast.key.get(f"/lead/{lost}").data
    assert (lead["stage"]["name"], lead["formData"]["status"]) == ("Lost for good", "lost")
