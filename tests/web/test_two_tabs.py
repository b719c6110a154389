"""Two who change the same record: a save keeps what the other saved since the form was opened, on every page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import transaction

from config.urls.web import PAGES
from core.web.forms import Form
from core.web.pages import Page
from outreach.models import AiApp, DataApp, SocialAApp
from tests.kit.browser_form import untouched
from tests.kit.html import html_of
from tests.kit.rows import kept_for_module
from tests.web.world import World, address, make_world

FORM_CLASSES = ("form", "matrix-form", "body start")
"""The classes of the forms that save a record."""
QUERIES: dict[str, tuple[str, type[Any]]] = {
    "ai-app": ("kind=ai-a", AiApp),
    "data-app": ("kind=lead-source", DataApp),
    "social-app": ("", SocialAApp),
}
"""The pages whose address names the record in its query -> the rest of the query, and the model."""
FIELDS: dict[str, tuple[str, str]] = {}
"""Two fields of the pages on which the first two texts would not do."""
WITHOUT: dict[str, str] = {}
"""The pages on which two changes cannot be compared here -> the reason."""


@pytest.fixture(scope="module")
def world(django_db_setup: None, django_db_blocker: Any) -> Iterator[World]:
    with kept_for_module(django_db_blocker):
        yield make_world()


def place_of(world: World, page: type[Page]) -> str:
    """Return the address of the page with a record."""
    if page.name not in QUERIES:
        return address(world, page)
    query, model = QUERIES[page.name]
    return f"{address(world, page)}?{query}&id={world.ids[model]}"


def form_of(response: Any) -> Form | None:
    """Return the form of a record on a page."""
    form = response.context["form"] if response.context and "form" in response.context else None
    return form if isinstance(form, Form) and form.initial else None


def sent_of(response: Any) -> dict[str, list[str]]:
    """Return what a browser sends for the untouched form of a record."""
    forms = [untouched(response, css) for css in FORM_CLASSES]
    return next(form for form in forms if "opened" in form)


def errors_of(response: Any) -> Any:
    """Return the errors of the form on a page."""
    form = form_of(response)
    return form.errors if form is not None else html_of(response)


def texts_in(form: Form) -> list[str]:
    """Return the fields into which any text may be typed."""
    return [field.name for field in form if field.kind in ("text", "textarea")]


def edit_pages() -> list[type[Page]]:
    """Return the pages that may save a record."""
    return [page for page in PAGES if hasattr(page, "do_save") and (page.name in QUERIES or "<str:" in page.path)]


@pytest.mark.parametrize("page", edit_pages(), ids=lambda page: page.name)
def test_a_save_keeps_what_another_has_saved(world: World, page: type[Page]) -> None:
    client, place = world.clients["Owner"], place_of(world, page)
    with transaction.atomic():
        shown = client.get(place)
        form = form_of(shown)
        if page.name in WITHOUT or form is None:
            assert page.name in WITHOUT, f"{page.name} shows no form of a record"
            return
        sent = sent_of(shown) | {"do": ["save"]}
        first, second = FIELDS.get(page.name) or texts_in(form)[:2]
        saved = client.post(place, sent | {first: ["7"]})
        assert saved.status_code == 303, errors_of(saved)
        saved = client.post(place, sent | {second: ["8"]})
        assert saved.status_code == 303, errors_of(saved)
        values = form_of(client.get(place)).values
        assert (str(values[first]), str(values[second])) == ("7", "8")
        refused = client.post(place, sent | {first: ["9"]})
        assert (refused.status_code, "Choose what stays" in html_of(refused)) == (422, True)
        taken = client.post(place, sent_of(refused) | {"do": ["save"], f"choose-{first}": ["theirs"]})
        assert taken.status_code == 303, errors_of(taken)
        assert str(form_of(client.get(place)).values[first]) == "7"
        transaction.set_rollback(True)
