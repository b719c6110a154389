"""Pipelines and their stages: /pipeline"""

from __future__ import annotations

from typing import Any

import pytest

from accounts.models import Company
from core.models import Event
from crm.models import Lead, Pipeline, Stage
from tests.crm.leads.helpers import make
from tests.crm.pipelines.helpers import STAGES, default_pipeline, make_pipeline, stage_ids
from tests.kit.cast import Cast, make_cast
from tests.web.helpers import at, enter

MISSING = "0" * 24


def status_options(cast: Cast) -> dict[str, Any]:
    fields = cast.key.get("/custom-field", filters='{"panel": "lead"}').data
    return dict(next(field for field in fields if field["uniqueFieldID"] == "status"))


def test_the_statuses_of_leads_are_the_default_pipeline(cast: Cast) -> None:
    pipeline = default_pipeline(cast)
    assert (pipeline["name"], pipeline["isDefault"]) == ("Sales", True)
    assert [(stage["name"], stage["kind"], stage["probability"], stage["status"]) for stage in pipeline["stages"]] == [
        ("New", "open", 20, "new"),
        ("Contacted", "open", 40, "contacted"),
        ("Qualified", "open", 60, "qualified"),
        ("Proposal", "open", 80, "proposal"),
        ("Won", "won", 100, "won"),
        ("Lost", "lost", 0, "lost"),
    ]


def test_creates_lists_and_reads_on_both_paths(cast: Cast) -> None:
    pipeline = make_pipeline(cast)
    assert [(stage["name"], stage["kind"], stage["probability"]) for stage in pipeline["stages"]] == [
        ("Asked", "open", 20),
        ("Offered", "open", 60),
        ("Ordered", "won", 100),
        ("Gone", "lost", 0),
    ]
    assert pipeline["isDefault"] is False
    for api in (cast.key, cast.session):
        assert api.get(f"/pipeline/{pipeline['_id']}").data == pipeline
        assert [row["name"] for row in api.get("/pipeline", sortBy="name", sortOrder="asc").data] == [
            "Sales",
            "Wholesale",
        ]
        assert [row["name"] for row in api.get("/pipeline", searchBy="stages.name", searchValue="Ordered").data] == [
            "Wholesale"
        ]
    assert cast.key.get(f"/pipeline/{MISSING}").body["message"] == "Pipeline not found."


@pytest.mark.parametrize(
    ("stages", "says"),
    [
        ([], "1 to 50"),
        ([{"name": "A"}, {"name": "B", "kind": "won"}], "kind lost"),
        ([{"name": "B", "kind": "won"}, {"name": "C", "kind": "lost"}], "kind open"),
        ([*STAGES, {"name": "asked"}], "the same one"),
        ([*STAGES, {"name": "More", "probability": 101}], "at most 100"),
        ([*STAGES, {"name": "More", "_id": MISSING}], "no stage"),
        ([*STAGES, {"name": "More", "kind": "other"}], "open, won, lost"),
    ],
)
def test_refuses_stages_that_make_no_pipeline(cast: Cast, stages: list[dict[str, Any]], says: str) -> None:
    answer = cast.key.post("/pipeline", {"name": "Odd", "stages": stages})
    assert answer.status in (400, 404)
    assert says in answer.body["warning"]
    with cast.scope():
        assert Pipeline.objects.count() == 1


def test_names_are_unique(cast: Cast) -> None:
    make_pipeline(cast)
    assert cast.key.post("/pipeline", {"name": "WHOLESALE", "stages": STAGES}).status == 400
    other = make_pipeline(cast, "Retail")
    assert cast.key.put(f"/pipeline/{other['_id']}", {"name": "wholesale"}).status == 400


