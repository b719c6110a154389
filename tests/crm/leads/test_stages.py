"""The stage of a lead and its status: each follows the other, and clients that know the status alone run on."""

from __future__ import annotations

from typing import Any

import pytest

from core.models import Event
from crm.models import Lead, StageChange
from tests.crm.bulk_jobs.helpers import done
from tests.crm.leads.helpers import make
from tests.crm.pipelines.helpers import default_pipeline, make_pipeline, stage_ids
from tests.kit.cast import Cast
from tests.kit.factories import LeadFactory


@pytest.fixture
def wholesale(cast: Cast) -> dict[str, Any]:
    return make_pipeline(cast)


def place(lead: dict[str, Any]) -> tuple[str, str, str]:
    return lead["pipeline"]["name"], lead["stage"]["name"], lead["status"]


def change(cast: Cast, lead: dict[str, Any], **body: Any) -> dict[str, Any]:
    answer = cast.key.put(f"/lead/{lead['_id']}", body)
    assert answer.status == 200, answer.body
    return dict(answer.data)


def test_a_client_that_knows_the_status_alone_moves_the_stage_of_the_default_pipeline(cast: Cast) -> None:
    stages = stage_ids(default_pipeline(cast))
    lead = make(cast)
    assert lead["stage"] == {"_id": stages["New"], "name": "New", "kind": "open", "probability": 20}
    for status, name in (("qualified", "Qualified"), ("won", "Won"), ("new", "New")):
        assert place(change(cast, lead, formData={"status": status})) == ("Sales", name, status)
    (listed,) = cast.key.get("/lead", filters={"stage": stages["New"]}).data
    assert (listed["_id"], listed["formData"]) == (
        lead["_id"],
        {"status": "new", "source": "", "value": None, "notes": ""},
    )


def test_a_stage_of_the_default_pipeline_moves_the_status(cast: Cast) -> None:
    stages = stage_ids(default_pipeline(cast))
    lead = make(cast, 1, stage=stages["Proposal"])
    assert place(lead) == ("Sales", "Proposal", "proposal")
    moved = change(cast, lead, stage=stages["Lost"])
    assert place(moved) == ("Sales", "Lost", "lost")
    assert moved["statusChangedAt"] > lead["statusChangedAt"]
    with cast.scope():
        event = Event.objects.get(kind="lead.updated")
        assert event.payload["changes"] == {
            "status": {"from": "proposal", "to": "lost"},
            "stage": {"from": stages["Proposal"], "to": stages["Lost"]},
        }


def test_a_lead_of_another_pipeline_has_a_status_of_its_kind(cast: Cast, wholesale: dict[str, Any]) -> None:
    stages = stage_ids(wholesale)
    lead = make(cast, 1, pipeline=wholesale["_id"])
    assert place(lead) == ("Wholesale", "Asked", "new")
    assert place(change(cast, lead, stage=stages["Ordered"])) == ("Wholesale", "Ordered", "won")
    assert place(change(cast, lead, stage=stages["Gone"])) == ("Wholesale", "Gone", "lost")
    assert place(change(cast, lead, stage=stages["Offered"])) == ("Wholesale", "Offered", "new")


def test_a_status_moves_a_lead_of_another_pipeline_to_a_stage_of_its_kind(
    cast: Cast, wholesale: dict[str, Any]
) -> None:
    lead = make(cast, 1, stage=stage_ids(wholesale)["Offered"])
    assert place(change(cast, lead, formData={"status": "contacted"})) == ("Wholesale", "Offered", "contacted")
    assert place(change(cast, lead, formData={"status": "won"})) == ("Wholesale", "Ordered", "won")
    assert place(change(cast, lead, formData={"status": "lost"})) == ("Wholesale", "Gone", "lost")
    assert place(change(cast, lead, formData={"status": "qualified"})) == ("Wholesale", "Asked", "qualified")


def test_another_pipeline_takes_a_lead_at_a_stage_of_the_same_kind(cast: Cast, wholesale: dict[str, Any]) -> None:
    default = default_pipeline(cast)
    open_lead, won = make(cast, 1, formData={"status": "qualified"}), make(cast, 2, formData={"status": "won"})
    assert place(change(cast, open_lead, pipeline=wholesale["_id"])) == ("Wholesale", "Asked", "qualified")
    assert place(change(cast, won, pipeline=wholesale["_id"])) == ("Wholesale", "Ordered", "won")
    assert place(change(cast, won, pipeline=default["_id"])) == ("Sales", "Won", "won")


