"""The authentication class of API keys (contract section 5, design section 3)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import connection
from django.utils import timezone
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from accounts.api_keys.models import ApiKey
from accounts.api_keys.services import record_use
from core.access import Actor, AuthPath
from core.crypto import lookup_hash
from core.errors import NamedError
from core.tenancy import unscoped

MAX_KEY_LENGTH = 256
# Raw SQL, since every request runs it: the ORM needs a tenth of a small request's time to build the statement.
KEY = """
SELECT api_key.id, api_key.company_id, member.id, member.user_id, api_key.last_used_at,
    api_key.type, api_key.duration_minutes, api_key.created_at
FROM accounts_apikey AS api_key JOIN accounts_member AS member ON member.id = api_key.created_by_id
WHERE api_key.key_hash = %s
"""


class ApiKeyAuthentication(BaseAuthentication):
    """Header `apikey`: the key stands in for the member that made it, whatever has become of the membership."""

    def authenticate(self, request: Request) -> tuple[Any, Actor]:
        for header in ("Authorization", "authmember"):
            if header in request.headers:
                raise NamedError("BadRequest_400", f"the header {header} must not be sent beside apikey on this path")
        key = request.headers.get("apikey", "")
        if not key or len(key) > MAX_KEY_LENGTH:
            raise NamedError("ExpiredSession_401", "send a valid key in the header apikey")
        with unscoped(reason="authentication: the key says which company it is"):
            with connection.cursor() as cursor:
                cursor.execute(KEY, [lookup_hash(key)])
                found = cursor.fetchone()
            if found is None:
                raise NamedError("ExpiredSession_401", "send a valid key in the header apikey")
            key_id, company_id, member_id, user_id, last_used_at, *life = found
            if settings.API_KEY_EXPIRY_ENFORCED and is_expired(*life):
                raise NamedError("ExpiredSession_401", "the temporary key has expired; create a new one")
            record_use(key_id=key_id, last_used_at=last_used_at)
        actor = Actor(AuthPath.KEY, user_id, company_id, member_id, key_id=key_id)
        return actor, actor

    def authenticate_header(self, request: Request) -> str:
        return "apikey"


def is_expired(type: str, duration_minutes: int | None, created_at: datetime) -> bool:
    """Whether the duration of a temporary key is over."""
    if type != ApiKey.Type.TEMPORARY or duration_minutes is None:
        return False
    return created_at + timedelta(minutes=duration_minutes) <= timezone.now()
