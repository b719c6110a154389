"""Contract section 5: what each authentication path checks, row by row, and what is open without a subscription."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import jwt
import pytest
import time_machine
from django.conf import settings
from django.utils import timezone

from accounts.auth.sessions import tokens
from accounts.models import Member, Role, User
from billing.models import Subscription
from tests.kit.cast import KEY, SESSION, Caller, Cast, session_headers


def lapse(cast: Cast) -> None:
    with cast.scope():
        Subscription.objects.update(status=Subscription.Status.EXPIRED)


def subscribe(cast: Cast, **values: Any) -> None:
    with cast.scope():
        Subscription.objects.update(**values)


def test_company_scoping_is_enforced_on_both_paths(cast: Cast, outsiders: Cast) -> None:
    made = outsiders.key.post("/tag", {"name": "Theirs"}).data["_id"]
    for caller in (cast.key, cast.session):
        assert caller.get("/tag").body["totalCount"] == 0
        assert caller.get(f"/tag/{made}").body["message"] == "Tag not found."


def test_an_active_subscription_is_required_on_both_paths(cast: Cast) -> None:
    lapse(cast)
    for caller in (cast.key, cast.session):
        answer = caller.get("/contact")
        assert (answer.status, answer.body["status"]) == (500, "error")
        assert answer.body["message"] == "Cannot read properties of null (reading planDetails)"


def test_a_subscription_ends_at_its_end(cast: Cast) -> None:
    subscribe(cast, ends_at=timezone.now() + timedelta(seconds=30))
    assert cast.key.get("/contact").status == 200
    with time_machine.travel(timezone.now() + timedelta(seconds=31), tick=False):
        assert cast.key.get("/contact").status == 500


@pytest.mark.parametrize(("method", "path"), [("GET", "/file"), ("POST", "/upload")])
def test_open_without_a_subscription(cast: Cast, method: str, path: str) -> None:
    lapse(cast)
    for caller in (cast.key, cast.session):
        assert caller.call(method, path).body["message"] != "Cannot read properties of null (reading planDetails)"


def narrow_key(cast: Cast) -> Caller:
    """The company's key, made by the narrow member."""
    with cast.scope():
        cast.api_key.created_by_id = cast.narrow.pk
        cast.api_key.save()
    return cast.key


@pytest.mark.parametrize("strict", [True, False])
def test_the_role_matrix_binds_sessions_and_strict_keys(cast: Cast, strict: bool, settings: Any) -> None:
    settings.STRICT_KEYS = strict
    assert cast.narrow_session.get("/contact").status == 200
    refused = cast.narrow_session.post("/tag", {"name": "A"})
    assert (refused.status, refused.body["warning"]) == (403, "your role lacks the permission tag.POST")
    key = narrow_key(cast)
    assert key.get("/contact").status == 200
    asked = key.post("/tag", {"name": "A"})
    if strict:
        assert asked.status == 403
        assert asked.body["warning"] == "the role of the key's maker lacks the permission tag.POST"
    else:
        assert asked.status == 201
    with cast.scope():
        Member.objects.filter(pk=cast.narrow.pk).update(role=Role.objects.get(name="Admin"))
    assert key.post("/tag", {"name": "B"}).status == 201


@pytest.mark.parametrize("strict", [True, False])
def test_exports_ask_keys_for_the_lists_permission(cast: Cast, strict: bool, settings: Any) -> None:
    settings.STRICT_KEYS = strict
    with cast.scope():
        Role.objects.filter(pk=cast.narrow.role_id).update(permission={"file": {"POST": True}})
    asked = narrow_key(cast).post("/export", {"resource": "contact"})
    assert asked.status == (403 if strict else 201), asked.body


def test_the_role_matrix_holds_for_a_lapsed_company_too(cast: Cast) -> None:
    lapse(cast)
    assert cast.narrow_session.get("/file").status == 403