def test_a_lead_is_not_taken_out_of_its_pipeline_or_stage(cast: Cast) -> None:
    lead = make(cast)
    for body in ({"pipeline": None}, {"stage": None}, {"pipeline": None, "stage": None}):
        answer = cast.key.put(f"/lead/{lead['_id']}", body)
        assert (answer.status, answer.body["name"]) == (400, "InvalidPayload_400"), answer.body
        assert f"{', '.join(body)}: a lead is always in one" in answer.body["warning"]
        assert cast.key.put("/lead", {"ids": [lead["_id"]], **body}).status == 400
    assert cast.key.get(f"/lead/{lead['_id']}").data == lead
    with cast.scope():
        Lead.objects.update(stage=None, status="gone")
    assert change(cast, lead, stage=None)["stage"] is None, "it had none"


def test_what_get_gave_can_be_put(cast: Cast, wholesale: dict[str, Any]) -> None:
    lead = make(cast, 1, stage=stage_ids(wholesale)["Offered"], expectedCloseAt="2027-03-31")
    assert cast.key.put(f"/lead/{lead['_id']}", lead).data == lead
    moved = cast.key.put(f"/lead/{lead['_id']}", {**lead, "status": "won"})
    assert moved.status == 200, moved.body
    assert place(moved.data) == ("Wholesale", "Ordered", "won")


def test_many_leads_of_several_pipelines_move_together(cast: Cast, wholesale: dict[str, Any]) -> None:
    stages, default = stage_ids(wholesale), stage_ids(default_pipeline(cast))
    leads = [
        make(cast, 1),
        make(cast, 2, stage=stages["Offered"]),
        make(cast, 3, stage=stages["Gone"]),
        make(cast, 4, formData={"status": "won"}),
    ]
    ids = [lead["_id"] for lead in leads]
    assert cast.key.put("/lead", {"ids": ids, "formData": {"status": "won"}}).data["updatedCount"] == 3
    with cast.scope():
        assert dict(Lead.objects.values_list("pk", "stage_id")) == {
            ids[0]: default["Won"],
            ids[1]: stages["Ordered"],
            ids[2]: stages["Ordered"],
            ids[3]: default["Won"],
        }
    assert cast.key.put("/lead", {"ids": ids, "stage": stages["Asked"]}).data["updatedCount"] == 4
    with cast.scope():
        assert set(Lead.objects.values_list("pipeline_id", "stage_id", "status")) == {
            (wholesale["_id"], stages["Asked"], "new")
        }
        events = Event.objects.filter(kind="lead.updated", object_id=ids[0]).order_by("pk")
        assert events.last().payload["changes"]["stage"] == {"from": default["Won"], "to": stages["Asked"]}
    assert cast.key.put("/lead", {"ids": ids, "updateType": "clear", "stage": stages["Asked"]}).status == 400
    close = {"ids": ids, "expectedCloseAt": "2027-01-02T10:00:00Z"}
    assert cast.key.put("/lead", close).data["updatedCount"] == 4


def test_a_bulk_change_can_be_undone(cast: Cast, wholesale: dict[str, Any]) -> None:
    lead = make(cast, 1, formData={"status": "qualified"})
    answer = cast.key.put("/lead", {"ids": [lead["_id"]], "pipeline": wholesale["_id"]})
    assert place(cast.key.get(f"/lead/{lead['_id']}").data) == ("Wholesale", "Asked", "qualified")
    undoing = cast.key.post(f"/bulk-job/{answer.body['bulkJob']}/undo").data
    assert done(cast, undoing["_id"])["changed"] == 1
    assert place(cast.key.get(f"/lead/{lead['_id']}").data) == ("Sales", "Qualified", "qualified")


def test_creates_many_each_in_a_place_of_its_own(cast: Cast, wholesale: dict[str, Any]) -> None:
    stages = stage_ids(wholesale)
    people = [
        {"email": f"p{number}@example.com", "countryCode": "+49", "number": f"30123{number}"} for number in "1234"
    ]
    items = [
        {**people[0], "stage": stages["Offered"], "expectedCloseAt": "2027-05-01"},
        {**people[1], "pipeline": wholesale["_id"], "status": "won"},
        {**people[2], "stage": "x"},
        {**people[3], "expectedCloseAt": "soon"},
    ]
    data = cast.key.post("/lead/bulk", {"formData": items}).data
    assert [place(lead) for lead in data["created"]] == [
        ("Wholesale", "Offered", "new"),
        ("Wholesale", "Ordered", "won"),
    ]
    assert [(failure["index"], failure["name"]) for failure in data["failed"]] == [
        (2, "StageNotFound_404"),
        (3, "InvalidPayload_400"),
    ]


