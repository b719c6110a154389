"""Chosen addresses of booking pages."""

from __future__ import annotations

import pytest
from django.test import Client

from outreach.models import Booking, BookingPage
from outreach.site.booking.slugs import RESERVED
from tests.kit.cast import Cast
from tests.outreach.site.booking.helpers import book, make_page, path_of, stored


@pytest.mark.parametrize("path", ["key", "session"])
def test_a_page_has_a_chosen_address_beside_the_random_one(cast: Cast, path: str) -> None:
    client = getattr(cast, path)
    random = make_page(cast, makesLead=False)
    changed = client.put(f"/booking-page/{random['_id']}", {"slug": "Intro-Call-2"})
    assert (changed.status, changed.data["slug"]) == (200, "intro-call-2"), changed.body
    assert path_of(changed.data) == "/book/intro-call-2"
    for place in ("/book/intro-call-2", "/book/INTRO-call-2", path_of(random)):
        assert Client().get(place).status_code == 200, place
    assert Client().get("/api/public/book/intro-call-2").status_code == 200
    assert b"/book/intro-call-2" in Client().get(path_of(random)).content
    made = client.post("/booking-page", {"name": "Second", "kind": "offline", "slug": "second"})
    assert (made.status, path_of(made.data)) == (201, "/book/second")


@pytest.mark.usefixtures("quick", "monday")
def test_visitors_book_at_a_chosen_address(cast: Cast) -> None:
    page = make_page(cast, slug="intro-call")
    assert path_of(page) == "/book/intro-call"
    assert book(page).status_code == 303
    with cast.scope():
        assert Booking.objects.get().page_id == page["_id"]


def test_a_changed_slug_ends_the_former_address(cast: Cast) -> None:
    page = make_page(cast, slug="first-one")
    token = stored(cast, page).token
    assert path_of(cast.key.put(f"/booking-page/{page['_id']}", {"slug": "second-one"}).data) == "/book/second-one"
    assert Client().get("/book/first-one").status_code == 404
    assert path_of(cast.key.put(f"/booking-page/{page['_id']}", {"slug": ""}).data) == f"/book/{token}"
    assert Client().get("/book/second-one").status_code == 404
    assert make_page(cast, name="Other", slug="first-one")["slug"] == "first-one"


@pytest.mark.parametrize(
    "slug",
    [
        "ab",
        "a" * 61,
        "-call",
        "call-",
        "a--b",
        "intro call",
        "größe",
        "a_b",
        "a/b",
        "a.b",
        "a%00b",
        *sorted(RESERVED)[:2],
    ],
)
def test_an_address_that_is_none_is_refused(cast: Cast, slug: str) -> None:
    refused = cast.key.post("/booking-page", {"name": "Intro", "kind": "offline", "slug": slug})
    assert (refused.status, refused.body["warning"][:4]) == (400, "slug"), refused.body
    assert Client().get(f"/book/{slug}").status_code == 404


def test_addresses_are_unique_over_all_companies(cast: Cast, outsiders: Cast) -> None:
    make_page(outsiders, slug="intro")
    make_page(outsiders, name="Second", slug="intro-2")
    body = {"name": "Ours", "kind": "offline", "slug": "Intro"}
    refused = cast.key.post("/booking-page", body)
    assert (refused.status, refused.body["name"]) == (400, "BookingPageSlugAlreadyExists_400"), refused.body
    assert "'intro-3' is free" in refused.body["warning"]
    assert cast.key.post("/booking-page", {**body, "slug": "intro-3"}).status == 201
    # Pages without a slug do not compete.
    assert make_page(cast, name="Plain")["slug"] == make_page(cast, name="Plain too")["slug"] == ""


def test_a_slug_never_takes_the_random_address_of_another_page(cast: Cast, outsiders: Cast) -> None:
    page = make_page(cast)
    with cast.scope():
        record = stored(cast, page)
        record.token = "abcdefgh" * 4
        record.title = "Ours"
        record.save()
    theirs = make_page(outsiders, title="Theirs")
    with outsiders.scope():
        BookingPage.objects.filter(pk=theirs["_id"]).update(slug="abcdefgh" * 4)
    assert b"Ours" in Client().get(f"/book/{'abcdefgh' * 4}").content


def test_nobody_takes_the_random_address_of_another(cast: Cast, outsiders: Cast) -> None:
    page = make_page(cast)
    token = stored(cast, page).token
    refused = outsiders.key.post("/booking-page", {"name": "Evil", "kind": "offline", "slug": token.lower()})
    assert (refused.status, refused.body["warning"]) == (400, "slug: this looks like a random address; add a hyphen")
    # One that was stored before this check does not take the address, not even of a page that is switched off.
    other = make_page(outsiders, name="Old")
    with outsiders.scope():
        BookingPage.objects.filter(pk=other["_id"]).update(slug=token.lower())
    assert cast.key.put(f"/booking-page/{page['_id']}", {"isActive": False}).status == 200
    assert Client().get(f"/book/{token}").status_code == 404