def test_plan_features_bind_sessions_and_not_keys(cast: Cast) -> None:
    subscribe(cast, modules=["contact"])
    refused = cast.session.get("/tag")
    assert (refused.status, refused.body["message"]) == (403, "Your plan does not include this feature.")
    assert cast.session.get("/contact").status == 200
    assert cast.key.get("/tag").status == 200


def contact(email: str) -> dict[str, Any]:
    return {"formData": {"email": email, "countryCode": "+49", "number": f"1512345{len(email):04d}"}}


def test_plan_limits_bind_posts_of_sessions_and_not_keys(cast: Cast) -> None:
    subscribe(cast, limits={"contact": 1})
    assert cast.session.post("/contact", contact("a@example.com")).status == 200
    refused = cast.session.post("/contact", contact("bb@example.com"))
    assert (refused.status, refused.body["message"]) == (403, "Your plan's limit is reached. Choose a larger plan.")
    assert cast.session.get("/contact").status == 200
    assert cast.key.post("/contact", contact("bb@example.com")).status == 200


@pytest.mark.parametrize(
    "status", [Member.Status.INVITED, Member.Status.BLOCKED, Member.Status.REMOVED, Member.Status.REJECTED]
)
@pytest.mark.parametrize("strict", [True, False])
def test_member_status_binds_sessions_and_strict_keys(cast: Cast, status: str, strict: bool, settings: Any) -> None:
    settings.STRICT_KEYS = strict
    with cast.scope():
        Member.objects.update(status=status)
    assert cast.session.get("/contact").status == 403
    for path in ("/contact", "/file", "/plans"):
        assert cast.key.get(path).status == (401 if strict else 200), path
    with cast.scope():
        Member.objects.filter(pk=cast.owner.pk).update(status=Member.Status.OWNER)
    assert cast.key.get("/contact").status == 200


@pytest.mark.parametrize("strict", [True, False])
def test_a_deactivated_user_binds_sessions_and_strict_keys(cast: Cast, strict: bool, settings: Any) -> None:
    settings.STRICT_KEYS = strict
    User.objects.filter(pk=cast.owner.user_id).update(is_active=False)
    assert cast.session.get("/contact").status == 401
    assert cast.key.get("/contact").status == (401 if strict else 200)
    assert cast.key.get("/member").status == (401 if strict else 403)


def test_a_missing_unknown_or_malformed_key_is_401(cast: Cast) -> None:
    session = session_headers(cast.owner)
    for headers in (
        {},
        {"apikey": "f" * 64},
        {"apikey": "ü"},
        {"apikey": "x" * 5000},
        {"apikey": ""},
        {"Authorization": "Bearer x"},
        session,
        {"apikey": "", **session},
    ):
        answer = Caller(KEY, headers).get("/contact")
        assert (answer.status, answer.body["message"]) == (
            401,
            "Your session has expired, or the API key is wrong. Log in again.",
        ), headers
        assert answer.headers["WWW-Authenticate"] == "apikey"
    assert Caller(SESSION, {}).get("/contact").headers["WWW-Authenticate"] == 'Bearer realm="leadwright"'


def test_older_keys_of_any_shape_stay_valid(cast: Cast) -> None:
    from accounts.api_keys.services import add_key

    with cast.scope():
        add_key("aB3xY9-old", member_id=cast.owner.pk)
    assert Caller(KEY, {"APIKEY": "aB3xY9-old"}).get("/contact").status == 200


@pytest.mark.parametrize("header", ["Authorization", "authmember"])
def test_session_headers_beside_a_key_are_refused(cast: Cast, header: str) -> None:
    answer = Caller(KEY, {"apikey": cast.api_key.key, header: session_headers(cast.owner)[header]}).get("/contact")
    assert (answer.status, answer.body["message"]) == (400, "This can't be done.")
    assert header in answer.body["warning"]


