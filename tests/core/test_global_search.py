"""GET /search: what is found, by whom, and by which plan."""

from __future__ import annotations

import pytest

from accounts.models import Member, Role
from core.access import Entitlement
from core.global_search import SEARCH_KINDS
from core.global_search.views import SearchViewSet
from crm.models import File, Segment, Tag
from outreach.models import GenieScheduler
from tests.kit.cast import SESSION, Caller, Cast, make_cast, session_headers
from tests.kit.factories import ContactFactory, LeadFactory, MemberFactory
from tests.kit.plans import allow

pytestmark = pytest.mark.django_db


def found(caller: Caller, **query: str) -> dict[str, list[str]]:
    """Kind -> the titles that were found."""
    answer = caller.get("/search", **query)
    assert answer.status == 200, answer.body
    return {group["kind"]: [one["title"] for one in group["records"]] for group in answer.data["groups"]}


def test_every_kind_is_searched_and_only_what_the_reader_may_read(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    outsiders = make_cast()
    with outsiders.scope():
        ContactFactory(name="Hedlund of others")
    with cast.scope():
        contacts = [ContactFactory(name=name) for name in ("Wei Hedlund", "Hedlund Elsa", "Ann Lee")]
        ContactFactory(name="Hedlund deleted", is_deleted=True)
        LeadFactory(contact=contacts[0])
        for name, hidden in (("hedlund.csv", ""), ("hedlund exports.csv", "lead")):
            File.objects.create(name=name, size=1, mime="text/csv", path="x", read_module=hidden)
        GenieScheduler.objects.create(prompt="Invite Hedlund", ai_type="x")
        Segment.objects.create(name="Hedlund's people")
        Tag.objects.create(name="HEDLUND")
        viewer = MemberFactory(status=Member.Status.ACCEPTED, role=Role.objects.get(name="Viewer"), name="Hedlund V")

    everything = {
        "contact": ["Hedlund Elsa", "Wei Hedlund"],
        "lead": ["Wei Hedlund"],
        "file": ["hedlund exports.csv", "hedlund.csv"],
        "segment": ["Hedlund's people"],
        "tag": ["HEDLUND"],
        "genie": ["Invite Hedlund"],
        "member": ["Hedlund V"],
    }
    for caller in (cast.key, cast.session):
        assert found(caller, q=" hEdlund ") == everything
    assert found(cast.key, q="elsa hed") == {"contact": ["Hedlund Elsa"]}
    assert found(cast.key, q=contacts[2].number or "Ann L", kinds="contact,tag") == {"contact": ["Ann Lee"]}

    # The role hides kinds, and files of lists that it does not show; so does the plan.
    reader = Caller(SESSION, session_headers(viewer))
    assert found(reader, q="hedlund") == {kind: names for kind, names in everything.items() if kind != "member"}
    with cast.scope():
        viewer.role.permission = {"lead": {"GET": True}, "file": {"GET": True}}
        viewer.role.save()
    assert found(reader, q="hedlund") == {"lead": ["Wei Hedlund"], "file": ["hedlund exports.csv", "hedlund.csv"]}
    with cast.scope():
        viewer.role.permission = {"file": {"GET": True}}
        viewer.role.save()
    assert found(reader, q="hedlund") == {"file": ["hedlund.csv"]}
    allow(monkeypatch, Entitlement(modules=frozenset({"contact", "tag"})))
    assert found(cast.session, q="hedlund") == {kind: everything[kind] for kind in ("contact", "tag")}


def test_bounds_and_refusals(cast: Cast) -> None:
    with cast.scope():
        for number in range(7):
            ContactFactory(name=f"Ann {number}")
    groups = cast.key.get("/search", q="a").data["groups"]
    assert [(one["kind"], len(one["records"]), one["hasMore"]) for one in groups][0] == ("contact", 5, True)
    assert found(cast.key, q="ann", n="2", kinds="contact") == {"contact": ["Ann 6", "Ann 5"]}
    assert len(found(cast.key, q="ann", n="21", kinds="contact")["contact"]) <= 20
    refused = ({"q": "a" * 201}, {"q": " "}, {"n": "0"}, {"n": "x"}, {"kinds": "contact,bean"}, {"search": "ann"})
    for query in refused:
        answer = cast.key.get("/search", **{"q": "ann", **query})
        assert answer.status == 400
        assert answer.body["warning"].startswith(f"{next(iter(query))}: ")
    missing = cast.key.get("/search")
    assert (missing.status, missing.body["warning"]) == (400, "q: is required, and says what to look for")


def test_kinds_are_opened_by_the_endpoints_permission() -> None:
    """A reader of any kind may call it."""
    assert len(SEARCH_KINDS) > 9
    assert {kind.module for kind in SEARCH_KINDS.values()} == {SearchViewSet.module, *SearchViewSet.alternate_modules}
