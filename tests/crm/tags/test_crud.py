"""/tag and /contact-category (contract 4.4), which work alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core.models import Event
from crm.models import Contact, ContactTag, Import, LeadTag
from tests.crm.contacts.helpers import form
from tests.guards.backoffice_rows import MAKERS
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import ContactCategoryFactory, ContactFactory, TagFactory


@dataclass(frozen=True)
class Kind:
    path: str
    module: str
    missing: str
    taken: str


TAG_KINDS = [
    Kind("/tag", "tag", "Tag not found.", "A tag with this name already exists."),
    Kind("/contact-category", "contact-category", "Category not found.", "A category with this name already exists."),
]


@pytest.fixture(params=TAG_KINDS, ids=lambda kind: kind.module)
def kind(request: pytest.FixtureRequest) -> Kind:
    return request.param


def test_create_read_update_list(cast: Cast, kind: Kind) -> None:
    made = cast.key.post(kind.path, {"name": "Press", "color": "#fff", "description": "writes"})
    assert made.status == 201
    assert {key: made.data[key] for key in ("name", "color", "description")} == {
        "name": "Press",
        "color": "#fff",
        "description": "writes",
    }
    assert made.data["createdBy"] == {"_id": cast.owner.pk, "name": cast.owner.name, "email": cast.owner.email}
    id = made.data["_id"]
    assert cast.key.get(f"{kind.path}/{id}").data == made.data
    changed = cast.key.put(f"{kind.path}/{id}", {"name": "Media"})
    assert (changed.status, changed.data["name"], changed.data["color"]) == (200, "Media", "#fff")
    cast.key.post(kind.path, {"name": "Art"})
    listed = cast.key.get(kind.path, sortBy="name", sortOrder="asc")
    assert [found["name"] for found in listed.data] == ["Art", "Media"]
    assert listed.body["totalCount"] == 2
    assert [found["name"] for found in cast.key.get(kind.path, searchValue="MED").data] == ["Media"]


def test_names_are_unique_whatever_their_case(cast: Cast, outsiders: Cast, kind: Kind) -> None:
    assert cast.key.post(kind.path, {"name": "Press"}).status == 201
    taken = cast.key.post(kind.path, {"name": " PRESS "})
    assert (taken.status, taken.body["message"]) == (400, kind.taken)
    other = cast.key.post(kind.path, {"name": "Art"}).data["_id"]
    assert cast.key.put(f"{kind.path}/{other}", {"name": "press"}).body["message"] == kind.taken
    assert cast.key.put(f"{kind.path}/{other}", {"name": "ART"}).data["name"] == "ART"
    assert outsiders.key.post(kind.path, {"name": "Press"}).status == 201


def test_another_companys_looks_missing(cast: Cast, outsiders: Cast, kind: Kind) -> None:
    id = outsiders.key.post(kind.path, {"name": "Press"}).data["_id"]
    unknown = "65a1b2c3d4e5f60718293a4b"
    for method, body in (("GET", None), ("PUT", {"name": "Mine"})):
        foreign = cast.key.call(method, f"{kind.path}/{id}", body)
        assert (foreign.status, foreign.body["message"]) == (400, kind.missing)
        assert foreign.body == cast.key.call(method, f"{kind.path}/{unknown}", body).body
        malformed = cast.key.call(method, f"{kind.path}/xyz", body)
        assert (malformed.status, malformed.body["message"]) == (400, "Invalid format for field _id: xyz")
    assert cast.key.get(kind.path).data == []
    assert outsiders.key.get(f"{kind.path}/{id}").data["name"] == "Press"


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"name": ""},
        {"name": "  "},
        {"name": 1},
        {"name": "x" * 201},
        {"name": "x", "shade": 1},
        {"name": "x", "color": []},
        [],
    ],
)
def test_a_malformed_body_is_a_400(cast: Cast, kind: Kind, body: Any) -> None:
    assert cast.key.post(kind.path, body).status == 400
    assert cast.key.get(kind.path).data == []


def test_the_permission_module_decides_on_the_session_path(db: None, kind: Kind) -> None:
    allowed = make_cast({kind.module: {"GET": True, "POST": True, "PUT": True}})
    made = allowed.narrow_session.post(kind.path, {"name": "Press"})
    assert made.status == 201
    assert allowed.narrow_session.put(f"{kind.path}/{made.data['_id']}", {"name": "Media"}).status == 200
    assert allowed.narrow_session.get(kind.path).status == 200
    refused = make_cast({})
    for method, path, body in (
        ("GET", kind.path, None),
        ("POST", kind.path, {"name": "Press"}),
        ("GET", f"{kind.path}/{made.data['_id']}", None),
        ("PUT", f"{kind.path}/{made.data['_id']}", {"name": "x"}),
    ):
        assert refused.narrow_session.call(method, path, body).status == 403
    assert refused.session.post(kind.path, {"name": "Press"}).status == 201


def tagged(cast: Cast, kind: Kind, number: int, first: int = 1) -> tuple[str, list[str]]:
    """Create a tag or category, and so many contacts that have it, each with a lead that has it too."""
    tag = cast.key.post(kind.path, {"name": f"Fair {first}"}).data["_id"]
    given: dict[str, Any] = {"tags": [tag]} if kind.module == "tag" else {"category": tag}
    contacts = []
    for n in range(first, first + number):
        lead = cast.key.post("/lead", {"formData": form(n), **given})
        assert lead.status == 201, lead.body
        contacts.append(lead.data["contact"]["_id"])
        assert cast.key.put(f"/contact/{contacts[-1]}", given).status == 200
    return tag, contacts


def counts(cast: Cast, kind: Kind, tag: str) -> tuple[int, int]:
    found = cast.key.get(f"{kind.path}/{tag}").data
    return found["contactCount"], found["leadCount"]


def test_counts_are_of_live_records(cast: Cast, kind: Kind) -> None:
    tag, contacts = tagged(cast, kind, 3)
    other = cast.key.post(kind.path, {"name": "Other"}).data
    assert (other["contactCount"], other["leadCount"]) == (0, 0)
    assert counts(cast, kind, tag) == (3, 3)
    lead = cast.key.get("/lead", p="1", n="1").data[0]["_id"]
    assert cast.key.delete("/lead", {"ids": [lead]}).status == 200
    assert cast.key.delete("/contact", {"ids": contacts[:2]}).status == 200
    assert counts(cast, kind, tag) == (1, 2)
    listed = cast.key.get(kind.path, sortBy="name", sortOrder="asc", p="1", n="5").data
    assert [(found["name"], found["contactCount"], found["leadCount"]) for found in listed] == [
        ("Fair 1", 1, 2),
        ("Other", 0, 0),
    ]


def test_a_list_takes_as_many_queries_for_twenty_as_for_one(cast: Cast, kind: Kind) -> None:
    with cast.scope():
        factory = TagFactory if kind.module == "tag" else ContactCategoryFactory
        factory()

        def queries() -> int:
            with CaptureQueriesContext(connection) as found:
                assert cast.key.get(kind.path, p="1", n="50").status == 200
            return len(found)

        queries()
        few = queries()
        factory.create_batch(19)
        assert queries() == few


def test_deleting_a_tag_leaves_its_records(cast: Cast, kind: Kind) -> None:
    tag, contacts = tagged(cast, kind, 2)
    kept, others = tagged(cast, kind, 1, first=7)
    with cast.scope():
        job: Import = MAKERS[Import](1)
        is_tag = kind.module == "tag"
        Import.objects.filter(pk=job.pk).update(**{"tags": [kept, tag]} if is_tag else {"category_id": tag})
        before = dict(Contact.objects.values_list("pk", "updated_at"))
    answer = cast.key.delete(kind.path, {"ids": [tag]})
    assert (answer.status, answer.data) == (200, {"deletedCount": 1})
    assert cast.key.get(f"{kind.path}/{tag}").body["message"] == kind.missing
    assert counts(cast, kind, kept) == (1, 1)
    key = "tags" if is_tag else "category"
    assert [cast.key.get(f"/contact/{id}").data[key] for id in contacts] == [[] if is_tag else None] * 2
    assert cast.key.get(f"/contact/{others[0]}").data[key] == (
        [{"_id": kept, "name": "Fair 7"}] if is_tag else {"_id": kept, "name": "Fair 7"}
    )
    with cast.scope():
        assert dict(Contact.objects.values_list("pk", "updated_at")) == before
        assert (ContactTag.objects.count(), LeadTag.objects.count()) == ((1, 1) if is_tag else (0, 0))
        events = list(Event.objects.filter(kind__endswith=".deleted").values_list("kind", "object_id", "payload"))
        assert events == [("tag.deleted" if is_tag else "contact-category.deleted", tag, {"name": "Fair 1"})]
        job.refresh_from_db()
        assert (job.tags, job.category_id) == (([kept] if is_tag else []), None)


def test_tags_are_selected_for_deletion_as_everywhere(cast: Cast, outsiders: Cast, kind: Kind) -> None:
    first, second, third = (cast.key.post(kind.path, {"name": name}).data["_id"] for name in ("Art", "Press", "Music"))
    foreign = outsiders.key.post(kind.path, {"name": "Press"}).data["_id"]
    for body in ({"ids": [foreign]}, {"ids": ["0" * 24]}):
        refused = cast.key.delete(kind.path, body)
        assert (refused.status, refused.body["message"]) == (400, kind.missing)
    for body in ({}, {"ids": []}, {"ids": ["x"]}, {"ids": "x"}, {"all": True}, {"selectAll": "yes"}):
        assert cast.key.delete(kind.path, body).status == 400
    assert cast.key.get(kind.path).body["totalCount"] == 3
    assert cast.key.delete(kind.path, {"ids": [first, second, foreign], "nids": [second]}).data == {"deletedCount": 1}
    assert cast.key.delete(kind.path, {"selectAll": True}, searchValue="mus").data == {"deletedCount": 1}
    assert [found["_id"] for found in cast.key.get(kind.path).data] == [second]
    assert cast.key.get(f"{kind.path}/{third}").status == 400
    assert outsiders.key.get(f"{kind.path}/{foreign}").data["name"] == "Press"


def test_deletion_wants_its_permission(db: None, kind: Kind) -> None:
    for allowed, status in ((True, 200), (False, 403)):
        made = make_cast({kind.module: {"DELETE": allowed, "GET": True}})
        tag = made.key.post(kind.path, {"name": "Press"}).data["_id"]
        assert made.narrow_session.delete(kind.path, {"ids": [tag]}).status == status
        assert len(made.key.get(kind.path).data) == (0 if allowed else 1)


def test_a_tag_that_is_gone_is_refused_by_those_who_give_it(cast: Cast) -> None:
    tag = cast.key.post("/tag", {"name": "Press"}).data["_id"]
    with cast.scope():
        contact = ContactFactory()
    cast.key.delete("/tag", {"ids": [tag]})
    answer = cast.key.put(f"/contact/{contact.pk}", {"tags": [tag]})
    assert (answer.status, answer.body["message"]) == (400, "Tag not found.")


@pytest.mark.undescribed("records that have only the fields that were asked for")
def test_a_list_answers_the_fields_that_are_asked_for(cast: Cast) -> None:
    with cast.scope():
        TagFactory(name="Press")
    with CaptureQueriesContext(connection) as whole:
        assert cast.key.get("/tag?p=1&n=2").body["data"][0]["contactCount"] == 0
    with CaptureQueriesContext(connection) as part:
        found = cast.key.get("/tag?p=1&n=2&fields=name").body["data"]
    assert [sorted(row) for row in found] == [["_id", "name"]]
    counts = [any("crm_contacttag" in one["sql"] for one in sent.captured_queries) for sent in (whole, part)]
    assert counts == [True, False], "what nobody asks for is not counted"
    streamed = cast.key.get("/tag?fields=leadCount,name").body["data"]
    assert [(row["name"], row["leadCount"], len(row)) for row in streamed] == [("Press", 0, 3)]
    for wrong in ("", "nmae", "name,contact.name"):
        refused = cast.key.get(f"/tag?p=1&n=2&fields={wrong}")
        assert (refused.status, refused.body["warning"].split()[0]) == (400, "fields:"), wrong
