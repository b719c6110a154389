"""The company, the people and the sender of campaigns under test."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from crm.models import ContactTag
from outreach.models import MailApp
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import ContactFactory, SmtpFactory, TagFactory
from tests.kit.rows import kept_for_module


@pytest.fixture(scope="module")
def house(django_db_setup: None, django_db_blocker: Any) -> Iterator[Cast]:
    with kept_for_module(django_db_blocker):
        yield make_cast()


@pytest.fixture
def cast(house: Cast, db: None) -> Cast:
    return house


@pytest.fixture
def people(cast: Cast) -> dict[str, Any]:
    """A sender and a tag with ten people, as a campaign names them."""
    with cast.scope():
        tag = TagFactory()
        for number in range(10):
            ContactTag.objects.create(contact=ContactFactory(name=f"Ann{number} Example", custom={}), tag=tag)
        return {"smtp": SmtpFactory().pk, "tags": [tag.pk]}


@pytest.fixture
def other_vendor(cast: Cast) -> str:
    """An app of another letter than the one that is asked for."""
    with cast.scope():
        app = MailApp.objects.create(letter="a", vendor="brevo", from_email="a@x.example", api_key="k", verified=True)
        return str(app.pk)