def test_changes_order_names_and_probabilities(cast: Cast) -> None:
    pipeline = make_pipeline(cast)
    asked, offered, ordered, gone = pipeline["stages"]
    body = {
        "name": "Trade",
        "stages": [
            {"_id": offered["_id"], "name": "Offer sent", "probability": 55},
            {"name": "Talks", "probability": 70},
            {"_id": ordered["_id"], "name": "Ordered"},
            {"_id": gone["_id"], "name": "Gone"},
        ],
    }
    changed = cast.session.put(f"/pipeline/{pipeline['_id']}", body).data
    assert changed["name"] == "Trade"
    assert [(stage["name"], stage["kind"], stage["probability"]) for stage in changed["stages"]] == [
        ("Offer sent", "open", 55),
        ("Talks", "open", 70),
        ("Ordered", "won", 100),
        ("Gone", "lost", 0),
    ]
    assert changed["stages"][0]["_id"] == offered["_id"]
    with cast.scope():
        assert not Stage.objects.filter(pk=asked["_id"]).exists()


def test_what_get_gave_can_be_put(cast: Cast) -> None:
    pipeline = make_pipeline(cast)
    answer = cast.key.put(f"/pipeline/{pipeline['_id']}", pipeline)
    assert (answer.status, answer.data) == (200, pipeline)
    renamed = {**pipeline, "name": "Trade"}
    assert cast.key.put(f"/pipeline/{pipeline['_id']}", renamed).data["stages"] == pipeline["stages"]


def test_a_stage_with_leads_is_removed_with_a_place_for_them_alone(cast: Cast) -> None:
    pipeline = make_pipeline(cast)
    ids = stage_ids(pipeline)
    leads = [make(cast, number, stage=ids["Asked"])["_id"] for number in range(1, 4)]
    cast.key.delete("/lead", {"ids": leads[2:]})
    stay = [stage for stage in pipeline["stages"] if stage["name"] != "Asked"]
    address = f"/pipeline/{pipeline['_id']}"
    refused = cast.key.put(address, {"stages": stay})
    assert (refused.status, refused.body["message"]) == (
        400,
        "This stage has leads. Choose another stage for the leads first.",
    )
    assert cast.key.put(address, {"stages": stay, "moveTo": {ids["Asked"]: MISSING}}).status == 404
    assert cast.key.put(address, {"stages": stay, "moveTo": {ids["Asked"]: "x"}}).status == 400
    answer = cast.key.put(address, {"stages": stay, "moveTo": {ids["Asked"]: ids["Ordered"]}})
    assert answer.status == 200, answer.body
    with cast.scope():
        assert set(Lead.objects.values_list("stage_id", "status")) == {(ids["Ordered"], "won")}
        events = Event.objects.filter(kind="lead.updated").order_by("pk")
        assert [event.object_id for event in events] == leads[:2]
        assert events[0].payload["changes"] == {
            "stage": {"from": ids["Asked"], "to": ids["Ordered"]},
            "status": {"from": "new", "to": "won"},
        }


def test_a_stage_with_leads_keeps_its_kind(cast: Cast) -> None:
    pipeline = make_pipeline(cast)
    ids = stage_ids(pipeline)
    make(cast, 1, stage=ids["Offered"])
    stages = [{**stage, "kind": "won"} if stage["name"] == "Offered" else stage for stage in pipeline["stages"]]
    assert cast.key.put(f"/pipeline/{pipeline['_id']}", {"stages": stages}).status == 400
    stages = [{**stage, "kind": "won"} if stage["name"] == "Asked" else stage for stage in pipeline["stages"]]
    changed = cast.key.put(f"/pipeline/{pipeline['_id']}", {"stages": stages}).data
    assert (changed["stages"][0]["kind"], changed["stages"][0]["probability"]) == ("won", 100)


def test_a_stage_of_the_default_pipeline_with_leads_keeps_its_kind(cast: Cast) -> None:
    pipeline = default_pipeline(cast)
    lead = make(cast, 1)
    stages = [{**stage, "kind": "lost"} if stage["name"] == "New" else stage for stage in pipeline["stages"]]
    answer = cast.key.put(f"/pipeline/{pipeline['_id']}", {"stages": stages})
    assert (answer.status, answer.body["name"]) == (400, "StageInUse_400")
    without_won = [stage for stage in pipeline["stages"] if stage["kind"] != "won"]
    answer = cast.key.put(f"/pipeline/{pipeline['_id']}", {"stages": without_won})
    assert (answer.status, answer.body["warning"]) == (400, "stages: add a stage of the kind won")
    assert default_pipeline(cast)["stages"] == pipeline["stages"]
    assert cast.key.get(f"/lead/{lead['_id']}").data["stage"]["kind"] == "open"


