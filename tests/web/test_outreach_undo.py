"""Approvals and cancellations of drafts, which the pages take back for ten seconds."""

from __future__ import annotations

import html
import re

import pytest
from django.test import Client

from outreach.models import SendJob
from tests.kit.cast import Cast
from tests.outreach.helpers import Post, make_due, planned, statuses, work
from tests.web.helpers import at, enter, sent_form, toast_of


@pytest.fixture
def client(cast: Cast) -> Client:
    return enter(cast.owner)


def undone(client: Client, toast: str) -> str:
    """Send the form of a toast that offers to undo. Returns the toast that follows."""
    address = re.search(r'action="([^"]+)"', toast)
    assert address is not None
    assert "Undo" in toast
    fields = dict(re.findall(r'name="(\w+)"\s+value="([^"]*)"', toast))
    return toast_of(client, client.post(html.unescape(address[1]), fields))


def test_decisions_are_taken_back_until_the_message_goes(cast: Cast, post: Post, client: Client) -> None:
    run = planned(cast, 3, draft=True)
    path = at(cast.owner, f"outreach/{run}")
    for action, words in (("approve", "Approved"), ("cancel", "Message cancelled")):
        form = sent_form(client.get(f"{path}/review"))
        toast = toast_of(client, client.post(f"{path}/review", {**form, "do": action}))
        assert (words in toast, "toast timed" in toast) == (True, True)
        work("send")
        assert "The message is a draft again" in undone(client, toast)
        assert statuses(cast, run) == {"draft": 3}
    form = sent_form(client.get(f"{path}/review"))
    toast = toast_of(client, client.post(f"{path}/review", {**form, "do": "approve"}))
    make_due(cast)
    work("send")
    late = undone(client, toast)
    assert ("toast bad" in late, "already sent" in late) == (True, True)
    assert statuses(cast, run) == {"draft": 2, "sent": 1}

    every = {**sent_form(client.get(f"{path}/approve")), "do": "approve"}
    toast = toast_of(client, client.post(f"{path}/approve", every))
    work("send")
    assert "Drafts again: 2 messages" in undone(client, toast)
    assert statuses(cast, run) == {"draft": 2, "sent": 1}
    every = {**sent_form(client.get(f"{path}/approve")), "do": "approve"}
    toast = toast_of(client, client.post(f"{path}/approve", every))
    make_due(cast)
    work("send")
    assert "already sent" in undone(client, toast)

    with cast.scope():
        message = SendJob.objects.order_by("id").last()
        SendJob.objects.filter(pk=message.pk).update(status="draft")
    alone = at(cast.owner, f"messages/{message.pk}")
    toast = toast_of(client, client.post(alone, {**sent_form(client.get(alone)), "do": "approve"}))
    assert "Moved back to drafts" in undone(client, toast)
    refused = client.post(path, {"do": "undo_approval", "since": "<b>"})
    assert "toast bad" in toast_of(client, refused)