def test_owner_is_another_name_of_the_team_member(cast: Cast) -> None:
    lead = make(cast, 1, owner=cast.owner.pk)
    assert lead["owner"] == lead["teamMember"]
    assert lead["owner"]["_id"] == cast.owner.pk
    address = f"/lead/{lead['_id']}"
    assert cast.key.get("/lead", filters={"owner": cast.owner.pk}).data[0]["_id"] == lead["_id"]
    differing = cast.key.put(address, {"owner": None, "teamMember": cast.owner.pk})
    assert differing.status == 400
    assert cast.key.put(address, {"owner": None}).data["teamMember"] is None
    assert cast.key.put(address, {"teamMember": cast.owner.pk}).data["owner"]["_id"] == cast.owner.pk
    whole = cast.key.get(address).data
    assert cast.key.put(address, {**whole, "owner": None}).data["teamMember"] is None


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ("2027-03-31", "2027-03-31T00:00:00.000Z"),
        ("2027-03-31T09:30:00+02:00", "2027-03-31T07:30:00.000Z"),
        ("2027-03-31T09:30:00", "2027-03-31T09:30:00.000Z"),
        (None, None),
    ],
)
def test_takes_a_day_or_a_time_as_the_expected_close(cast: Cast, given: Any, stored: str | None) -> None:
    lead = make(cast, 1, expectedCloseAt=given)
    assert lead["expectedCloseAt"] == stored
    assert cast.key.put(f"/lead/{lead['_id']}", {"expectedCloseAt": "31.3."}).status == 400


def test_filters_sorts_and_groups(cast: Cast, wholesale: dict[str, Any]) -> None:
    stages = stage_ids(wholesale)
    late = make(cast, 1, stage=stages["Offered"], formData={"value": 100}, expectedCloseAt="2027-06-01")
    soon = make(cast, 2, stage=stages["Asked"], formData={"value": 50}, expectedCloseAt="2027-02-01")
    other = make(cast, 3)

    def found(**query: Any) -> list[str]:
        answer = cast.key.get("/lead", **query)
        assert answer.status == 200, answer.body
        return [row["_id"] for row in answer.data]

    assert found(filters={"pipeline": wholesale["_id"]}, sortBy="expectedCloseAt", sortOrder="asc") == [
        soon["_id"],
        late["_id"],
    ]
    assert found(filters={"stage.name": "Offered"}) == [late["_id"]]
    assert found(filters={"stage.kind": "open"}, sortBy="stage.name", sortOrder="asc")[0] == soon["_id"]
    before = {"field": "expectedCloseAt", "operator": "lessThan", "value": "2027-03-01"}
    assert found(advancedFilters={"operator": "and", "conditions": [before]}) == [soon["_id"]]
    groups = cast.key.get("/lead/summary", groupBy="stage", filters={"pipeline": wholesale["_id"]}).data
    assert {group["value"]: (group["count"], group["sum"], group["weighted"]) for group in groups} == {
        stages["Offered"]: (1, 100, 60),
        stages["Asked"]: (1, 50, 10),
    }
    assert other["_id"] not in found(filters={"pipeline": wholesale["_id"]})


def test_the_database_records_moves_and_keeps_stages_of_those_that_write_the_status_alone(cast: Cast) -> None:
    stages = stage_ids(default_pipeline(cast))
    with cast.scope():
        lead = LeadFactory(status="contacted")
        lead.refresh_from_db()
        assert lead.stage_id == stages["Contacted"]
        Lead.objects.update(status="won")
        lead.refresh_from_db()
        assert lead.stage_id == stages["Won"]
        Lead.objects.update(status="odd")
        lead.refresh_from_db()
        assert (lead.stage_id, lead.pipeline_id) == (None, default_pipeline(cast)["_id"])
        Lead.objects.update(status="new")
        (moved,) = StageChange.objects.all()
        assert (moved.from_stage_id, moved.to_stage_id) == (stages["Contacted"], stages["Won"])
        assert moved.entered_at == lead.created_at
        Lead.objects.update(status="qualified")
        last = StageChange.objects.order_by("changed_at").last()
        assert (last.from_stage_id, last.to_stage_id) == (stages["New"], stages["Qualified"])
        assert last.entered_at == moved.changed_at
