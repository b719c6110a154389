"""No action of a page fails, whoever asks for it and without any value: it is done, or refused in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import transaction

from config.urls.web import PAGES
from core.web.pages import Page
from tests.kit.examples import walked
from tests.kit.rows import kept_for_module
from tests.web.helpers import text_of
from tests.web.world import World, address, make_world

READERS = ("Owner", "Viewer")


@pytest.fixture(scope="module")
def world(django_db_setup: None, django_db_blocker: Any) -> Iterator[World]:
    with kept_for_module(django_db_blocker):
        yield make_world()


def actions(page: type[Page]) -> list[str]:
    return sorted(name.removeprefix("do_") for name in dir(page) if name.startswith("do_"))


@pytest.mark.parametrize("page", [page for page in walked(PAGES) if actions(page)], ids=lambda page: page.name)
def test_an_action_without_values_is_done_or_refused(world: World, page: type[Page]) -> None:
    for reader in READERS:
        for action in actions(page):
            with transaction.atomic():
                response = world.clients[reader].post(address(world, page), {"do": action})
                assert response.status_code < 500, (reader, action, text_of(response)[:300])
                transaction.set_rollback(True)