@pytest.mark.parametrize("close", ["9999-12-31", "0001-01-01", "1969-12-31", "2200-01-01", "9999-12-31T23:59:59Z"])
def test_closes_of_other_centuries_are_refused(cast: Cast, close: str) -> None:
    answer = cast.key.post("/lead", {"contact": make(cast, 1)["contact"]["_id"], "expectedCloseAt": close})
    assert answer.status == 400
    assert "enter a year from 1970 to 2199" in answer.body["warning"]
    lead = make(cast, 2)
    assert cast.key.put(f"/lead/{lead['_id']}", {"expectedCloseAt": close}).status == 400
    report = cast.session.get("/logs/report", reportType="forecast", by="month")
    assert report.status == 200, report.body


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Pago_Pago", "UTC"])
@pytest.mark.parametrize("close", ["1970-01-01", "2199-12-31"])
def test_the_first_and_last_closes_are_shown(cast: Cast, zone: str, close: str) -> None:
    Company.objects.filter(pk=cast.company.pk).update(timezone=zone)
    lead = make(cast, 1)
    assert cast.key.put(f"/lead/{lead['_id']}", {"expectedCloseAt": close}).status == 200
    report = cast.session.get("/logs/report", reportType="forecast", by="month")
    assert report.status == 200, report.body
    assert enter(cast.owner).get(at(cast.owner, f"leads/{lead['_id']}")).status_code == 200


def test_deletes_pipelines_and_moves_their_leads(cast: Cast) -> None:
    pipeline, other = make_pipeline(cast), make_pipeline(cast, "Retail")
    ids, targets = stage_ids(pipeline), stage_ids(other)
    for number, name in enumerate(ids, start=1):
        make(cast, number, stage=ids[name])
    assert cast.key.delete("/pipeline", {"ids": [pipeline["_id"]]}).status == 400
    assert cast.key.delete("/pipeline", {"ids": [pipeline["_id"]], "moveTo": pipeline["_id"]}).status == 404
    answer = cast.key.delete("/pipeline", {"ids": [pipeline["_id"]], "moveTo": other["_id"]})
    assert answer.data == {"deletedCount": 1}
    with cast.scope():
        assert sorted(Lead.objects.values_list("stage_id", flat=True)) == sorted(
            [targets["Asked"], targets["Asked"], targets["Ordered"], targets["Gone"]]
        )
        assert set(Lead.objects.values_list("pipeline_id", flat=True)) == {other["_id"]}
    default = default_pipeline(cast)
    assert (
        cast.key.delete("/pipeline", {"ids": [default["_id"]]}).body["message"]
        == "The default pipeline can't be deleted."
    )
    assert cast.key.delete("/pipeline", {"ids": [MISSING]}).status == 404


