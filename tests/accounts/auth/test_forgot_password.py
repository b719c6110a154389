from __future__ import annotations

import time
from typing import Any

import pytest

from tests.accounts.auth.helpers import OTHER, at, kinds_to, mails_to, public, token_in
from tests.kit.factories import UserFactory

ADDRESSES = ("ann@example.org", "new@example.org", "off@example.org", "nobody@example.org", "no address", "x" * 254)


@pytest.fixture(autouse=True)
def people(db: None) -> None:
    UserFactory(email="ann@example.org", name="Ann")
    UserFactory(email="new@example.org", email_verified_at=None)
    UserFactory(email="off@example.org", is_active=False)


def test_the_answer_is_always_the_same() -> None:
    answers = [public.post("/forgot-password", {"email": address}) for address in ADDRESSES]
    assert [answer.status for answer in answers] == [200] * len(ADDRESSES)
    assert {str(answer.body) for answer in answers} == {
        str(
            {
                "status": "success",
                "success": True,
                "message": "If this address has an account, we sent a link.",
                "data": None,
            }
        )
    }
    assert [kinds_to(address) for address in ADDRESSES] == [["reset_password"], ["reset_password"], [], [], [], []]


def test_the_mail_holds_a_link_that_works() -> None:
    public.post("/forgot-password", {"email": "ANN@example.org"})
    [mail] = mails_to("ann@example.org")
    assert mail.subject == "Set a new password"
    assert "Hello Ann," in mail.text
    assert "60 minutes" in mail.text
    assert public.post("/reset-password", {"token": token_in(mail), "password": OTHER}).status == 200


def test_a_mailbox_is_not_flooded_and_nobody_can_tell(limits: None) -> None:
    answers = [at(f"10.0.0.{n}", "/forgot-password", {"email": "ann@example.org"}) for n in range(8)]
    assert {answer.status for answer in answers} == {200}
    assert len({str(answer.body) for answer in answers}) == 1
    assert len(mails_to("ann@example.org")) == 5


def test_an_address_may_ask_so_often(limits: None) -> None:
    answers = [at("10.0.0.1", "/forgot-password", {"email": f"user{n}@example.org"}).status for n in range(31)]
    assert answers == [200] * 30 + [429]


def test_the_answer_takes_its_time(settings: Any) -> None:
    settings.EVEN_ANSWERS = True
    for address in ("ann@example.org", "nobody@example.org"):
        started = time.monotonic()
        public.post("/forgot-password", {"email": address})
        assert time.monotonic() - started >= 0.3


@pytest.mark.parametrize(
    "body", [{}, {"email": None}, {"email": 5}, {"email": "a@example.org", "token": "x"}, {"email": "x" * 255}]
)
def test_bad_bodies(body: dict[str, Any]) -> None:
    assert public.post("/forgot-password", body).status == 400
