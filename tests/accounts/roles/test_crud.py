"""GET, POST, DELETE /role, GET, PUT /role/:id (contract 4.12), and the roles that companies begin with."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from django.db import connection
from django.db.models import Q
from django.test.utils import CaptureQueriesContext

from accounts.members.services import update_member
from accounts.models import Member, Role
from accounts.roles.permissions import DEFAULT_ROLES, METHODS, MODULES, compact_permission, missing_flags
from accounts.roles.services import create_role, delete_roles, seed_roles, update_role
from core.access import Actor, AuthPath
from core.lists import BulkSelection
from core.tenancy import company_scope
from core.tenancy.provisioning import provision_company
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import CompanyFactory, MemberFactory, RoleFactory
from tests.kit.threads import at_once

NOTHING = dict.fromkeys(METHODS, False)
REFUSED = "Your role does not allow this. Ask an owner for the permission."


@pytest.fixture
def clerk(db: None) -> Cast:
    """A company whose narrow member may do everything with roles, and GET contacts."""
    return make_cast({"role": dict.fromkeys(METHODS, True), "contact": {"GET": True}})


def role_of(cast: Cast, **values: Any) -> Role:
    with cast.scope():
        return RoleFactory(**values)


def stored(cast: Cast, id: str) -> Role:
    with cast.scope():
        return Role.objects.get(pk=id)


def test_each_company_begins_with_four_roles_one_of_them_the_default(cast: Cast) -> None:
    with cast.scope():
        roles = {role.name: role for role in Role.objects.exclude(pk=cast.narrow.role_id)}
        assert set(roles) == {"Admin", "Manager", "Member", "Viewer"}
        assert [name for name, role in roles.items() if role.is_default] == ["Member"]
    allowed = {
        name: {f"{m}.{flag}" for m, flags in role.permission.items() for flag in flags} for name, role in roles.items()
    }
    assert len(allowed["Admin"]) == 38 * 4
    assert {"contact.DELETE", "campaign.POST", "member.GET", "settings.GET"} <= allowed["Manager"]
    assert not {"member.POST", "role.PUT", "company.PUT", "plan.POST", "api.GET", "logs.DELETE"} & allowed["Manager"]
    assert {"contact.POST", "lead.PUT", "lead-activity.POST", "segment.GET", "template.PUT", "genie.POST"} <= allowed[
        "Member"
    ]
    assert not {flag for flag in allowed["Member"] if flag.endswith(".DELETE")} | (
        {"segment.POST", "member.GET"} & allowed["Member"]
    )
    assert {flag.rpartition(".")[2] for flag in allowed["Viewer"]} == {"GET"}
    assert not {"api.GET", "role.GET", "member.GET"} & allowed["Viewer"]
    assert allowed["Viewer"] - allowed["Member"] == {"plan.GET"}  # who works sees no less than who looks on


def test_seeding_again_brings_nothing_back_and_changes_nothing(cast: Cast) -> None:
    with cast.scope():
        Role.objects.filter(name="Viewer").delete()
        Role.objects.filter(name="Manager").update(name="Boss", permission={})
        before = list(Role.objects.order_by("pk").values())
        seed_roles()
        provision_company()
        assert list(Role.objects.order_by("pk").values()) == before


def test_seeding_beside_roles_of_the_same_names_makes_one_default(db: None) -> None:
    with company_scope(CompanyFactory().pk):
        RoleFactory(name="member", permission={"tag": {"GET": True}})
        seed_roles()
        assert sorted(Role.objects.values_list("name", "is_default")) == [
            ("Admin", False), ("Manager", False), ("Viewer", False), ("member", True),
        ]  # fmt: skip
        assert Role.objects.get(name="member").permission == {"tag": {"GET": True}}


def test_the_default_roles_name_only_what_there_is() -> None:
    assert (len(MODULES), len(set(MODULES))) == (38, 38)
    for seed in DEFAULT_ROLES:
        assert compact_permission(seed.permission) == seed.permission


def test_post_answers_every_module_and_method(cast: Cast) -> None:
    answer = cast.session.post(
        "/role", {"name": " Sales ", "permission": {"contact": {"GET": True, "POST": False}}, "description": "East"}
    )
    assert answer.status == 201, answer.body
    made = answer.data
    assert (made["name"], made["description"], made["isDefault"]) == ("Sales", "East", False)
    assert set(made["permission"]) == set(MODULES)
    assert made["permission"]["contact"] == {**NOTHING, "GET": True}
    assert {module: flags for module, flags in made["permission"].items() if flags != NOTHING} == {
        "contact": {**NOTHING, "GET": True}
    }
    assert (
        made["createdBy"]
        == made["updatedBy"]
        == {"_id": cast.owner.pk, "name": cast.owner.name, "email": cast.owner.email}
    )
    assert cast.key.get(f"/role/{made['_id']}").data == made
    assert stored(cast, made["_id"]).permission == {"contact": {"GET": True}}


@pytest.mark.parametrize("body", [{}, {"name": "A"}, {"permission": {}}])
def test_post_needs_a_name_and_a_permission(cast: Cast, body: dict[str, Any]) -> None:
    answer = cast.key.post("/role", body)
    assert (answer.status, answer.body["message"]) == (400, "Choose a role or at least one permission.")
    assert ("permission" if "name" in body else "name") in answer.body["warning"]


@pytest.mark.parametrize(
    ("permission", "named"),
    [
        ({"contacts": {"GET": True}}, "permission.contacts"),
        ({"contact": {"PATCH": True}}, "permission.contact.PATCH"),
        ({"contact": {"get": True}}, "permission.contact.get"),
        ({"contact": {"GET": 1}}, "permission.contact.GET"),
        ({"contact": {"GET": None}}, "permission.contact.GET"),
        ({"contact": True}, "permission.contact"),
        ([], "permission"),
        ("all", "permission"),
    ],
)
def test_bad_permissions_are_named(cast: Cast, permission: Any, named: str) -> None:
    role = role_of(cast)
    for answer in (
        cast.key.post("/role", {"name": "A", "permission": permission}),
        cast.key.put(f"/role/{role.pk}", {"permission": permission}),
    ):
        assert answer.status == 400
        assert named in answer.body["message"] + answer.body["warning"]


def test_bad_bodies_name_the_field(cast: Cast) -> None:
    for body in ({"name": 5}, {"name": ""}, {"isDefault": "yes"}, {"rights": {}}):
        answer = cast.key.post("/role", {"name": "A", "permission": {}, **body})
        assert answer.status == 400
        assert next(iter(body)) in answer.body["message"] + answer.body["warning"]
    assert cast.key.get("/role/xyz").body["message"] == "Invalid format for field _id: xyz"


def test_names_are_unique_whatever_their_case_and_only_in_the_company(cast: Cast, outsiders: Cast) -> None:
    role_of(outsiders, name="Sales")
    assert cast.key.post("/role", {"name": "Sales", "permission": {}}).status == 201
    other = cast.key.post("/role", {"name": "Other", "permission": {}}).data["_id"]
    for answer in (
        cast.key.post("/role", {"name": "SALES", "permission": {}}),
        cast.key.put(f"/role/{other}", {"name": "sALES"}),
    ):
        assert (answer.status, answer.body["message"]) == (400, "A role with this name already exists.")
    assert cast.key.put(f"/role/{other}", {"name": "OTHER"}).data["name"] == "OTHER"


def test_put_replaces_the_permission_and_nothing_else(cast: Cast) -> None:
    role = role_of(cast, permission={"contact": {"GET": True, "POST": True}, "tag": {"GET": True}})
    answer = cast.session.put(
        f"/role/{role.pk}", {"permission": {"contact": {"POST": False, "PUT": True}, "lead": {"GET": True}}}
    )
    assert answer.status == 200, answer.body
    assert stored(cast, role.pk).permission == {"contact": {"PUT": True}, "lead": {"GET": True}}
    assert answer.data["permission"]["contact"] == {"GET": False, "POST": False, "PUT": True, "DELETE": False}
    assert answer.data["name"] == role.name
    assert "warning" not in answer.body
    renamed = cast.session.put(f"/role/{role.pk}", {"description": "East"})
    assert renamed.data["permission"] == answer.data["permission"]
    assert answer.data["updatedBy"]["_id"] == cast.owner.pk
    empty = cast.session.put(f"/role/{role.pk}", {})
    assert (empty.status, empty.body["message"]) == (400, "Choose a role or at least one permission.")


def test_a_change_of_a_role_binds_its_members_at_once(cast: Cast) -> None:
    assert cast.narrow_session.get("/contact").status == 200
    cast.session.put(f"/role/{cast.narrow.role_id}", {"permission": {"contact": {"GET": False}, "tag": {"GET": True}}})
    assert cast.narrow_session.get("/contact").status == 403
    assert cast.narrow_session.get("/tag").status == 200


def test_one_role_is_the_default_and_it_moves(cast: Cast) -> None:
    with cast.scope():
        old = Role.objects.get(is_default=True)
    new = cast.key.post("/role", {"name": "New", "permission": {}, "isDefault": True})
    assert (new.status, new.data["isDefault"]) == (201, True)
    assert new.body["warning"] == "isDefault: the default was 'Member' and is this role now"
    assert not stored(cast, old.pk).is_default
    back = cast.key.put(f"/role/{old.pk}", {"isDefault": True})
    assert (back.data["isDefault"], back.body["warning"]) == (
        True,
        "isDefault: the default was 'New' and is this role now",
    )
    assert "warning" not in cast.key.put(f"/role/{old.pk}", {"isDefault": True}).body
    assert not stored(cast, new.data["_id"]).is_default
    refused = cast.key.put(f"/role/{old.pk}", {"isDefault": False})
    assert (refused.status, refused.body["message"]) == (400, "This can't be done.")
    assert "make another one the default" in refused.body["warning"]
    assert cast.key.put(f"/role/{new.data['_id']}", {"isDefault": False}).status == 200
    with cast.scope():
        assert Role.objects.filter(is_default=True).count() == 1


def test_a_role_in_use_or_the_default_one_stays(cast: Cast) -> None:
    free = role_of(cast, name="Free")
    with cast.scope():
        default = Role.objects.get(is_default=True)
    used = cast.key.delete("/role", {"ids": [free.pk, cast.narrow.role_id]})
    assert (used.status, used.body["message"]) == (400, "This can't be done.")
    assert cast.narrow.email in used.body["warning"]
    refused = cast.key.delete("/role", {"ids": [default.pk]})
    assert refused.status == 400
    assert "make another one the default first" in refused.body["warning"]
    assert stored(cast, free.pk).name == "Free"
    assert cast.key.delete("/role", {"ids": [free.pk]}).data == {"deletedCount": 1}
    missing = cast.key.delete("/role", {"ids": [free.pk]})
    assert (missing.status, missing.body["message"]) == (404, "Role not found.")


@pytest.mark.parametrize(
    ("status", "deletable"),
    [
        ("invited", False),
        ("blocked", False),
        ("accepted", False),
        ("removed", True),
        ("rejected", True),
        ("expired", True),
        ("owner", True),
    ],
)
def test_the_role_of_who_is_gone_can_go(cast: Cast, status: str, deletable: bool) -> None:
    role = role_of(cast)
    with cast.scope():
        member = MemberFactory(role=role, status=status)
    answer = cast.key.delete("/role", {"ids": [role.pk]})
    assert answer.status == (200 if deletable else 400), answer.body
    with cast.scope():
        assert (Member.objects.get(pk=member.pk).role_id is None) is deletable


def test_bulk_deletion_takes_what_the_query_string_matches(cast: Cast) -> None:
    for n in range(3):
        role_of(cast, name=f"Temp {n}")
    kept = stored(cast, cast.key.get("/role", searchValue="Temp 0").data[0]["_id"])
    answer = cast.key.delete("/role", {"selectAll": True, "nids": [kept.pk]}, searchValue="temp", searchBy="name")
    assert answer.data == {"deletedCount": 2}
    with cast.scope():
        assert list(Role.objects.filter(name__startswith="Temp").values_list("pk", flat=True)) == [kept.pk]


def test_another_companys_role_looks_missing(cast: Cast, outsiders: Cast) -> None:
    foreign = role_of(outsiders)
    for answer in (cast.key.get(f"/role/{foreign.pk}"), cast.key.put(f"/role/{foreign.pk}", {"name": "Mine"})):
        assert (answer.status, answer.body["message"]) == (404, "Role not found.")
    assert cast.key.delete("/role", {"ids": [foreign.pk]}).status == 404
    assert foreign.pk not in [row["_id"] for row in cast.key.get("/role").data]
    assert stored(outsiders, foreign.pk).name == foreign.name


# Nobody hands out more than they have


def test_a_bounded_member_permits_only_what_they_may(clerk: Cast) -> None:
    refused = clerk.narrow_session.post(
        "/role", {"name": "More", "permission": {"contact": {"GET": True, "PUT": True}, "tag": {"GET": True}}}
    )
    assert (refused.status, refused.body["message"]) == (403, REFUSED)
    assert refused.body["warning"] == "the role would permit contact.PUT, tag.GET, which you lack yourself"
    made = clerk.narrow_session.post("/role", {"name": "Less", "permission": {"contact": {"GET": True, "PUT": False}}})
    assert made.status == 201
    assert (
        clerk.narrow_session.put(f"/role/{made.data['_id']}", {"permission": {"contact": {"GET": False}}}).status == 200
    )
    wider = clerk.narrow_session.put(f"/role/{made.data['_id']}", {"permission": {"file": {"DELETE": True}}})
    assert (wider.status, wider.body["warning"]) == (403, "the role would permit file.DELETE, which you lack yourself")
    assert stored(clerk, made.data["_id"]).permission == {}


def test_a_bounded_member_changes_no_role_that_has_more(clerk: Cast) -> None:
    with clerk.scope():
        admin = Role.objects.get(name="Admin")
    for body in ({"permission": {"contact": {"GET": False}}}, {"name": "Toothless"}, {"isDefault": True}):
        refused = clerk.narrow_session.put(f"/role/{admin.pk}", body)
        assert refused.status == 403, body
        assert "the role permits custom-field.GET" in refused.body["warning"]
    assert clerk.narrow_session.delete("/role", {"ids": [admin.pk]}).status == 403
    assert stored(clerk, admin.pk).permission == admin.permission
    assert clerk.session.put(f"/role/{admin.pk}", {"name": "Chief"}).status == 200
    assert clerk.key.put(f"/role/{admin.pk}", {"permission": {"tag": {"GET": False}}}).status == 200


def test_nobody_changes_the_permission_of_their_own_role(clerk: Cast) -> None:
    refused = clerk.narrow_session.put(f"/role/{clerk.narrow.role_id}", {"permission": {"contact": {"GET": False}}})
    assert (refused.status, refused.body["message"]) == (403, REFUSED)
    assert clerk.narrow_session.put(f"/role/{clerk.narrow.role_id}", {"description": "Mine"}).status == 200


def test_put_counts_for_patch_and_get_for_head() -> None:
    actor = Actor(AuthPath.SESSION, "u", permissions={"contact": {"PUT": True}})
    assert actor.may("contact", "PATCH")
    assert missing_flags(actor, {"contact": {"PUT": True, "GET": False, "DELETE": True}}) == ["contact.DELETE"]
    assert missing_flags(Actor(AuthPath.SESSION, "u", is_owner=True), {"contact": {"DELETE": True}}) == []
    assert missing_flags(Actor(AuthPath.KEY, "u", is_owner=True), {"contact": {"DELETE": True}}) == []
    assert missing_flags(Actor(AuthPath.KEY, "u"), {"contact": {"DELETE": True}}) == ["contact.DELETE"]


def test_each_method_needs_its_permission(cast: Cast) -> None:
    one = f"/role/{role_of(cast).pk}"
    for method, path in (("GET", "/role"), ("POST", "/role"), ("DELETE", "/role"), ("GET", one), ("PUT", one)):
        answer = cast.narrow_session.call(method, path, None if method == "GET" else {})
        assert (answer.status, answer.body["warning"]) == (403, f"your role lacks the permission role.{method}")


# Lists and concurrency


def test_list_sorts_filters_and_searches(cast: Cast) -> None:
    role_of(cast, name="Zed", description="the last")
    names = [row["name"] for row in cast.key.get("/role", sortBy="name", sortOrder="asc").data]
    assert names == sorted(names)
    assert len(names) == 6
    assert [row["name"] for row in cast.key.get("/role", filters={"isDefault": True}).data] == ["Member"]
    assert [row["name"] for row in cast.key.get("/role", searchValue="THE LAST").data] == ["Zed"]
    page = cast.key.get("/role", p="1", n="2", sortBy="name", sortOrder="asc")
    assert (page.body["totalCount"], len(page.data)) == (6, 2)


def test_a_list_costs_the_same_whatever_its_length(cast: Cast) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert cast.session.get("/role", p="1", n="100").status == 200
        return len(captured)

    queries()
    few = queries()
    with cast.scope():
        for _ in range(20):
            RoleFactory(created_by=cast.owner, updated_by=cast.owner)
    assert queries() == few


@pytest.fixture
def office(transactional_db: None) -> Cast:
    """A committed company, so that threads see it."""
    return make_cast()


def test_of_many_creations_of_one_name_one_goes_through(office: Cast) -> None:
    actor = Actor(AuthPath.KEY, office.owner.user_id, office.company.pk, office.owner.pk)
    results = at_once(
        10,
        office.company.pk,
        lambda n: (
            type(create_role(actor=actor, values={"name": "Same" if n % 2 else "SAME", "permission": {}}).role).__name__
        ),
    )
    assert Counter(results) == {"Role": 1, "RoleNameAlreadyExists_400": 9}


def test_the_default_moves_to_one_role_when_many_want_it(office: Cast) -> None:
    actor = Actor(AuthPath.KEY, office.owner.user_id, office.company.pk, office.owner.pk)
    with office.scope():
        ids = [RoleFactory().pk for _ in range(8)]
    results = at_once(
        8, office.company.pk, lambda n: update_role(actor=actor, id=ids[n], values={"is_default": True}).role.is_default
    )
    assert results == [True] * 8
    with office.scope():
        assert Role.objects.filter(is_default=True).count() == 1


def test_a_role_is_not_deleted_while_it_is_being_given(office: Cast) -> None:
    actor = Actor(AuthPath.KEY, office.owner.user_id, office.company.pk, office.owner.pk)
    for _ in range(5):
        with office.scope():
            role = RoleFactory()
            member = MemberFactory(status=Member.Status.ACCEPTED, role=RoleFactory())

        def race(n: int, role: Role = role, member: Member = member) -> str:
            if n:
                update_member(actor=actor, id=member.pk, values={"role": role.pk})
                return "given"
            delete_roles(actor=actor, selection=BulkSelection(Q(pk=role.pk)))
            return "deleted"

        outcomes = Counter(at_once(2, office.company.pk, race))
        assert outcomes in ({"given": 1, "BadRequest_400": 1}, {"deleted": 1, "RoleNotFound_404": 1})
