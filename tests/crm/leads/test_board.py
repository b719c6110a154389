"""GET /lead/board"""

from __future__ import annotations

from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.crm.leads.helpers import make
from tests.crm.pipelines.helpers import default_pipeline, make_pipeline, stage_ids
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory, LeadFactory

MISSING = "0" * 24


def test_counts_and_sums_the_stages_of_a_pipeline(cast: Cast) -> None:
    pipeline = make_pipeline(cast)
    stages = stage_ids(pipeline)
    make(cast, 1, formData={"value": 10})
    make(cast, 2, formData={"value": 30}, stage=stages["Offered"])
    make(cast, 3, formData={"value": 20}, stage=stages["Offered"])
    for api in (cast.key, cast.session):
        board = api.get("/lead/board", pipeline=pipeline["_id"]).data
        assert board["pipeline"] == {"_id": pipeline["_id"], "name": "Wholesale", "isDefault": False}
        assert [row["name"] for row in board["pipelines"]] == ["Sales", "Wholesale"]
        assert [(stage["name"], stage["count"], stage["sum"], stage["weighted"]) for stage in board["stages"]] == [
            ("Asked", 0, 0, 0),
            ("Offered", 2, 50, 30),
            ("Ordered", 0, 0, 0),
            ("Gone", 0, 0, 0),
        ]
    default = cast.key.get("/lead/board").data
    assert default["pipeline"]["_id"] == default_pipeline(cast)["_id"]
    assert (default["stages"][0]["count"], default["stages"][0]["status"]) == (1, "new")
    assert cast.key.get("/lead/board", pipeline=MISSING).status == 404
    assert cast.key.get("/lead/board", nonsense="1").status == 400


def test_the_lists_search_and_filters_hold(scope: Cast) -> None:
    LeadFactory(contact=ContactFactory(name="Ann Lee"), value=10)
    LeadFactory(contact=ContactFactory(name="Bob Ray"), value=5)
    for query in ({"searchValue": "ray"}, {"filters": {"value": 5}}):
        assert scope.key.get("/lead/board", **query).data["stages"][0]["sum"] == 5


def test_ten_stages_cost_as_many_statements_as_one(cast: Cast) -> None:
    def statements(pipeline: str) -> int:
        with CaptureQueriesContext(connection) as queries:
            assert cast.key.get("/lead/board", pipeline=pipeline).status == 200
        return len(queries)

    stages = [{"name": f"Step {number}"} for number in range(8)]
    ends = [{"name": "Won", "kind": "won"}, {"name": "Lost", "kind": "lost"}]
    small, large = make_pipeline(cast), make_pipeline(cast, "Long", [*stages, *ends])
    for number, stage in enumerate(large["stages"], start=1):
        make(cast, number, stage=stage["_id"])
    assert statements(small["_id"]) == statements(large["_id"])
