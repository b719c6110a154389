"""The journey through outreach: start it, see samples, review by keys, send, and learn why one has not gone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email import message_from_bytes, policy
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from core.jobs.liveness import release_lock
from outreach.models import AiApp, SendJob
from tests.browser.conftest import press
from tests.kit.cast import make_cast
from tests.kit.factories import ContactFactory, SmtpFactory, TagFactory
from tests.kit.smtp_server import Faults, accept_any, faulty_server
from tests.outreach.helpers import make_due, work
from tests.web.helpers import PASSWORD

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]
WORDS = "Dear Bob,\n\nCome on  12 May – 9 °C or not.\n\n  .\n.Yours, Zoë\n"
"""Two blanks, a line with a dot alone, letters beyond ASCII: what mail likes to change."""


@pytest.fixture
def catcher() -> Iterator[tuple[Faults, int]]:
    """The mail server: what it has got, and its port."""
    faults = Faults()
    with faulty_server(faults, authenticator=accept_any, auth_require_tls=False) as port:
        yield faults, port
    release_lock()


def test_drafts_are_reviewed_by_keys_and_sent(page: Page, live_server: Any, catcher: tuple[Faults, int]) -> None:
    cast = make_cast()
    caught, port = catcher
    with cast.scope():
        SmtpFactory(port=port, username="user", password="päss wörd")
        AiApp.objects.get_or_create(provider="offline-composer", is_default=True, defaults={"name": "Offline"})
        tag = TagFactory(name="Fair")
        people = {name: ContactFactory(name=name, custom={}) for name in ("Ann Lee", "Bob Ray", "Cid Day", "Dan Fox")}
    for name, contact in people.items():
        if name != "Dan Fox":
            cast.session.put(f"/contact/{contact.pk}", {"tags": [tag.pk]})

    page.goto("/")
    page.get_by_label("Email address").fill(cast.owner.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="Home")).to_be_visible()

    # A tag, and one more person whom the search finds; samples, of which nothing is stored.
    page.goto(f"/c/{cast.company.pk}/outreach/new")
    page.get_by_label("Fair").check()
    page.get_by_role("searchbox", name="Find contacts").press_sequentially("dan")
    page.get_by_label("Dan Fox").check()
    expect(page.locator("#audience")).to_contain_text("4 of 4 contacts")
    page.get_by_label("Topic").fill("Invite them to our open day")
    page.get_by_role("button", name="Show samples").click()
    samples = page.locator("#samples")
    expect(samples.locator("details.sample")).to_have_count(3)
    expect(samples).to_contain_text("I would like to invite you to our open day.")
    expect(samples.locator("mark.proved").first).to_be_visible()
    with cast.scope():
        assert not SendJob.objects.exists()
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_text("Writing", exact=True)).to_be_visible()
    work("genie")

    # By keys: approve one, edit and approve one, walk, stop one, approve the last.
    page.get_by_role("link", name="Review 4 drafts").click()
    place = page.locator(".top").get_by_role("status")
    to = page.locator(".to strong")
    expect(place).to_have_text("1 of 4")
    press(page, "a")
    expect(place).to_have_text("1 of 3")
    expect(to).to_have_text("Bob Ray")
    # A key takes the decision back, and the draft is shown again; a form asks before it closes with changes.
    press(page, "z")
    expect(page.get_by_text("Undone.")).to_be_visible()
    expect(place).to_have_text("1 of 4")
    expect(to).to_have_text("Ann Lee")
    page.keyboard.press("Control+Enter")
    expect(place).to_have_text("1 of 3")
    press(page, "e")
    expect(page.get_by_label("Text")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_label("Text")).to_have_count(0)
    press(page, "e")
    page.get_by_label("Text").fill(WORDS)
    page.keyboard.press("Escape")
    page.get_by_role("dialog").get_by_role("button", name="Keep editing").click()
    expect(page.get_by_label("Text")).to_have_value(WORDS)
    page.get_by_label("Text").focus()
    page.keyboard.press("Control+Enter")
    expect(page.locator("mark.unproved").filter(has_text="Come on")).to_be_visible()
    expect(page.locator("mark.by-person").filter(has_text="Dear")).to_be_visible()
    press(page, "a")
    expect(place).to_have_text("1 of 2")
    press(page, "j")
    expect(place).to_have_text("2 of 2")

    # The last one is written anew as a hint asks, while the page looks on.
    press(page, "w")
    page.get_by_label("What should change?").fill("More formal")
    page.get_by_role("button", name="Rewrite").click()
    expect(page.get_by_role("region", name="Message")).to_contain_text("The message is being rewritten.")
    work("genie")
    expect(place).to_have_text("2 of 2")
    expect(page.locator(".letter")).to_contain_text("Dear Dan Fox")
    press(page, "k")
    expect(to).to_have_text("Cid Day")
    press(page, "x")
    expect(place).to_have_text("1 of 1")
    press(page, "a")
    page.get_by_role("link", name="Show progress").click()

    # It goes, the page follows; what was edited has arrived as it was written, byte for byte.
    numbers = page.get_by_role("region", name="Results")
    expect(numbers).to_contain_text(re.compile(r"Sending\s*3"))
    make_due(cast)
    work("send")
    expect(numbers).to_contain_text(re.compile(r"Sent\s*3"))
    got = {to: mail for (_, (to,), _), mail in zip(caught.envelopes, caught.received, strict=True)}
    assert set(got) == {people[name].email for name in ("Ann Lee", "Bob Ray", "Dan Fox")}
    mail = message_from_bytes(got[people["Bob Ray"].email], policy=policy.default)
    text = mail.get_body(("plain",)).get_payload(decode=True)  # type: ignore[union-attr]
    assert text.replace(b"\r\n", b"\n").startswith(WORDS.rstrip("\n").encode())

    # The one that did not go says why.
    page.get_by_role("link", name="Rejected in review.").click()
    page.get_by_role("link", name="Cid Day").click()
    expect(page.get_by_text("Rejected in review.").first).to_be_visible()
    page.get_by_role("button", name="Return to drafts").click()
    expect(page.get_by_role("link", name="Review the draft")).to_be_visible()