def test_changes_of_the_default_pipeline_change_the_statuses(cast: Cast) -> None:
    pipeline = default_pipeline(cast)
    new, contacted, qualified, _proposal, won, lost = pipeline["stages"]
    moved = make(cast, 1, formData={"status": "proposal"})
    stages = [
        {"_id": new["_id"], "name": "Fresh", "probability": 5},
        {"name": "On hold", "kind": "lost"},
        {"name": "Demo given", "probability": 66},
        contacted,
        qualified,
        won,
        lost,
    ]
    address = f"/pipeline/{pipeline['_id']}"
    assert cast.key.put(address, {"stages": stages}).status == 400
    body = {"stages": stages, "moveTo": {pipeline["stages"][3]["_id"]: qualified["_id"]}}
    answer = cast.key.put(address, body)
    assert answer.status == 200, answer.body
    assert [(stage["name"], stage["kind"], stage["probability"], stage["status"]) for stage in answer.data["stages"]][
        :4
    ] == [
        ("Fresh", "open", 5, "new"),
        ("On hold", "lost", 0, "on-hold"),
        ("Demo given", "open", 66, "demo-given"),
        ("Contacted", "open", 40, "contacted"),
    ]
    options = status_options(cast)["options"]
    assert options[:3] == [
        {"label": "Fresh", "description": "", "value": "new"},
        {"label": "On hold", "description": "Closed", "value": "on-hold"},
        {"label": "Demo given", "description": "", "value": "demo-given"},
    ]
    assert cast.key.get(f"/lead/{moved['_id']}").data["status"] == "qualified"
    second = make(cast, 2, formData={"status": "demo-given"})
    assert second["stage"]["name"] == "Demo given"
    wrong = [{**stage, "kind": "won"} if stage["name"] == "Fresh" else stage for stage in answer.data["stages"]]
    assert cast.key.put(address, {"stages": wrong}).status == 400


def test_changes_of_the_statuses_change_the_default_pipeline(cast: Cast) -> None:
    field = status_options(cast)
    options = [
        *field["options"][:2],
        {"label": "Nurture", "value": "nurture", "description": ""},
        {"label": "Junk", "value": "junk", "description": "Closed, not for us"},
        *field["options"][4:],
    ]
    assert cast.key.put(f"/custom-field/{field['_id']}", {"options": options}).status == 200
    before = stage_ids(default_pipeline(cast))
    assert [(stage["name"], stage["kind"]) for stage in default_pipeline(cast)["stages"]] == [
        ("New", "open"),
        ("Contacted", "open"),
        ("Nurture", "open"),
        ("Junk", "lost"),
        ("Won", "won"),
        ("Lost", "lost"),
    ]
    assert cast.key.put("/custom-field/reset-system", {"panel": "lead"}).status == 200
    after = stage_ids(default_pipeline(cast))
    assert list(after) == ["New", "Contacted", "Qualified", "Proposal", "Won", "Lost"]
    assert after["New"] == before["New"]


@pytest.mark.parametrize(
    ("permission", "reads", "writes"),
    [
        ({"lead": {"GET": True}}, 200, 403),
        ({"settings": {"GET": True, "PUT": True}}, 200, 201),
        ({"settings": {"GET": True}}, 200, 403),
        ({"contact": {"GET": True}}, 403, 403),
    ],
)
def test_roles_with_the_settings_change_pipelines(
    permission: dict[str, Any], reads: int, writes: int, db: None
) -> None:
    cast = make_cast(permission)
    assert cast.narrow_session.get("/pipeline").status == reads
    created = cast.narrow_session.post("/pipeline", {"name": "Mine", "stages": STAGES})
    assert created.status == writes
    assert cast.narrow_session.get("/lost-reason").status == reads
    assert cast.narrow_session.post("/lost-reason", {"name": "Price"}).status == writes


def test_other_companies_do_not_see_them(cast: Cast, outsiders: Cast) -> None:
    pipeline = make_pipeline(cast)
    reason = cast.key.post("/lost-reason", {"name": "Price"}).data
    for path, id in (("pipeline", pipeline["_id"]), ("lost-reason", reason["_id"])):
        assert outsiders.key.get(f"/{path}/{id}").status == 404
        assert outsiders.key.put(f"/{path}/{id}", {"name": "Mine"}).status == 404
        assert outsiders.key.delete(f"/{path}", {"ids": [id]}).status == 404
    lead = {"name": "Ann", "email": "ann@example.com", "countryCode": "+49", "number": "30123456"}
    for body in (
        {"pipeline": pipeline["_id"]},
        {"stage": pipeline["stages"][0]["_id"]},
        {"lostReason": reason["_id"]},
    ):
        assert outsiders.key.post("/lead", {"formData": lead, **body}).status == 404
