"""Chosen addresses of booking pages."""

from __future__ import annotations

from importlib import import_module

import pytest
from django.apps import apps
from django.test import Client

from core.tenancy import unscoped
from core.tenancy.scope import use_owner_role
from outreach.models import Booking, BookingPage, BookingSlug
from outreach.site.booking import slugs
from outreach.site.booking.slugs import RESERVED
from tests.kit.cast import Cast, make_cast
from tests.kit.threads import at_once
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


def test_former_addresses_lead_to_the_page(cast: Cast) -> None:
    page = make_page(cast, slug="first-one")
    token = stored(cast, page).token
    place = f"/booking-page/{page['_id']}"
    assert path_of(cast.key.put(place, {"slug": "second-one"}).data) == "/book/second-one"
    moved = Client().get("/book/First-One", {"tz": "Asia/Tokyo", "x": "a b&c"})
    assert (moved.status_code, moved["Location"]) == (302, "/book/second-one?tz=Asia%2FTokyo&x=a+b%26c")
    assert Client().get("/api/public/book/first-one").status_code == 200
    assert path_of(cast.key.put(place, {"slug": ""}).data) == f"/book/{token}"
    for former in ("first-one", "second-one"):
        assert Client().get(f"/book/{former}")["Location"] == f"/book/{token}"
    # Once more the page's own: nothing leads on.
    cast.key.put(place, {"slug": "first-one"})
    assert Client().get("/book/first-one").status_code == 200
    cast.key.put(place, {"isActive": False})
    for closed in ("first-one", "second-one"):
        assert Client().get(f"/book/{closed}").status_code == 404


def test_a_former_address_goes_to_another_page_of_the_company_alone(cast: Cast, outsiders: Cast) -> None:
    page = make_page(cast, slug="intro")
    cast.key.put(f"/booking-page/{page['_id']}", {"slug": "second"})
    body = {"name": "Theirs", "kind": "offline", "slug": "Intro"}
    refused = outsiders.key.post("/booking-page", body)
    assert (refused.status, refused.body["warning"]) == (400, "slug: 'intro' is taken; 'intro-2' is free")
    with outsiders.scope():
        assert not BookingPage.objects.exists()
    other = make_page(cast, name="Other", slug="intro")
    assert Client().get("/book/intro").status_code == 200
    # Its page is deleted: the address stays reserved, and leads nowhere.
    assert cast.key.delete("/booking-page", {"ids": [other["_id"], page["_id"]]}).status == 200
    for former in ("intro", "second"):
        assert Client().get(f"/book/{former}").status_code == 404
        assert outsiders.key.post("/booking-page", {**body, "slug": former}).status == 400
    assert make_page(cast, name="Again", slug="second")["slug"] == "second"


def test_a_company_keeps_so_many_addresses(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slugs, "MAX_SLUGS", 2)
    page = make_page(cast, slug="first-one")
    place = f"/booking-page/{page['_id']}"
    assert cast.key.put(place, {"slug": "second-one"}).status == 200
    refused = cast.key.put(place, {"slug": "third-one"})
    assert (refused.status, refused.body["warning"].partition(":")[0]) == (400, "slug")
    for former in ("first-one", "second-one", ""):
        assert cast.key.put(place, {"slug": former}).status == 200, former


@pytest.mark.django_db(transaction=True)
def test_of_two_companies_that_choose_an_address_at_once_one_has_it() -> None:
    casts = [make_cast(), make_cast()]
    pages = [make_page(cast, name="Intro") for cast in casts]
    former = make_page(casts[0], name="Former", slug="intro-call")

    def choose(n: int) -> object:
        if n == 0:
            casts[0].key.put(f"/booking-page/{former['_id']}", {"slug": "other-call"})
        return casts[n].key.put(f"/booking-page/{pages[n]['_id']}", {"slug": "intro-call"}).status

    for answer in at_once(2, "", choose):
        assert answer in (200, 400)
    with casts[1].scope():
        assert not BookingPage.objects.exclude(slug="").exists()


def test_the_migration_keeps_the_addresses_in_use(cast: Cast, outsiders: Cast) -> None:
    make_page(cast, name="Plain")
    pages = [make_page(owner, slug=slug) for owner, slug in ((cast, "intro-call"), (outsiders, "demo-call"))]
    with use_owner_role():
        with unscoped(reason="test: as before the migration"):
            BookingSlug.objects.all().delete()
        import_module("outreach.migrations.0038_list_booking_slugs_in_use").list_slugs(apps, None)
    for owner, page in zip((cast, outsiders), pages, strict=True):
        with owner.scope():
            assert list(BookingSlug.objects.values_list("slug", "page")) == [(page["slug"], page["_id"])]


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
