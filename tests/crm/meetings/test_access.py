"""Who may read and change meetings."""

from __future__ import annotations

from tests.crm.meetings.helpers import GOOD, MISSING, new_meeting
from tests.kit.cast import Cast, make_cast


def test_another_companys_looks_missing(cast: Cast, outsiders: Cast) -> None:
    foreign = new_meeting(outsiders)["_id"]
    for method, path, body in (("GET", "", None), ("PUT", "", {"title": "Mine"}), ("GET", "/ics", None)):
        answer = cast.key.call(method, f"/meeting/{foreign}{path}", body)
        assert (answer.status, answer.body["message"]) == (404, "Not found. It may have been deleted.")
        assert answer.body == cast.key.call(method, f"/meeting/{MISSING}{path}", body).body
        malformed = cast.key.call(method, f"/meeting/xyz{path}", body)
        assert (malformed.status, malformed.body["message"]) == (400, "Invalid format for field _id: xyz")
    assert cast.key.get("/meeting").data == []


def test_the_permission_module_decides_on_the_session_path(db: None) -> None:
    allowed, refused = make_cast({"meeting": dict.fromkeys(("GET", "POST", "PUT", "DELETE"), True)}), make_cast({})
    for made, statuses in ((allowed, (200, 201, 200, 200, 200, 200)), (refused, (403,) * 6)):
        id = new_meeting(made)["_id"]
        calls = [
            *(
                ("GET", "/meeting", None),
                ("POST", "/meeting", GOOD),
                ("GET", f"/meeting/{id}", None),
                ("GET", f"/meeting/{id}/ics", None),
            ),
            *(("PUT", f"/meeting/{id}", {"title": "y"}), ("DELETE", "/meeting", {"ids": [id]})),
        ]
        assert tuple(made.narrow_session.call(*call).status for call in calls) == statuses
