"""GET and PUT /api/private/profile."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.auth.sessions import tokens
from accounts.models import Member, User
from accounts.profile.services import update_profile
from billing.models import Subscription
from core.tenancy import company_scope
from tests.kit.cast import Caller, Cast, make_cast
from tests.kit.factories import CompanyFactory, MemberFactory, UserFactory
from tests.kit.threads import at_once


def private(user: User) -> Caller:
    return Caller("/api/private", {"Authorization": f"Bearer {tokens.issue(user).access}"})


def test_one_s_own_account(cast: Cast, outsiders: Cast) -> None:
    user = cast.narrow.user
    with company_scope(outsiders.company.pk):
        guest = MemberFactory(user=user, status=Member.Status.BLOCKED)
    shown = private(user).get("/profile").data
    assert (shown["_id"], shown["name"], shown["email"]) == (user.pk, user.name, user.email)
    assert (shown["aiOnboarded"], shown["onboarded"], shown["darkMode"], shown["layout"], shown["columns"]) == (
        False,
        False,
        False,
        {},
        {},
    )
    assert shown["emailVerifiedAt"].endswith("Z")
    assert [
        (m["_id"], m["status"], m["company"]["name"], (m["role"] or {}).get("name")) for m in shown["memberships"]
    ] == [
        (cast.narrow.pk, "accepted", cast.company.name, cast.narrow.role.name),
        (guest.pk, "blocked", outsiders.company.name, None),
    ]
    assert "password" not in shown
    assert len(shown) == 14


def test_put_changes_what_is_given(cast: Cast) -> None:
    caller = private(cast.owner.user)
    layout = {"sidebar": {"open": True, "someKey": [1, None]}}
    answer = caller.put("/profile", {"aiOnboarded": True, "layout": layout, "columns": {"contact": ["name", "email"]}})
    assert (answer.status, answer.body["message"]) == (200, "Profile updated.")
    assert (answer.data["aiOnboarded"], answer.data["onboarded"], answer.data["layout"]) == (True, False, layout)
    answer = caller.put("/profile", {"onboarded": True, "darkMode": True, "columns": {"lead": ["_id"]}})
    assert (answer.data["aiOnboarded"], answer.data["onboarded"], answer.data["darkMode"]) == (True, True, True)
    assert (answer.data["layout"], answer.data["columns"]) == (layout, {"contact": ["name", "email"], "lead": ["_id"]})
    answer = caller.put("/profile", {"layout": {}, "columns": {"contact": None, "lead": []}, "aiOnboarded": False})
    assert (answer.data["layout"], answer.data["columns"], answer.data["aiOnboarded"]) == ({}, {"lead": []}, False)
    assert caller.get("/profile").data == answer.data


def test_a_new_name_goes_into_the_memberships_that_bear_the_old(cast: Cast, outsiders: Cast) -> None:
    user = cast.owner.user
    with company_scope(outsiders.company.pk):
        guest = MemberFactory(user=user, name="Known otherwise")
    assert private(user).put("/profile", {"name": "Ann Other"}).data["name"] == "Ann Other"
    with cast.scope():
        assert Member.objects.get(pk=cast.owner.pk).name == "Ann Other"
    with company_scope(outsiders.company.pk):
        assert Member.objects.get(pk=guest.pk).name == "Known otherwise"
        assert not Member.objects.filter(name="Ann Other").exists()


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"name": ""}, "name"),
        ({"name": "x" * 201}, "name"),
        ({"darkMode": "yes"}, "darkMode"),
        ({"onboarded": None}, "onboarded"),
        ({"aiOnboarded": 1}, "aiOnboarded"),
        ({"layout": {"x": "y" * 16_400}}, "16384 bytes"),
        ({"columns": ["name"]}, "columns"),
        ({"columns": {"contact": "name"}}, "columns.contact"),
        ({"columns": {"contact": [1]}}, "columns.contact.0"),
        ({"columns": {"contact": ["x" * 101]}}, "columns.contact.0"),
        ({"columns": {"contact": ["x"] * 201}}, "columns.contact"),
        ({"columns": {"x" * 101: []}}, "columns"),
        ({"columns": {f"list{number}": [] for number in range(51)}}, "at most 50"),
        ({"isStaff": True}, "isStaff"),
        ({"is_staff": True}, "is_staff"),
        ({"password": "x"}, "password"),
    ],
)
def test_bad_values_are_refused_by_name(cast: Cast, body: dict[str, Any], words: str) -> None:
    caller = private(cast.owner.user)
    before = caller.get("/profile").data
    answer = caller.put("/profile", {"darkMode": True, **body})
    assert answer.status == 400
    assert words in answer.body["warning"]
    assert caller.get("/profile").data == before


def test_the_address_cannot_be_changed(cast: Cast) -> None:
    caller = private(cast.owner.user)
    before = caller.get("/profile").data
    answer = caller.put("/profile", {"email": "new@example.com"})
    assert (answer.status, answer.body["errors"][0]["field"]) == (400, "email")
    assert caller.get("/profile").data == before


@pytest.mark.parametrize("layout", ["compact", [1, {"a": None}], 5, False, "", [], {}])
def test_a_layout_is_any_json(cast: Cast, layout: Any) -> None:
    caller = private(cast.owner.user)
    assert caller.put("/profile", {"layout": layout}).data["layout"] == layout
    assert caller.get("/profile").data["layout"] == layout
    assert caller.put("/profile", {"layout": None}).data["layout"] == {}


def test_a_layout_of_16_kib_fits(cast: Cast) -> None:
    layout = {"x": "y" * (16 * 1024 - len('{"x":""}'))}
    assert private(cast.owner.user).put("/profile", {"layout": layout}).data["layout"] == layout


def test_without_a_company_and_with_a_lapsed_one(cast: Cast) -> None:
    assert private(UserFactory()).get("/profile").data["memberships"] == []
    with cast.scope():
        Subscription.objects.all().delete()
    caller = private(cast.owner.user)
    assert caller.get("/profile").data["memberships"][0]["company"]["_id"] == cast.company.pk
    assert caller.put("/profile", {"darkMode": True}).data["darkMode"] is True


def test_a_session_alone_opens_it(cast: Cast) -> None:
    for headers in ({}, {"apikey": cast.api_key.key}):
        caller = Caller("/api/private", headers)
        assert (caller.get("/profile").status, caller.put("/profile", {"darkMode": True}).status) == (401, 401)
    assert cast.session.get("/profile").status == 404


@pytest.mark.django_db(transaction=True)
def test_changes_made_at_once_all_stay() -> None:
    cast = make_cast()
    user = cast.owner.user_id
    changes: list[dict[str, Any]] = [{"columns": {f"list{number}": ["a"]}} for number in range(6)] + [
        {"dark_mode": True},
        {"name": "Ann"},
    ]
    at_once(len(changes), cast.company.pk, lambda number: update_profile(user_id=user, changes=changes[number]))
    found = User.objects.get(pk=user)
    assert (sorted(found.columns), found.dark_mode, found.name) == (
        [f"list{number}" for number in range(6)],
        True,
        "Ann",
    )


def test_its_queries_do_not_grow_with_the_memberships(cast: Cast, django_assert_num_queries: Any) -> None:
    caller = private(cast.owner.user)
    caller.get("/profile")
    for number in (0, 5):
        for _ in range(number):
            with company_scope(CompanyFactory().pk):
                MemberFactory(user=cast.owner.user)
        with django_assert_num_queries(3):
            assert len(caller.get("/profile").data["memberships"]) == 1 + number
