"""People to meet."""

from __future__ import annotations

import pytest

from accounts.models import Member
from crm.models import Contact
from tests.crm.leads.helpers import member
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory


@pytest.fixture
def ann(cast: Cast) -> Contact:
    with cast.scope():
        return ContactFactory(name="Ann Lee", email="Ann@Example.org")


@pytest.fixture
def sella(cast: Cast) -> Member:
    with cast.scope():
        return member(user__name="Sella", user__email="sella@example.com")
