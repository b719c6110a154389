"""ETags of single records. If-None-Match avoids reading an unchanged record; If-Match refuses to overwrite other
changes."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from zlib import crc32

from django.db import transaction
from django.http import HttpResponse
from django.utils.http import parse_etags

from core.api.output import Output
from core.errors import ApiError
from core.events.models import Event
from core.internals.rest_framework import declared_fields
from core.lists.values import refuse
from core.outbound import NetworkInTransaction, forbid_network, is_network_refused
from core.tenancy import active_scope
from core.text.json import dumps
from core.types import JsonObject, Values

FORM = "formData"
WRITES = ("update", "partial_update", "destroy")
"""The actions at the address where `retrieve` shows the record."""
LATEST = ("updatedAt", "updatedBy")
"""Fields that change with every update, so they are not reported as changed fields."""
TAG = re.compile(r'W/"([\w-]{12})\.([0-9a-f]*)\.([0-9a-f]*)"', re.ASCII)


class RecordChanged(ApiError):
    """The record has changed since the caller read it: 412. `changed` has the changed fields, the member and the
    time."""

    name = "RecordChanged_412"
    status = 412
    message = "The record has changed since you read it"

    def __init__(self, changed: Values) -> None:
        names = ", ".join(changed["fields"]) or "nothing that can be named"
        super().__init__(f"If-Match: changed since: {names}; read the record again and repeat your change")
        self.extra = {"changed": changed}


def etag_of(record: Values, output: type[Output]) -> str:
    """Return the record's tag: a hash of all shown values, and 16 bits of each field, by which changed fields are
    found."""
    parts = list(_parts(record, output))
    # 48 bits to compare, and few enough for a header.
    whole = hashlib.blake2b(b"\0".join(content for _, _, content in parts), digest_size=6).hexdigest()
    short = {False: "", True: ""}
    for inner, _, content in parts:
        # Two values that share 16 bits only hide one name in the error; the whole hash decides.
        short[inner] += f"{crc32(content) & 0xFFFF:04x}"
    return f'W/"{whole}.{short[False]}.{short[True]}"'


def _parts(record: Values, output: type[Output]) -> Iterator[tuple[bool, str, bytes]]:
    """Yield a triple for each value that the tag covers: whether it is a value of formData, its name and its content.

    Links that are signed for each response are left out.
    """
    for name, value in record.items():
        if name == FORM and isinstance(value, Mapping):
            for key in sorted(value):
                yield True, f"{FORM}.{key}", dumps([key, value[key]])
        elif name not in output.signs:
            yield False, name, dumps([name, value])


def changed_fields(tag: str, record: Values, output: type[Output]) -> list[str]:
    """Return the names of the fields in which the record differs from the one of an earlier tag."""
    match = TAG.fullmatch(tag)
    if match is None:
        return []
    now: dict[bool, list[tuple[str, str]]] = {False: [], True: []}
    for inner, name, content in _parts(record, output):
        now[inner].append((name, f"{crc32(content) & 0xFFFF:04x}"))
    names: list[str] = []
    for inner, digits in ((False, match[2]), (True, match[3])):
        was = [digits[start : start + 4] for start in range(0, len(digits), 4)]
        if len(was) != len(now[inner]):
            names += [FORM] if inner else []  # with a value added or removed, positions no longer match
        else:
            names += [name for (name, short), old in zip(now[inner], was, strict=True) if short != old]
    return [name for name in names if name not in LATEST]


def header_tags(request: Any, header: str) -> list[str]:
    """Return the tags that a header names; none without it."""
    return parse_etags(request.META.get(header, ""))


def is_known(request: Any, tag: str) -> bool:
    """Return whether the caller has the record's current version (If-None-Match)."""
    tags = header_tags(request, "HTTP_IF_NONE_MATCH")
    # RFC 9110, 13.1.2: If-None-Match compares weakly.
    return "*" in tags or _weak(tag) in map(_weak, tags)


def _weak(tag: str) -> str:
    """Return the weak form of a tag, which proxies create when they compress an answer."""
    tag = tag.replace('-gzip"', '"')
    return tag if tag.startswith("W/") or tag == "*" else f"W/{tag}"


def not_modified(tag: str) -> HttpResponse:
    """Answer 304: the caller has the record as it is."""
    response = HttpResponse(status=304)
    # RFC 9110, 15.4.5: a 304 carries the ETag that a 200 would have.
    response["ETag"] = tag
    del response["Content-Type"]
    return response


def unless_changed(view: Any, request: Any, path: Mapping[str, str], run: Callable[[], Any]) -> Any:
    """Return the result of `run`, if the record is the version that If-Match names.

    The record is locked from the comparison until the end of the change. If the change calls another server, the record
    is compared again, without a lock that would have to wait for that server.
    """
    if "HTTP_IF_MATCH" not in request.META or getattr(view, "action", "") not in WRITES:
        return run()
    if view.shown is None:
        raise refuse("If-Match", "this record has no ETag")
    try:
        with transaction.atomic():
            # Compared under the lock, or another change could come in between.
            _lock(view, path)
            _check(view, request, path)
            with forbid_network():
                return run()
    except NetworkInTransaction:
        if is_network_refused():
            raise
    # The work calls other servers, so the lock cannot be held. The comparison is repeated right before it.
    _check(view, request, path)
    return run()


def _lock(view: Any, path: Mapping[str, str]) -> None:
    listing, id = getattr(view, "listing", None), path.get(view.lookup_url_kwarg)
    if listing is not None and id is not None and active_scope() is not None:
        model = listing.rows(view.list_request()).model
        # Locked until the change commits: else two writers could both match the same tag.
        list(model._base_manager.select_for_update(no_key=True, of=("self",)).filter(pk=id).values_list("pk"))


def _as_read(view: Any, path: Mapping[str, str]) -> Any:
    """Return the stored record without fields that only the answer of a change has: the tag of GET lacks them."""
    record, read = view.stored(path), view.retrieve.endpoint.output
    if record is None or view.shown is read:
        return record
    added = declared_fields(view.shown).keys() - declared_fields(read).keys()
    return {name: value for name, value in record.items() if name not in added}


def _check(view: Any, request: Any, path: Mapping[str, str]) -> None:
    """Compare the record with If-Match. A missing record is left to the handler, which has its own error for it."""
    record = _as_read(view, path)
    if record is None:
        return
    tags, tag = header_tags(request, "HTTP_IF_MATCH"), etag_of(record, view.shown)
    # RFC 9110, 13.1.1, demands strong comparison. Proxies weaken tags, and a refusal then would be no help.
    if "*" in tags or _weak(tag) in map(_weak, tags):
        return
    if not tags:
        raise refuse("If-Match", 'needs to be an ETag of GET, with its quotes, such as W/"…", or *')
    raise RecordChanged(
        {
            "fields": sorted({name for other in tags for name in changed_fields(_weak(other), record, view.shown)}),
            **_by_whom(record, path.get(view.lookup_url_kwarg, "")),
            "etag": tag,
        }
    )


def _by_whom(record: Values, id: str) -> JsonObject:
    """Return the actor and the time of the last change, from the record or else its latest event.

    Records outside of companies have no events.
    """
    event: Values = {"actor_id": None, "created_at": None}
    if not (record.get("updatedBy") and record.get("updatedAt")) and active_scope() is not None:
        latest = Event.objects.filter(object_id=id).order_by("-sequence").values("actor_id", "created_at")
        event = latest.first() or event
    return {
        "by": record.get("updatedBy") or event["actor_id"],
        "at": record.get("updatedAt") or event["created_at"],
    }
