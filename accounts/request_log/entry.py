"""An entry of the server log: caller, auth path, request and result; never query, body, headers or secrets."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from django.http import HttpRequest

from core.access import Actor, AuthPath
from core.access.callers import address_of, user_agent_of
from core.ids import is_id

API = "/api/"
NOT_LOGGED = frozenset({"/api/schema", "/api/schema/", "/api/schema/key", "/api/docs", "/api/public/health"})
DOCS = "/api/docs/"
MOUNTS = {
    "/api/key/protected/": AuthPath.KEY,
    "/api/protected/": AuthPath.SESSION,
    "/api/private/": AuthPath.PRIVATE,
    "/api/public/": AuthPath.PUBLIC,
}
PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>")
WORD = re.compile(r"[A-Za-z._-]{1,40}[0-9]{0,3}", re.ASCII)
"""A part of an unknown path that is no secret: keys and tokens mix digits and letters."""
HIDDEN = "…"
MAX_BYTES = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of the server log; the fields are its columns, of which `door` is the authentication path."""

    id: str
    created_at: datetime
    updated_at: datetime
    company_id: str | None
    member_id: str | None
    user_id: str | None
    api_key_id: str | None
    door: str
    method: str
    route: str
    path: str
    status: int
    duration_ms: float
    request_bytes: int
    response_bytes: int
    ip: str | None
    user_agent: str


def is_logged(path: str) -> bool:
    """Return whether requests for the path are logged."""
    return path.startswith(API) and path not in NOT_LOGGED and not path.startswith(DOCS)


def describe(
    request: HttpRequest, *, id: str, at: datetime, duration_ms: float, status: int, response_bytes: int
) -> Entry:
    """Return the entry of an answered request; `at` is the time of its arrival."""
    actor: Actor | None = getattr(request, "leadwright_actor", None)
    pattern = "/" + request.resolver_match.route if request.resolver_match else ""
    mount = next((mount for mount in MOUNTS if request.path_info.startswith(mount)), "")
    return Entry(
        id=id,
        created_at=at,
        updated_at=at,
        company_id=(actor.company_id or None) if actor else None,
        member_id=(actor.member_id or None) if actor else None,
        user_id=(actor.user_id or None) if actor else None,
        api_key_id=(actor.key_id or None) if actor else None,
        door=MOUNTS[mount].value if mount else "",
        method=_clean(request.method or "", 8),
        # Without its mount, so that one route is counted as one, whether a key or a session has called it.
        route=_pattern_text(pattern)[len(mount) - 1 if mount else 0 :][:200],
        path=_path(request, pattern)[:500],
        status=status,
        duration_ms=round(duration_ms, 3),
        request_bytes=_length(request.META.get("CONTENT_LENGTH")),
        response_bytes=response_bytes,
        ip=address_of(request),
        user_agent=user_agent_of(request),
    )


def _path(request: HttpRequest, pattern: str) -> str:
    """Return the path with its ids only: other values may be tokens, or a key pasted into the wrong place."""
    if not pattern:
        return "/".join(
            part if not part or is_id(part) or WORD.fullmatch(part) else HIDDEN for part in request.path_info.split("/")
        )
    path = _pattern_text(pattern)
    for name, value in request.resolver_match.kwargs.items() if request.resolver_match else ():
        if is_id(value):
            path = path.replace(f"{{{name}}}", value, 1)
    return path


@lru_cache(maxsize=2048)
def _pattern_text(pattern: str) -> str:
    """Return a URL pattern with its parameters in braces."""
    return PARAMETER.sub(r"{\1}", pattern)


def _clean(text: str, limit: int) -> str:
    # Control characters would let a caller write lines of their own into whatever shows the log.
    return text[:limit] if text.isprintable() else HIDDEN


def _length(header: Any) -> int:
    """Return the size in the request's header, or 0 without one."""
    text = str(header or "")
    return min(int(text), MAX_BYTES) if text.isascii() and text.isdigit() and len(text) < 20 else 0
