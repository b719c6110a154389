"""The social platform's wire format (Graph API): one guarded request each, bounded in size and time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import quote, urlencode

import orjson
from django.conf import settings

from core.outbound_http import HttpFailed, send_request
from core.types import JsonObject, Values

BASE_URL = "https://graph.facebook.com"
API_VERSION = "v23.0"
SECONDS = 20.0
MAX_BYTES = 1024 * 1024
MAX_ROUNDS = 50
LOG_IN_AGAIN = frozenset({10, 102, 190, *range(200, 300)})
"""Codes of errors that end only when the app is connected again."""
WAIT = frozenset({1, 2, 4, 17, 32, 341, 613})
GONE = 100
LEAD_FIELDS = "id,created_time,ad_id,ad_name,campaign_id,campaign_name,form_id,field_data,platform"


class SocialFailed(Exception):
    """The platform gave no usable answer. `refused` ends by connecting the app again, `temporary` on its own."""

    def __init__(self, detail: str, *, refused: bool = False, temporary: bool = False) -> None:
        super().__init__(detail)
        self.detail = detail
        self.refused = refused
        self.temporary = temporary


@dataclass(frozen=True)
class SocialClient:
    """The platform as the holder of a token sees it."""

    token: str

    def exchange_token(self, app_id: str, app_secret: str) -> tuple[str, int]:
        """Return a long-lived token for a short one, and its seconds (0: unknown). Raises SocialFailed."""
        form = {"grant_type": "fb_exchange_token", "client_id": app_id, "client_secret": app_secret}
        body = urlencode({**form, "fb_exchange_token": self.token}).encode()
        response = self._request("POST", "oauth/access_token", body)
        token, seconds = response.get("access_token"), response.get("expires_in")
        if not isinstance(token, str) or not token or not token.isascii() or len(token) > 2000:
            raise SocialFailed("The platform gave no token.")
        return token, seconds if type(seconds) is int and 0 < seconds < 10**9 else 0

    def pages(self) -> list[Values]:
        """Return id, name and access_token of the pages that the user manages. Raises SocialFailed."""
        return list(self._all_rows("me/accounts", {"fields": "id,name,access_token"}))

    def forms(self, page_id: str) -> list[Values]:
        """Return id, name, status and questions of a page's forms. Raises SocialFailed."""
        return list(self._all_rows(f"{quote(page_id, safe='')}/leadgen_forms", {"fields": "id,name,status,questions"}))

    def subscribe(self, page_id: str) -> None:
        """Subscribe to the platform's notifications of a page's leads. Raises SocialFailed."""
        response = self._request("POST", f"{quote(page_id, safe='')}/subscribed_apps?subscribed_fields=leadgen", b"")
        if response.get("success") is not True:
            raise SocialFailed("The platform did not subscribe the page.")

    def lead(self, leadgen_id: str) -> Values:
        """Return a lead: id, created_time, form_id, field_data and its origin. Raises SocialFailed."""
        return self._request("GET", f"{quote(leadgen_id, safe='')}?fields={LEAD_FIELDS}")

    def leads_since(self, form_id: str, since: datetime) -> Iterator[Values]:
        """Yield the leads of a form since a time. Raises SocialFailed."""
        later = [{"field": "time_created", "operator": "GREATER_THAN", "value": int(since.timestamp())}]
        query = {"fields": LEAD_FIELDS, "filtering": orjson.dumps(later).decode()}
        return self._all_rows(f"{quote(form_id, safe='')}/leads", query)

    def _all_rows(self, path: str, query: Mapping[str, str]) -> Iterator[Values]:
        after = ""
        for _ in range(MAX_ROUNDS):
            params = {**query, "limit": "100", **({"after": after} if after else {})}
            page = self._request("GET", f"{path}?{urlencode(params)}")
            rows = page.get("data")
            yield from (row for row in (rows if isinstance(rows, list) else ()) if isinstance(row, dict))
            paging = page.get("paging")
            cursors = paging.get("cursors") if isinstance(paging, dict) and paging.get("next") else None
            after = cursors.get("after", "") if isinstance(cursors, dict) else ""
            if not after or not isinstance(after, str):
                return

    def _request(self, method: str, path: str, body: bytes | None = None) -> JsonObject:
        base = (settings.VENDOR_BASE_URLS.get("social-a") or BASE_URL).rstrip("/")
        headers = {"Authorization": f"Bearer {self.token}", "Accept": "application/json"}
        if body:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        url = f"{base}/{API_VERSION}/{path}"
        try:
            answer = send_request(method, url, seconds=SECONDS, headers=headers, body=body, most_bytes=MAX_BYTES)
        except HttpFailed as failed:
            raise SocialFailed(failed.detail, temporary=failed.code not in ("refused", "large")) from None
        try:
            parsed = orjson.loads(answer.body or b"null")
        except orjson.JSONDecodeError:
            parsed = None
        if 200 <= answer.status < 300 and isinstance(parsed, dict):
            return parsed
        raise _failure(answer.status, parsed)


def _failure(status: int, body: Any) -> SocialFailed:
    error = body.get("error") if isinstance(body, dict) else None
    error = error if isinstance(error, dict) else {}
    code = error.get("code") if type(error.get("code")) is int else None
    said = error.get("message")
    message = (
        said.replace("\0", "")[:300] if isinstance(said, str) and said else f"it answered with the status {status}"
    )
    refused = code in LOG_IN_AGAIN or (code is None and status in (401, 403))
    # The platform's codes come before the status: it answers 400 to exceeded limits.
    temporary = code in WAIT or (not refused and (status >= 500 or status == 429))
    return SocialFailed(f"The platform refused: {message}", refused=refused, temporary=temporary)