def test_a_temporary_key_does_not_expire_unless_a_setting_says_so(cast: Cast, settings: Any) -> None:
    settings.STRICT_KEYS = False
    made = cast.key.post("/api", {"type": "temporary", "durationMinutes": 1}).data["key"]
    later = timezone.now() + timedelta(minutes=2)
    with time_machine.travel(later, tick=False):
        assert Caller(KEY, {"apikey": made}).get("/contact").status == 200
        for name in ("API_KEY_EXPIRY_ENFORCED", "STRICT_KEYS"):
            setattr(settings, name, True)
            assert Caller(KEY, {"apikey": made}).get("/contact").status == 401
            setattr(settings, name, False)


def test_bad_session_tokens_are_401(cast: Cast, outsiders: Cast) -> None:
    good = session_headers(cast.owner)
    token = good["Authorization"].removeprefix("Bearer ")
    claims = jwt.decode(token, options={"verify_signature": False})
    forged = {
        "tampered": token[:-4] + ("AAAA" if token[-4:] != "AAAA" else "BBBB"),
        "none": jwt.encode(claims, "", algorithm="none"),
        "other key": jwt.encode(claims, "k" * 48, algorithm="HS256"),
        "other algorithm": jwt.encode(claims, settings.SECRET_KEY, algorithm="HS512"),
        "expired": jwt.encode(
            {**claims, "exp": timezone.now() - timedelta(seconds=1)}, settings.SECRET_KEY, algorithm="HS256"
        ),
        "no expiry": jwt.encode(
            {key: claims[key] for key in claims if key != "exp"}, settings.SECRET_KEY, algorithm="HS256"
        ),
        "unknown user": jwt.encode({**claims, "sub": "0" * 24}, settings.SECRET_KEY, algorithm="HS256"),
        "garbage": "x.y.z",
    }
    for why, bad in forged.items():
        answer = Caller(SESSION, {**good, "Authorization": f"Bearer {bad}"}).get("/contact")
        assert (answer.status, answer.body["message"]) == (401, "Invalid token. Please log in again"), why
        told = "the token has expired" if why == "expired" else "the token is not one of ours"
        assert answer.body["warning"].startswith(told) or why == "unknown user", (why, answer.body)
    for headers in (
        {},
        {"authmember": good["authmember"]},
        {"Authorization": good["Authorization"]},
        {**good, "authmember": outsiders.owner.pk},
    ):
        assert Caller(SESSION, headers).get("/contact").status == 401


def test_a_new_password_ends_every_session(cast: Cast) -> None:
    headers = session_headers(cast.owner)
    cast.owner.user.set_password("another horse battery")
    cast.owner.user.save()
    assert Caller(SESSION, headers).get("/contact").status == 401


def test_refresh_rotates_and_reuse_ends_the_family(cast: Cast) -> None:
    public = Caller("/api/public", {})
    first = public.post("/login", {"email": cast.owner.email.upper(), "password": "correct horse battery"})
    assert first.status == 200
    assert [row["_id"] for row in first.data["memberships"]] == [cast.owner.pk]
    second = public.post("/refresh", {"refreshToken": first.data["refreshToken"]})
    assert second.status == 200
    reused = public.post("/refresh", {"refreshToken": first.data["refreshToken"]})
    assert (reused.status, reused.body["message"]) == (401, "Invalid token. Please log in again")
    assert public.post("/refresh", {"refreshToken": second.data["refreshToken"]}).status == 401


def test_login_tells_nothing_about_addresses(cast: Cast) -> None:
    public = Caller("/api/public", {})
    unknown = public.post("/login", {"email": "nobody@example.com", "password": "wrong"})
    known = public.post("/login", {"email": cast.owner.email, "password": "wrong"})
    assert unknown.status == known.status == 400
    assert unknown.body == known.body


def test_tokens_of_an_inactive_user_are_refused(cast: Cast) -> None:
    pair = tokens.issue(cast.owner.user)
    cast.owner.user.is_active = False
    cast.owner.user.save()
    assert (
        Caller(SESSION, {"Authorization": f"Bearer {pair.access}", "authmember": cast.owner.pk}).get("/contact").status
        == 401
    )
    assert Caller("/api/public", {}).post("/refresh", {"refreshToken": pair.refresh}).status == 401
