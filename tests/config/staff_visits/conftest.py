"""Staff, and their visit to the company of the cast."""

from __future__ import annotations

import pytest
from django.test import Client

from accounts.models import StaffVisit, User
from accounts.staff_visits.services import open_visit
from tests.config.staff_visits.helpers import REASON
from tests.kit.cast import Cast


@pytest.fixture
def staff(db: None) -> User:
    return User.objects.create_superuser("root@example.com", "correct horse battery", name="Root")


@pytest.fixture
def client(staff: User) -> Client:
    client = Client()
    client.force_login(staff)
    return client


@pytest.fixture
def visit(cast: Cast, staff: User) -> StaffVisit:
    return open_visit(staff=staff, company_id=cast.company.pk, reason=REASON)
