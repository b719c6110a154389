"""/q/<token>: customers open, accept and decline quotes."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import Mail, Notification
from crm.models import Lead
from outreach.models import Quote
from outreach.site.quotes import answers
from tests.kit.cast import Cast, make_cast
from tests.kit.threads import at_once
from tests.outreach.site.quotes.helpers import (
    accept,
    answer,
    kinds,
    make_lead,
    make_quote,
    open_page,
    path_of,
    sent_quote,
)


def read(cast: Cast, quote: dict[str, Any]) -> dict[str, Any]:
    return dict(cast.key.get(f"/quote/{quote['_id']}").data)


def status_of(cast: Cast, quote: dict[str, Any]) -> str:
    with cast.scope():
        return str(Lead.objects.get(pk=quote["lead"]["_id"]).status)


def test_accepting_moves_the_lead_and_notifies_the_owner(cast: Cast) -> None:
    quote = sent_quote(cast, notes="Hello <b>")
    shown = open_page(quote)
    for text in ("Design", "€396.13", "Tax 19%", "Hello &lt;b&gt;", "Accept", "Decline", "noindex"):
        assert text in shown, text
    assert (read(cast, quote)["status"], status_of(cast, quote)) == ("viewed", "new")
    done = accept(quote, "  Ada\tLovelace ")
    assert (done.status_code, done["Location"]) == (303, path_of(quote))
    found = read(cast, quote)
    assert (found["status"], found["acceptedName"], status_of(cast, quote)) == ("accepted", "Ada Lovelace", "won")
    assert "Ada Lovelace accepted this quote" in open_page(quote)
    assert "<form" not in open_page(quote)
    with cast.scope():
        row = Quote.objects.get(pk=quote["_id"])
        assert row.answered_from == "127.0.0.0"
        assert Notification.objects.filter(kind="quote.accepted", member=cast.owner).count() == 1
        assert Mail.objects.filter(kind="notice_quote_accepted").count() == 1
    # Once is enough, and there is no way back.
    assert accept(quote, "Bo").status_code == 303
    assert answer(quote, do="decline").status_code == 409
    assert read(cast, quote)["acceptedName"] == "Ada Lovelace"
    assert kinds(cast) == [f"quote.{word}" for word in ("created", "sent", "viewed", "accepted")]
    assert cast.key.post(f"/quote/{quote['_id']}/revise").status == 400


def test_declining_takes_a_reason_and_leaves_the_lead(cast: Cast) -> None:
    quote = sent_quote(cast)
    assert answer(quote, do="decline", reason="Too dear\0").status_code == 303
    found = read(cast, quote)
    assert (found["status"], found["declineReason"], status_of(cast, quote)) == ("declined", "Too dear", "new")
    assert "declined" in open_page(quote)
    assert accept(quote).status_code == 409
    with cast.scope():
        assert Mail.objects.filter(kind="notice_quote_declined").count() == 1


def test_the_company_chooses_where_leads_move(cast: Cast) -> None:
    stages = {stage["name"]: stage for stage in cast.key.get("/pipeline").data[0]["stages"]}
    opened = [stage for stage in stages.values() if stage["kind"] == "open"]
    lost = next(stage for stage in stages.values() if stage["kind"] == "lost")
    cast.key.put("/quote/settings", {"acceptedStage": opened[1]["_id"], "declinedStage": lost["_id"]})
    quote = sent_quote(cast)
    accept(quote)
    assert status_of(cast, quote) == opened[1]["status"]
    other = sent_quote(cast, quote["lead"]["_id"])
    answer(other, do="decline")
    assert status_of(cast, other) == lost["status"]
    cast.key.put("/quote/settings", {"movesAccepted": False})
    third = sent_quote(cast, quote["lead"]["_id"])
    accept(third)
    assert (read(cast, third)["status"], status_of(cast, third)) == ("accepted", lost["status"])


def test_a_lead_in_another_pipeline_moves_to_its_own_won_stage(cast: Cast) -> None:
    stages = [{"name": "Asked"}, {"name": "Ordered", "kind": "won"}, {"name": "Gone", "kind": "lost"}]
    pipeline = cast.key.post("/pipeline", {"name": "Reselling", "stages": stages}).data
    quote = sent_quote(cast, make_lead(cast, pipeline=pipeline["_id"]))
    accept(quote)
    with cast.scope():
        lead = Lead.objects.select_related("stage").get(pk=quote["lead"]["_id"])
        assert lead.stage.name == "Ordered"


@pytest.mark.parametrize(
    ("form", "status"),
    [
        ({"do": "accept", "name": "Ada"}, 422),
        ({"do": "accept", "agree": "yes", "name": "  "}, 422),
        ({"do": "accept", "agree": "yes", "name": "\u200b"}, 303),
        ({}, 422),
    ],
)
def test_name_and_box_are_needed(cast: Cast, form: dict[str, str], status: int) -> None:
    quote = sent_quote(cast)
    done = answer(quote, **form)
    assert done.status_code == status
    if status == 422:
        assert b'role="alert"' in done.content
        assert read(cast, quote)["status"] == "viewed"


def test_forged_requests_are_refused(cast: Cast) -> None:
    quote = sent_quote(cast)
    strict = Client(enforce_csrf_checks=True)
    assert strict.post(path_of(quote), {"do": "accept", "name": "Eve", "agree": "yes"}).status_code == 403
    assert read(cast, quote)["status"] == "sent"


def test_expired_quotes_say_so(cast: Cast) -> None:
    quote = sent_quote(cast)
    draft = make_quote(cast, quote["lead"]["_id"])
    with cast.scope():
        Quote.objects.update(valid_until=timezone.now() - timedelta(seconds=1))
    # Before the tick has come as well.
    assert "This quote has expired." in open_page(quote)
    assert accept(quote).status_code == 409
    answers.expire_quotes()
    answers.expire_quotes()
    assert [read(cast, one)["status"] for one in (quote, draft)] == ["expired", "draft"]
    assert kinds(cast).count("quote.expired") == 1
    assert "This quote has expired." in open_page(quote)
    assert cast.key.post(f"/quote/{quote['_id']}/mark-sent").status == 400
    revision = cast.key.post(f"/quote/{quote['_id']}/revise").data
    assert revision["validUntil"] > quote["validUntil"][:4]


def test_replaced_quotes_lead_to_the_newer_version(cast: Cast) -> None:
    quote = sent_quote(cast)
    revision = cast.key.post(f"/quote/{quote['_id']}/revise").data
    shown = open_page(quote)
    assert "replaced by a newer version" in shown
    assert path_of(revision) not in shown
    assert accept(quote).status_code == 409
    cast.key.post(f"/quote/{revision['_id']}/mark-sent")
    assert path_of(revision) in open_page(quote)
    assert accept(revision).status_code == 303


def test_pages_that_are_not_there(cast: Cast) -> None:
    draft = make_quote(cast)
    quote = sent_quote(cast, draft["lead"]["_id"])
    company, own = cast.company.pk, quote["_id"]
    forged = (f"/q/{'x' * 32}", f"/q/{company}{own}", f"{path_of(quote)}x", path_of(draft), "/q/..%2f")
    for path in forged:
        for client_path in (path, f"{path}/quote.pdf"):
            assert Client().get(client_path).status_code == 404, client_path
    assert Client().put(path_of(quote)).status_code == 405
    cast.key.delete(f"/quote/{own}")
    assert Client().get(path_of(quote)).status_code == 404


def test_the_pdf_and_the_headers(cast: Cast) -> None:
    quote = sent_quote(cast)
    file = Client().get(f"{path_of(quote)}/quote.pdf")
    assert file.content.startswith(b"%PDF-")
    page = Client().head(path_of(quote))
    assert read(cast, quote)["status"] == "sent"
    for response in (file, page):
        assert (response["X-Robots-Tag"], response["Cache-Control"]) == ("noindex", "no-store")
        assert "script-src" not in response["Content-Security-Policy"]


@pytest.mark.django_db(transaction=True)
def test_two_answers_at_once() -> None:
    cast = make_cast()
    quote = sent_quote(cast)
    with cast.scope():
        row = Quote.objects.get(pk=quote["_id"])

    def act(number: int) -> Any:
        if number % 2:
            return answers.decline_quote(row, reason="no", ip=None)
        return answers.accept_quote(row, name="Ada", ip=None)

    at_once(4, cast.company.pk, act)
    given = [kind for kind in kinds(cast) if kind in ("quote.accepted", "quote.declined")]
    assert len(given) == 1
    assert f"quote.{read(cast, quote)['status']}" == given[0]


class Killed(BaseException):
    """An exception that nothing catches, in place of kill -9."""


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("place", ["_move_lead", "_notify", "tell"])
def test_an_answer_that_dies_has_not_happened(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    cast = make_cast()
    quote = sent_quote(cast)
    with cast.scope():
        row = Quote.objects.get(pk=quote["_id"])

    def die(*args: Any, **values: Any) -> None:
        raise Killed

    with monkeypatch.context() as dying, cast.scope():
        dying.setattr(answers, place, die)
        with pytest.raises(Killed):
            answers.accept_quote(row, name="Ada", ip=None)
    assert (read(cast, quote)["status"], status_of(cast, quote)) == ("sent", "new")
    assert accept(quote).status_code == 303
    assert (read(cast, quote)["status"], status_of(cast, quote)) == ("accepted", "won")
    assert kinds(cast).count("quote.accepted") == 1
