"""The authentication class of API keys (contract section 5, design section 3)."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any, NamedTuple

import orjson
from django.conf import settings
from django.utils import timezone
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from accounts.api_keys.models import ApiKey
from accounts.api_keys.services import MAX_KEY_LENGTH, record_use
from accounts.users.memberships import MembershipStatus
from core.access import EXPIRED, Actor, AuthPath, Entitlement, EntitlementSource, entitlement_source, own_modules
from core.access.callers import address_of, is_within
from core.crypto import lookup_hash
from core.errors import NamedError
from core.tenancy import unscoped
from core.tenancy.postgresql.cursors import planned_cursor

# Raw SQL, planned once for each session, since every request runs it: building and planning it would take a tenth of a
# small request's time each. The company's subscription is read beside the key, so that a request has one statement
# before its own.
KEY = """
SELECT allowed.*, api_key.id, api_key.company_id, member.id, member.user_id, api_key.last_used_at,
    api_key.type, api_key.duration_minutes, api_key.created_at, api_key.ip_restriction, api_key.allowed_ips,
    member.status, account.is_active, role.permission, role.record_scope
FROM accounts_apikey AS api_key JOIN accounts_member AS member ON member.id = api_key.created_by_id
    LEFT JOIN accounts_user AS account ON account.id = member.user_id
    LEFT JOIN accounts_role AS role ON role.id = member.role_id
    LEFT JOIN LATERAL ({subscription}) AS allowed ON true
WHERE api_key.key_hash = %s
"""


class FoundKey(NamedTuple):
    """A key with the present state of its creator, as KEY reads it."""

    id: str
    company_id: str
    member_id: str
    user_id: str
    last_used_at: datetime | None
    type: str
    duration_minutes: float | None
    created_at: datetime
    ip_restriction: str
    allowed_ips: str | None
    status: str
    is_active: bool | None
    permission: str | None
    record_scope: str | None
    entitlement: Entitlement | None

    def is_expired(self) -> bool:
        """Return whether the duration of a temporary key is over."""
        if self.type != ApiKey.Type.TEMPORARY or self.duration_minutes is None:
            return False
        return self.created_at + timedelta(minutes=self.duration_minutes) <= timezone.now()

    def opens_from(self, address: str | None) -> bool:
        """Return whether the key works from the address."""
        if self.ip_restriction == ApiKey.IpRestriction.OPEN:
            return True
        return is_within(address, orjson.loads(self.allowed_ips or "[]"))

    def actor(self) -> Actor:
        """Return the key's creator as the actor, with their present permissions."""
        return Actor(
            AuthPath.KEY,
            self.user_id,
            self.company_id,
            self.member_id,
            is_owner=bool(self.is_active) and self.status == MembershipStatus.OWNER,
            is_accepted=bool(self.is_active) and self.status == MembershipStatus.ACCEPTED,
            permissions=orjson.loads(self.permission) if self.permission else {},
            own_modules=own_modules(orjson.loads(self.record_scope) if self.record_scope else {}),
            key_id=self.id,
            expired=self.is_expired(),
            entitlement=self.entitlement,
        )


class ApiKeyAuthentication(BaseAuthentication):
    """Header `apikey`: the key acts for the member that created it.

    settings.STRICT_KEYS defines whether changes of the membership restrict it.
    """

    def authenticate(self, request: Request) -> tuple[Any, Actor]:
        key = request.headers.get("apikey", "")
        if not key:
            raise NamedError("ExpiredSession_401", "send a valid key in the header apikey")
        # A request with two identities is refused: which one counts would be a
        # guess, and a proxy may guess otherwise.
        for header in ("Authorization", "authmember"):
            if header in request.headers:
                raise NamedError("BadRequest_400", f"the header {header} must not be sent beside apikey on this path")
        with unscoped(reason="authentication: the key says which company it is"):
            api_key = _find(key)
            actor = api_key.actor()
            _check(api_key, actor, request)
            record_use(key_id=api_key.id, last_used_at=api_key.last_used_at)
        return actor, actor

    def authenticate_header(self, request: Request) -> str:
        return "apikey"


def _find(key: str) -> FoundKey:
    # No hash of a header of any length, which anybody can send.
    if len(key) <= MAX_KEY_LENGTH:
        source = entitlement_source()
        with planned_cursor() as cursor:
            cursor.execute(_statement(source), [*source.parameters(), lookup_hash(key)])
            row = cursor.fetchone()
        if row is not None:
            return FoundKey._make([*row[source.width :], source.read(row[: source.width])])
    raise NamedError("ExpiredSession_401", "send a valid key in the header apikey")


@lru_cache(maxsize=4)
def _statement(source: EntitlementSource) -> str:
    return KEY.format(subscription=source.select("api_key.company_id"))


def _check(api_key: FoundKey, actor: Actor, request: Request) -> None:
    """Refuse a key whose term is over, whose maker is gone, or that doesn't work from the request's address."""
    if (settings.STRICT_KEYS or settings.API_KEY_EXPIRY_ENFORCED) and api_key.is_expired():
        raise NamedError("ExpiredSession_401", EXPIRED)
    if not settings.STRICT_KEYS:
        return
    if not (actor.is_owner or actor.is_accepted):
        raise NamedError("ExpiredSession_401", "the key's maker is no active member of the company")
    address = address_of(request)
    if not api_key.opens_from(address):
        raise NamedError("ExpiredSession_401", f"the key does not work from the address {address or 'unknown'}")
