"""GET /export, and exports of another company."""

from __future__ import annotations

from core.ids import new_id
from tests.crm.exports.helpers import make
from tests.kit.cast import Cast


def test_the_list_filters_sorts_and_pages(scope: Cast) -> None:
    ids = [make(scope.key, resource)["_id"] for resource in ("contact", "lead", "tag")]
    assert [row["_id"] for row in scope.key.get("/export").data] == ids[::-1]
    assert [row["_id"] for row in scope.key.get("/export", filters={"resource": "lead"}).data] == [ids[1]]
    page = scope.key.get("/export", sortBy="resource", sortOrder="asc", p="2", n="2")
    assert ([row["resource"] for row in page.data], page.body["totalCount"]) == (["tag"], 3)


def test_another_companys_export_looks_missing(scope: Cast, outsiders: Cast) -> None:
    made = make(scope.key)
    for id in (made["_id"], new_id()):
        assert outsiders.key.get(f"/export/{id}").body["warning"] == "id: there is no such export in this company"
        assert outsiders.key.put(f"/export/{id}", {"status": "cancelled"}).status == 404
        assert outsiders.key.delete("/export", {"ids": [id]}).status == 404
    assert outsiders.key.get("/export/xyz").status == 400
