"""Asks connected data apps: one guarded request, bounded in size and time, whose answer is foreign JSON."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode, urlsplit, urlunsplit

import orjson

from core.crypto import SecretUnreadable
from core.outbound_http import HttpFailed, send_request
from core.types import Values
from outreach.connections.data_apps.models import DataApp
from outreach.connections.data_apps.paths import value_at_path

MAX_BYTES = 1024 * 1024
LASTING = ("refused", "large", "redirected")
"""Failures of the exchange that a retry does not fix."""


class DataAppError(Exception):
    """A data app that gave no usable answer. `temporary`: another try may help. People read `detail`."""

    def __init__(self, detail: str, *, temporary: bool, status: int | None = None) -> None:
        super().__init__(detail)
        self.detail = detail
        self.temporary = temporary
        self.status = status


def fetch_value(app: DataApp, values: Values, *, most_seconds: float | None = None) -> Any:
    """Send the values, as a query or as JSON, and return the value at the app's result path. Raises DataAppError."""
    seconds = min(app.timeout_seconds, most_seconds or app.timeout_seconds)
    headers = _headers(app)
    url = app.url
    body = None
    if app.method == DataApp.Method.GET:
        url = _with_query(url, values)
    else:
        headers["Content-Type"] = "application/json"
        body = orjson.dumps(values)
    try:
        answer = send_request(app.method, url, seconds=seconds, headers=headers, body=body, most_bytes=MAX_BYTES)
    except HttpFailed as error:
        raise DataAppError(f"{app.name}: {error.detail}", temporary=error.code not in LASTING) from None
    if not 200 <= answer.status < 300:
        raise _status_error(app, answer.status)
    try:
        payload = orjson.loads(answer.body or b"null")
    except orjson.JSONDecodeError:
        raise DataAppError(f"{app.name} did not answer with JSON.", temporary=False) from None
    return value_at_path(payload, app.result_path)


def _headers(app: DataApp) -> dict[str, str]:
    headers = {"Accept": "application/json"}
    try:
        key = app.api_key
    except SecretUnreadable:
        detail = f"{app.name}: the stored key was given for another address. Enter it again."
        raise DataAppError(detail, temporary=False) from None
    if key:
        headers[app.header_name or "Authorization"] = key
    return headers


def _query_value(value: Any) -> Any:
    """Return a value as it stands in an address."""
    if isinstance(value, list):
        return ",".join(value)
    return orjson.dumps(value) if isinstance(value, dict) else value


def _with_query(url: str, values: Values) -> str:
    """Add the values to the address: lists with commas between, objects as JSON. Empty values are left out."""
    written = {name: _query_value(value) for name, value in values.items() if value not in ("", [], {}, None)}
    parts = urlsplit(url)
    return urlunsplit(parts._replace(query="&".join(filter(None, (parts.query, urlencode(written))))))


def _status_error(app: DataApp, status: int) -> DataAppError:
    if status in (401, 403):
        return DataAppError(f"{app.name} does not accept the key (status {status}).", temporary=False, status=status)
    # 408 and 425 say that the server has not handled the request (RFC 9110, RFC 8470).
    temporary = status in (408, 425, 429) or status >= 500
    return DataAppError(f"{app.name} answered with the status {status}.", temporary=temporary, status=status)
