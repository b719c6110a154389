"""Sample people and the test sender: added and removed by a click, and never mailed by any other sender."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from core.access import Entitlement
from core.samples import DOMAIN, set_test_server
from core.tenancy import company_scope
from crm.contacts.pages.samples import NAMES
from crm.models import Contact, Tag
from outreach.connections.senders.sample_people import sample_addresses
from outreach.models import SendJob, Smtp
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import ContactFactory
from tests.kit.html import html_of
from tests.kit.plans import allow
from tests.kit.smtp_server import Faults, accept_everybody, faulty_server
from tests.outreach.helpers import Post, work
from tests.web.helpers import at, enter, text_of, toast_of

SAMPLES = "contacts/samples"


@pytest.fixture
def with_test_server(post: Post) -> Iterator[Post]:
    set_test_server(lambda: ("127.0.0.1", post.port))
    yield post
    set_test_server(lambda: None)


def samples(cast: Cast) -> int:
    with cast.scope():
        return Contact.objects.filter(is_deleted=False, email__endswith=f"@{DOMAIN}").count()


def test_sample_people_come_and_go_by_a_click_each(cast: Cast) -> None:
    client, path = enter(cast.owner), at(cast.owner, SAMPLES)
    with cast.scope():
        kept = ContactFactory(email="ann@example.org")
    assert path in html_of(client.get(at(cast.owner, "imports/new")))
    added = client.post(path, {"do": "add", "back": "home"})
    assert added["Location"] == at(cast.owner)
    toast = toast_of(client, added)
    assert (f"{len(NAMES)} sample people added" in toast, samples(cast)) == (True, len(NAMES))
    with cast.scope():
        assert Tag.objects.get(name="Sample").contact_links.count() == len(NAMES)
    assert "Add sample" not in text_of(client.get(path)).partition("Sample people")[2]
    assert "Remove sample people" in text_of(client.get(at(cast.owner, "first-steps")))

    undo = dict(re.findall(r'name="(\w+)" value="([^"]*)"', toast))
    assert (undo["do"], re.search(r'action="([^"]*)"', toast)[1]) == ("remove", path)
    assert "Sample people removed" in toast_of(client, client.post(path, undo))
    assert samples(cast) == 0
    assert "added" in toast_of(client, client.post(path, {"do": "add"}))
    assert samples(cast) == len(NAMES)
    removed = toast_of(client, client.post(path, {"do": "remove"}))
    assert ("Sample people removed" in removed, samples(cast)) == (True, 0)
    with cast.scope():
        assert not Contact.objects.get(pk=kept.pk).is_deleted
        assert Tag.objects.filter(name="Sample").count() == 1
    client.post(re.search(r'action="([^"]*)"', removed)[1], {"do": "undo"})
    work("bulk-job")
    assert samples(cast) == len(NAMES)


def test_a_role_without_the_permission_adds_none(db: None) -> None:
    reader = make_cast({"contact": {"GET": True}})
    client = enter(reader.narrow)
    assert "Add 20" not in text_of(client.get(at(reader.owner, SAMPLES)))
    assert 'class="toast bad"' in toast_of(client, client.post(at(reader.owner, SAMPLES), {"do": "add"}))
    assert samples(reader) == 0


def test_they_count_against_the_plan(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    client = enter(cast.owner)
    allow(monkeypatch, Entitlement(limits={"contact": 5}))
    assert "5 sample people added" in toast_of(client, client.post(at(cast.owner, SAMPLES), {"do": "add"}))
    refused = toast_of(client, client.post(at(cast.owner, SAMPLES), {"do": "add"}))
    assert ('class="toast bad"' in refused, samples(cast)) == (True, 5)


@pytest.mark.parametrize("is_test_sender", [True, False])
def test_the_test_sender_alone_mails_them(cast: Cast, with_test_server: Post, is_test_sender: bool) -> None:
    client = enter(cast.owner)
    client.post(at(cast.owner, SAMPLES), {"do": "add"})
    if not is_test_sender:
        set_test_server(lambda: ("127.0.0.1", 1))
    with cast.scope():
        ids = list(Contact.objects.filter(is_deleted=False).values_list("pk", flat=True)[:2])
        own = ContactFactory(email="ann@example.org", custom={}).pk
    body = {"contactIds": [*ids, own], "prompt": "Invite them to our open day", "draft": "send"}
    assert client.post(at(cast.owner, "outreach/new"), body).status_code == 303
    work("genie")
    work("send")
    mailed = with_test_server.recipients()
    assert ("ann@example.org" in mailed, len(mailed)) == (True, 3 if is_test_sender else 1)
    with company_scope(cast.company.pk):
        failed = set(SendJob.objects.filter(contact_id__in=ids).values_list("status", "reason"))
    assert failed == ({("sent", "")} if is_test_sender else {("failed", "sample_contact")})


def test_the_service_mails_them_to_a_test_server_alone() -> None:
    addresses = ["ann@example.org", f"amara.okafor@{DOMAIN.upper()}"]
    assert sample_addresses(addresses) == {addresses[1]}
    set_test_server(lambda: ("127.0.0.1", 25))
    assert sample_addresses(addresses) == set()
    set_test_server(lambda: None)


def test_the_test_sender_is_connected_by_a_click(cast: Cast) -> None:
    client, path = enter(cast.owner), at(cast.owner, "senders")
    with faulty_server(Faults(), authenticator=accept_everybody, auth_require_tls=False) as port:
        set_test_server(lambda: ("127.0.0.1", port))
        assert "Use the test sender" in text_of(client.get(path))
        connected = client.post(path, {"do": "test_sender", "back": "home"})
        set_test_server(lambda: None)
    assert connected["Location"] == at(cast.owner)
    assert "the connection works" in toast_of(client, connected)
    with cast.scope():
        sender = Smtp.objects.get()
    assert (sender.port, sender.from_email, sender.verified) == (port, cast.owner.email, True)


def test_without_a_test_server_there_is_no_test_sender(cast: Cast) -> None:
    client = enter(cast.owner)
    assert "Use the test sender" not in text_of(client.get(at(cast.owner, "senders")))
    assert client.post(at(cast.owner, "senders"), {"do": "test_sender"}).status_code == 400
