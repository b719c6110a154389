"""/saved-view: lists as a member looks at them."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.models import Member, Role
from accounts.roles.permissions import ADMIN
from crm.models import CustomField, SavedView
from crm.saved_views import services
from tests.crm.contacts.helpers import add_field
from tests.kit.cast import SESSION, Caller, Cast, make_cast, session_headers
from tests.kit.factories import MemberFactory, RoleFactory

PATH = "/saved-view"
BONN = {"operator": "and", "conditions": [{"field": "city", "operator": "equals", "value": "Bonn"}]}
QUERY = {"searchValue": "ann", "filters": {"city": "Bonn"}, "sortBy": "name", "sortOrder": "asc"}


@pytest.fixture
def colleague(cast: Cast) -> Caller:
    """A session of somebody who may read contacts, as `narrow_session` may."""
    with cast.scope():
        role = RoleFactory(permission={"contact": {"GET": True}})
        return Caller(SESSION, session_headers(MemberFactory(status=Member.Status.ACCEPTED, role=role)))


def save(caller: Caller, name: str = "Bonn", **values: Any) -> dict[str, Any]:
    answer = caller.post(PATH, {"name": name, "resource": "contact", **values})
    assert answer.status == 201, answer.body
    return dict(answer.data)


def names(caller: Caller) -> list[str]:
    answer = caller.get(PATH, sortBy="name", sortOrder="asc")
    assert answer.status == 200, answer.body
    return [one["name"] for one in answer.data]


def test_a_reader_of_the_list_keeps_views_of_their_own(cast: Cast, outsiders: Cast, colleague: Caller) -> None:
    with cast.scope():
        add_field("city")
    mine = cast.narrow_session
    view = save(mine, query=QUERY, columns=["name", "city"])
    assert view["query"] == {
        "searchValue": "ann",
        "sortBy": "name",
        "sortOrder": "asc",
        "advancedFilters": {**BONN},
    }
    assert (view["columns"], view["layout"], view["shared"], view["problem"]) == (
        ["name", "city"],
        "table",
        False,
        None,
    )
    assert view["createdBy"]["_id"] == cast.narrow.pk
    assert (names(mine), names(colleague), names(cast.session), names(outsiders.session)) == (["Bonn"], [], [], [])
    for stranger in (colleague, cast.session, outsiders.session):
        for answer in (
            stranger.get(f"{PATH}/{view['_id']}"),
            stranger.put(f"{PATH}/{view['_id']}", {"name": "x"}),
            stranger.delete(PATH, {"ids": [view["_id"]]}),
        ):
            assert (answer.status, answer.body["message"]) == (404, "Saved view not found.")
    changed = mine.put(f"{PATH}/{view['_id']}", {"name": "All", "query": {}})
    assert (changed.status, changed.data["name"], changed.data["query"]) == (200, "All", {})
    assert (changed.data["columns"], changed.body["message"]) == (["name", "city"], "View saved.")
    assert mine.delete(PATH, {"ids": [view["_id"]]}).data == {"deletedCount": 1}
    assert names(mine) == []


def let_change(cast: Cast) -> None:
    """Let the narrow member change contacts, which sharing a view of them takes."""
    with cast.scope():
        Role.objects.filter(pk=cast.narrow.role_id).update(permission={"contact": {"GET": True, "PUT": True}})


def test_sharing_takes_the_permission_to_change_the_records(cast: Cast) -> None:
    refused = cast.narrow_session.post(PATH, {"name": "Bonn", "resource": "contact", "shared": True})
    assert (refused.status, "contact.PUT" in refused.body["warning"]) == (403, True)
    let_change(cast)
    assert save(cast.narrow_session, shared=True)["shared"] is True


def test_shared_views_are_changed_by_their_maker_and_admins(cast: Cast, colleague: Caller) -> None:
    with cast.scope():
        role = Role.objects.get(name=ADMIN)
        admin = Caller(SESSION, session_headers(MemberFactory(status=Member.Status.ACCEPTED, role=role)))
    let_change(cast)
    view = save(cast.narrow_session, shared=True)
    path = f"{PATH}/{view['_id']}"
    assert names(colleague) == names(admin) == ["Bonn"]
    for refused in (colleague.put(path, {"name": "x"}), colleague.delete(PATH, {"ids": [view["_id"]]})):
        assert (refused.status, "settings.PUT" in refused.body["warning"]) == (403, True)
    assert admin.put(path, {"name": "Ours"}).data["name"] == "Ours"
    assert admin.put(path, {"shared": False}).body["message"] == "Some values are missing or wrong."
    assert cast.narrow_session.put(path, {"shared": False}).status == 200
    assert names(admin) == []


def test_a_query_that_the_list_refuses_is_refused(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    for values, said in (
        ({"query": {"filters": {"nothing": 1}}}, "nothing"),
        ({"query": {"advancedFilters": {"field": "name", "operator": "greaterThan", "value": 1}}}, "greaterThan"),
        ({"query": {"sortBy": "tags"}}, "tags"),
        ({"query": {"sortOrder": "up"}}, "asc or desc"),
        ({"query": {"n": 5}}, "query.n"),
        ({"query": {"searchValue": "x" * 501}}, "searchValue"),
        ({"query": "x"}, "query"),
        ({"layout": "board"}, "layout"),
        ({"resource": "nothing"}, "resource"),
        ({"columns": [1]}, "columns"),
        ({"columns": ["name", "nothing"]}, "columns: there is no field 'nothing'"),
        ({"columns": ["name", "email", "name"]}, "columns: choose each column once; 'name'"),
    ):
        refused = cast.session.post(PATH, {"name": "x", "resource": "contact", **values})
        assert (refused.status, said in refused.body["warning"] + refused.body["message"]) == (400, True), values
    assert save(cast.session, resource="lead", layout="board")["layout"] == "board"
    refused = cast.narrow_session.post(PATH, {"name": "x", "resource": "lead"})
    assert (refused.status, "lead.GET" in refused.body["warning"]) == (403, True)
    twice = cast.session.post(PATH, {"name": "BONN", "resource": "lead"})
    assert (twice.status, twice.body["message"]) == (400, "A saved view with this name already exists.")
    save(cast.narrow_session)
    monkeypatch.setattr(services, "MAX_VIEWS", 1)
    full = cast.session.post(PATH, {"name": "One more", "resource": "lead"})
    assert (full.status, "delete one first" in full.body["warning"]) == (400, True)


def test_a_view_whose_field_is_gone_says_so(cast: Cast) -> None:
    with cast.scope():
        add_field("city")
    view = save(cast.session, query={"advancedFilters": BONN, "sortBy": "city"})
    path = f"{PATH}/{view['_id']}"
    with cast.scope():
        CustomField.objects.filter(unique_field_id="city").delete()
    found = cast.session.get(path)
    assert (found.status, "'city' is unknown" in found.data["problem"]) == (200, True)
    assert cast.session.get(PATH).data[0]["problem"]
    assert cast.session.put(path, {"name": "Still there"}).status == 200
    assert found.data["problemFields"] == ["advancedFilters"]
    mended = cast.session.put(path, {"query": {}}).data
    assert (mended["problem"], mended["problemFields"]) == (None, [])


def test_a_view_whose_column_is_gone_says_so(cast: Cast) -> None:
    with cast.scope():
        add_field("city")
        add_field("photos", "file", "file")  # no list is filtered by it, but it has a column
    usual = save(cast.session, "Usual", columns=["name", "email", "createdAt"])
    view = save(cast.session, columns=["name", "city", "photos"], query={"sortBy": "name"})
    path = f"{PATH}/{view['_id']}"
    assert view["problem"] is None
    with cast.scope():
        CustomField.objects.filter(unique_field_id="city").delete()
    view = cast.session.get(path).data
    assert (view["problem"], view["problemFields"]) == ("columns: there is no field 'city'", ["columns"])
    found = {one["_id"]: one["problem"] for one in cast.session.get(PATH).data}
    assert (found[usual["_id"]], bool(found[view["_id"]])) == (None, True)
    assert cast.session.put(path, {"name": "As it was", "columns": ["name", "city", "photos"]}).status == 200
    refused = cast.session.put(path, {"columns": ["city"]})
    assert (refused.status, refused.body["warning"][:8]) == (400, "columns:")
    assert cast.session.put(path, {"columns": ["name"]}).data["problem"] is None


def test_a_removed_member_takes_their_own_views_along(cast: Cast) -> None:
    let_change(cast)
    save(cast.narrow_session, "Own")
    save(cast.narrow_session, "Shared", shared=True)
    save(cast.session, "Others")
    assert cast.session.delete(f"/member/{cast.narrow.pk}").status == 200
    with cast.scope():
        assert set(SavedView.objects.values_list("name", flat=True)) == {"Shared", "Others"}
    assert names(cast.session) == ["Others", "Shared"]


def test_views_go_with_their_company(db: None) -> None:
    cast = make_cast()
    save(cast.session)
    with cast.scope():
        assert SavedView._meta.get_field("company").remote_field.on_delete.__name__ == "CASCADE"
        assert SavedView.objects.get().company_id == cast.company.pk
