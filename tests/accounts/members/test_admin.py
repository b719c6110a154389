"""What the back office says about the API keys of members."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from accounts.api_keys.services import create_key
from accounts.models import User
from tests.accounts.members.helpers import add, reread
from tests.kit.cast import Cast


@pytest.fixture
def office(cast: Cast) -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("root@example.com", "correct horse battery"))
    return client


@pytest.mark.parametrize(("name", "status"), [("block", "blocked"), ("remove", "removed")])
def test_blocking_and_removing_name_their_keys(cast: Cast, office: Client, name: str, status: str) -> None:
    with cast.scope():
        key = create_key(member_id=cast.narrow.pk)
    address = reverse("admin:accounts_member_command", args=(cast.narrow.pk,))
    text = office.post(address, {"command": name}, follow=True).content.decode()
    assert f"API keys of these members stay until you delete them: {key.masked_key}" in text
    assert cast.api_key.masked_key not in text
    assert reread(cast, cast.narrow).status == status


def test_from_the_list_of_those_who_can_work(cast: Cast, office: Client) -> None:
    """The blocked one is not in the filtered list any more."""
    with cast.scope():
        key, other = create_key(member_id=cast.narrow.pk), create_key(member_id=add(cast).pk)
    address = reverse("admin:accounts_member_changelist") + "?status__exact=accepted"
    chosen = {"action": "block", "_selected_action": [cast.narrow.pk]}
    text = office.post(address, chosen, follow=True).content.decode()
    assert key.masked_key in text
    assert other.masked_key not in text


def test_a_members_page_shows_their_keys(cast: Cast, office: Client) -> None:
    text = office.get(reverse("admin:accounts_member_change", args=(cast.owner.pk,))).content.decode()
    assert cast.api_key.masked_key in text
    assert cast.api_key.key not in text
