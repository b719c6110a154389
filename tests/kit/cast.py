"""The fixed cast of the tests: a company with its owner, a member with a narrow role and an API key; and the same
again as outsiders."""

from __future__ import annotations

import json
import pickle
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import orjson
from django.test import Client
from django.utils import timezone

from accounts.api_keys.services import create_key
from accounts.auth.sessions import tokens
from accounts.models import ApiKey, Company, Member
from core.tenancy import company_scope
from tests.kit.factories import CompanyFactory, MemberFactory, RoleFactory, SubscriptionFactory
from tests.kit.provisioned import provision

KEY = "/api/key/protected"
SESSION = "/api/protected"


@dataclass
class Answer:
    """A response with its JSON body read (streams included)."""

    status: int
    body: Any
    headers: Any

    @property
    def data(self) -> Any:
        return self.body["data"]


class Caller:
    """Somebody who calls the API on one authentication path."""

    def __init__(self, prefix: str, headers: dict[str, str]) -> None:
        self.prefix = prefix
        self.headers = headers
        self.client = Client(raise_request_exception=False)

    def __reduce__(self) -> tuple[type[Caller], tuple[str, dict[str, str]]]:
        """Leave out the client: a copy has one, thus cookies, of its own."""
        return Caller, (self.prefix, self.headers)

    def call(
        self, method: str, path: str, body: Any = None, query: dict[str, Any] | None = None, **extra: Any
    ) -> Answer:
        params = {
            key: value if isinstance(value, str) else orjson.dumps(value).decode()
            for key, value in (query or {}).items()
        }
        try:
            content = b"" if body is None else orjson.dumps(body)
        except TypeError:  # a number that is longer than orjson's
            content = json.dumps(body).encode()
        response = self.client.generic(
            method,
            self.prefix + path,
            content,
            content_type="application/json",
            headers=self.headers,
            query_params=params,
            **extra,
        )
        content = b"".join(response.streaming_content) if response.streaming else response.content
        is_json = response.headers.get("Content-Type", "").startswith("application/json")
        return Answer(response.status_code, orjson.loads(content) if is_json and content else content, response.headers)

    def get(self, path: str, **query: Any) -> Answer:
        return self.call("GET", path, query=query)

    def post(self, path: str, body: Any = None, **query: Any) -> Answer:
        return self.call("POST", path, {} if body is None else body, query)

    def put(self, path: str, body: Any = None, **query: Any) -> Answer:
        return self.call("PUT", path, {} if body is None else body, query)

    def delete(self, path: str, body: Any = None, **query: Any) -> Answer:
        return self.call("DELETE", path, body, query)

    def upload(self, path: str, files: Any, **fields: Any) -> Answer:
        response = self.client.post(self.prefix + path, {**fields, "file": files}, headers=self.headers)
        return Answer(response.status_code, orjson.loads(response.content), response.headers)


@dataclass
class Cast:
    """One company and the ways into it."""

    company: Company
    owner: Member
    narrow: Member
    api_key: ApiKey
    key: Caller
    session: Caller
    narrow_session: Caller

    def scope(self) -> Any:
        return company_scope(self.company.pk)


def session_headers(member: Member) -> dict[str, str]:
    return {"Authorization": f"Bearer {tokens.issue(member.user).access}", "authmember": member.pk}


def make_cast(permission: dict[str, Any] | None = None) -> Cast:
    """Create a company with an active subscription; the narrow member may only GET contacts by default."""
    company = CompanyFactory()
    with company_scope(company.pk):
        provision()
        SubscriptionFactory()
        owner = MemberFactory()
        role = RoleFactory(permission={"contact": {"GET": True}} if permission is None else permission)
        narrow = MemberFactory(status=Member.Status.ACCEPTED, role=role)
        key = create_key(member_id=owner.pk)
        # Uses are recorded once a minute: here, and not by the first request of each test, which is rolled back.
        ApiKey.objects.filter(pk=key.pk).update(last_used_at=timezone.now() + timedelta(days=1))
    return Cast(
        company=company,
        owner=owner,
        narrow=narrow,
        api_key=key,
        key=Caller(KEY, {"apikey": key.key}),
        session=Caller(SESSION, session_headers(owner)),
        narrow_session=Caller(SESSION, session_headers(narrow)),
    )


KEPT_COMPANIES = 2
_kept: list[Cast] = []
_pickled = b""


def keep_casts() -> None:
    """Make the companies of the fixtures `cast` and `outsiders`, which are in the database of every test."""
    global _pickled
    _kept[:] = make_cast(), make_cast()
    _pickled = pickle.dumps(_kept)


def kept_companies() -> list[str]:
    """Return the ids of the companies that all tests share."""
    return [cast.company.pk for cast in _kept]


def kept_casts() -> list[Cast]:
    """Return the casts of keep_casts() in objects that the test may change."""
    casts: list[Cast] = pickle.loads(_pickled)  # noqa: S301  our own
    return casts
