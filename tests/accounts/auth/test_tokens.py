"""What a session token must be: every attack answers 401 on both session paths."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import jwt
import pytest
import time_machine
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.auth.sessions import tokens
from accounts.auth.sessions.services import end_family
from accounts.models import RefreshToken, User
from accounts.users.services import end_sessions
from core.ids import new_id
from tests.accounts.auth.helpers import INVALID, private
from tests.kit.cast import SESSION, Answer, Caller, Cast


def signed(claims: dict[str, Any], key: str = settings.SECRET_KEY, algorithm: str = "HS256", **headers: Any) -> str:
    return jwt.encode(claims, key, algorithm=algorithm, headers=headers or None)


def encoded(value: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def without(name: str) -> Callable[[str, dict[str, Any]], str]:
    return lambda token, claims: signed({key: value for key, value in claims.items() if key != name})


def with_(**values: Any) -> Callable[[str, dict[str, Any]], str]:
    return lambda token, claims: signed({**claims, **values})


ATTACKS: dict[str, Callable[[str, dict[str, Any]], str]] = {
    "signature tampered": lambda token, claims: token[:-4] + ("AAAA" if token[-4:] != "AAAA" else "BBBB"),
    "signature cut off": lambda token, claims: token.rpartition(".")[0] + ".",
    "payload tampered": lambda token, claims: ".".join(
        [token.split(".")[0], encoded({**claims, "sub": "1" * 24}), token.split(".")[2]]
    ),
    "algorithm none": lambda token, claims: jwt.encode(claims, "", algorithm="none"),
    "algorithm None in capitals": lambda token, claims: f"{encoded({'alg': 'NoNe', 'typ': 'JWT'})}.{encoded(claims)}.",
    "HS512": lambda token, claims: signed(claims, algorithm="HS512"),
    "HS384": lambda token, claims: signed(claims, algorithm="HS384"),
    "another key": lambda token, claims: signed(claims, key="k" * 48),
    "key of its own in the header": lambda token, claims: signed(
        claims, key="k" * 48, jwk={"kty": "oct", "k": encoded("k" * 48)}, kid="../../dev/null"
    ),
    "expired": lambda token, claims: signed({**claims, "exp": timezone.now() - timedelta(seconds=1)}),
    "from the future": lambda token, claims: signed({**claims, "iat": timezone.now() + timedelta(hours=1)}),
    **{f"without {name}": without(name) for name in tokens.CLAIMS},
    "unknown user": with_(sub="0" * 24),
    "user of another type": with_(sub=5),
    "no id as user": with_(sub="' OR 1=1 --"),
    "unknown session": with_(sid=new_id()),
    "session of another type": with_(sid=None),
    "older version": with_(ver=0),
    "later version": with_(ver=2),
    "version as true": with_(ver=True),
    "version as text": with_(ver="1"),
    "version too large": with_(ver=10**30),
    "version as list": with_(ver=[1]),
    "not a token": lambda token, claims: "x.y.z",
    "empty": lambda token, claims: "",
    "two tokens": lambda token, claims: f"{token} {token}",
    "not ASCII": lambda token, claims: "\u00fc.\u00fc.\u00fc",
}


def ask(cast: Cast, token: str, member: str | None = None, scheme: str = "Bearer") -> list[Answer]:
    headers = {"Authorization": f"{scheme} {token}"}
    return [
        Caller(SESSION, {**headers, "authmember": member or cast.owner.pk}).get("/contact"),
        Caller("/api/private", headers).get("/memberships"),
    ]


def refused(answers: list[Answer]) -> bool:
    return [(answer.status, answer.body["message"]) for answer in answers] == [(401, INVALID)] * len(answers)


@pytest.fixture
def issued(cast: Cast) -> tokens.Tokens:
    return tokens.issue(cast.owner.user)


def test_a_good_token_is_taken_on_both_session_paths(cast: Cast, issued: tokens.Tokens) -> None:
    assert [answer.status for answer in ask(cast, issued.access)] == [200, 200]
    assert [answer.status for answer in ask(cast, issued.access, scheme="bearer")] == [200, 200]


@pytest.mark.parametrize("attack", ATTACKS)
def test_attacks(cast: Cast, issued: tokens.Tokens, attack: str) -> None:
    claims = jwt.decode(issued.access, options={"verify_signature": False})
    assert refused(ask(cast, ATTACKS[attack](issued.access, claims))), attack


@pytest.mark.parametrize("scheme", ["", "Basic", "JWT", "Bearer,"])
def test_other_schemes(cast: Cast, issued: tokens.Tokens, scheme: str) -> None:
    assert refused(ask(cast, issued.access, scheme=scheme))


def test_a_refresh_token_is_no_access_token(cast: Cast, issued: tokens.Tokens) -> None:
    assert refused(ask(cast, issued.refresh))


def test_another_users_session_does_not_carry_ones_own_name(cast: Cast, outsiders: Cast, issued: tokens.Tokens) -> None:
    theirs = jwt.decode(tokens.issue(outsiders.owner.user).access, options={"verify_signature": False})
    claims = jwt.decode(issued.access, options={"verify_signature": False})
    assert refused(ask(cast, signed({**claims, "sid": theirs["sid"]})))


@pytest.mark.parametrize("member", ["foreign", "colleague", "missing", "malformed", "none"])
def test_authmember_must_be_ones_own(cast: Cast, outsiders: Cast, issued: tokens.Tokens, member: str) -> None:
    ids = {
        "foreign": outsiders.owner.pk,
        "colleague": cast.narrow.pk,
        "missing": new_id(),
        "malformed": "x",
        "none": "",
    }
    headers = {"Authorization": f"Bearer {issued.access}", **({"authmember": ids[member]} if member != "none" else {})}
    assert refused([Caller(SESSION, headers).get("/contact")])


ENDS: dict[str, Callable[[User], Any]] = {
    "a new password": lambda user: (user.set_password("another horse battery"), user.save()),
    "the end of all sessions": lambda user: end_sessions(user_id=user.pk),
    "the end of the session": lambda user: end_family(family=RefreshToken.objects.get(user=user).family),
    "deactivation": lambda user: User.objects.filter(pk=user.pk).update(is_active=False),
    "deletion of the session's rows": lambda user: RefreshToken.objects.filter(user=user).delete(),
}


@pytest.mark.parametrize("end", ENDS)
def test_what_ends_a_session(cast: Cast, end: str) -> None:
    RefreshToken.objects.all().delete()
    issued = tokens.issue(cast.owner.user)
    # From the sixth use on a planned statement has one plan for all values.
    for _ in range(6):
        assert not refused(ask(cast, issued.access))
    ENDS[end](cast.owner.user)
    assert refused(ask(cast, issued.access))


def test_a_token_runs_out_after_an_hour(cast: Cast, issued: tokens.Tokens) -> None:
    with time_machine.travel(timezone.now() + timedelta(minutes=59), tick=False):
        assert [answer.status for answer in ask(cast, issued.access)] == [200, 200]
    with time_machine.travel(timezone.now() + timedelta(minutes=60, seconds=1), tick=False):
        assert refused(ask(cast, issued.access))


def test_authentication_takes_one_query(cast: Cast, issued: tokens.Tokens) -> None:
    ask(cast, issued.access)
    for caller in (
        Caller(SESSION, {"Authorization": f"Bearer {issued.access}", "authmember": cast.owner.pk}),
        private(issued.access),
    ):
        with CaptureQueriesContext(connection) as queries:
            caller.get("/tag" if caller.prefix == SESSION else "/memberships", p="1", n="1")
        about_tokens = [query["sql"] for query in queries if "accounts_refreshtoken" in query["sql"]]
        assert len(about_tokens) == 1
        assert [
            query["sql"]
            for query in queries
            if '"accounts_user"."password"' in query["sql"] and caller.prefix == SESSION
        ] == []
