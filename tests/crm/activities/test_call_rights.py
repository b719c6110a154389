"""Which permission opens which operation of /calllog."""

from __future__ import annotations

from tests.crm.activities.call_helpers import MISSING, PATH, log
from tests.crm.leads.helpers import make
from tests.kit.cast import SESSION, Caller, Cast, session_headers
from tests.kit.factories import MemberFactory, RoleFactory


def test_rights(cast: Cast) -> None:
    lead = make(cast)
    call = log(cast, lead=lead["_id"])
    place, one = f"{PATH}/{call['_id']}", {"lead": lead["_id"]}

    def caller(**methods: bool) -> Caller:
        with cast.scope():
            return Caller(
                SESSION,
                session_headers(
                    MemberFactory(status="accepted", role=RoleFactory(permission={"lead-activity": methods}))
                ),
            )

    def statuses(who: Caller) -> list[int]:
        answers = [who.get(PATH), who.get(place), who.post(PATH, one), who.post(f"{PATH}/bulk", {"formData": [one]})]
        return [answer.status for answer in (*answers, who.put(place, {}), who.delete(PATH, {"ids": [MISSING]}))]

    assert statuses(cast.narrow_session) == [403] * 6
    assert statuses(caller(GET=True)) == [200, 200, 403, 403, 403, 403]
    assert statuses(caller(POST=True)) == [403, 403, 201, 200, 403, 403]
    assert statuses(caller(PUT=True)) == [403, 403, 403, 403, 200, 403]
    assert statuses(caller(DELETE=True)) == [403, 403, 403, 403, 403, 400]
