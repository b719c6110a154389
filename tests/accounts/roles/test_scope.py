"""recordScope of roles: values, defaults, errors, and who may give it."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.models import Role
from tests.contracts.own_world import ANY_MODULE, limit
from tests.kit.cast import Cast

BASE = {"name": "Sales", "permission": {"contact": {"GET": True}}}
ALL = {"contact": "all", "lead": "all"}


def test_the_scope_is_all_by_default_and_changed_by_module(cast: Cast) -> None:
    for caller, name in ((cast.session, "Sales"), (cast.key, "Sellers")):
        made = caller.post("/role", {**BASE, "name": name})
        assert (made.status, made.data["recordScope"]) == (201, ALL)
        path = f"/role/{made.data['_id']}"
        changed = caller.put(path, {"recordScope": {"lead": "own"}})
        assert (changed.status, changed.data["recordScope"]) == (200, {"contact": "all", "lead": "own"})
        assert caller.put(path, {"recordScope": {"contact": "own"}}).data["recordScope"] == dict.fromkeys(ALL, "own")
        assert caller.put(path, {"description": "x"}).data["recordScope"] == dict.fromkeys(ALL, "own")
        assert caller.put(path, {"recordScope": ALL}).data["recordScope"] == ALL
        assert caller.get(path).data["permission"]["contact"]["GET"] is True


@pytest.mark.parametrize(
    ("scope", "field"),
    [
        ({"contact": "team"}, "recordScope.contact"),
        ({"lead": None}, "recordScope.lead"),
        ({"lead": ["own"]}, "recordScope.lead"),
        ({"organization": "own"}, "recordScope.organization"),
        ("own", "recordScope"),
        (["contact"], "recordScope"),
    ],
)
def test_other_values_are_refused_by_their_field(cast: Cast, scope: Any, field: str) -> None:
    made = cast.session.post("/role", BASE).data["_id"]
    for answer in (
        cast.session.put(f"/role/{made}", {"recordScope": scope}),
        cast.key.post("/role", {**BASE, "name": "Other", "recordScope": scope}),
    ):
        assert (answer.status, [error["field"] for error in answer.body["errors"]]) == (400, [field]), answer.body


def test_nobody_widens_what_limits_them(cast: Cast) -> None:
    limit(cast)
    caller = cast.narrow_session
    own = cast.narrow.role_id
    assert caller.put(f"/role/{own}", {"recordScope": ALL}).status == 403
    wide = {"name": "Wide", "permission": {"contact": {"GET": True}}}
    assert caller.post("/role", wide).status == 403
    assert caller.post("/role", {**wide, "recordScope": {"contact": "own"}}).status == 403
    limited = caller.post("/role", {**wide, "recordScope": {"contact": "own", "lead": "own"}})
    assert limited.status == 201
    assert caller.put(f"/role/{limited.data['_id']}", {"recordScope": ALL}).status == 403
    with cast.scope():
        everything = Role.objects.create(name="Everything", permission=ANY_MODULE)
    assert caller.put(f"/role/{everything.pk}", {"description": "x"}).status == 403
    invite = {"email": "new@example.org", "role": everything.pk}
    assert caller.post("/member", invite).status == 403
    assert caller.post("/member", {**invite, "role": limited.data["_id"]}).status in (200, 201)


def test_an_unknown_stored_value_limits(cast: Cast) -> None:
    limit(cast, {"contact": "team", "lead": ""})
    assert cast.session.get(f"/role/{cast.narrow.role_id}").data["recordScope"] == dict.fromkeys(ALL, "own")
    assert cast.narrow_session.get("/contact").data == []
