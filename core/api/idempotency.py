"""Requests with an Idempotency-Key: repeated ones get the first one's answer (docs/decisions/0024-idempotency.md)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from time import monotonic, sleep
from typing import Any

from django.db import connection, transaction
from django.http import HttpResponse
from django.utils import timezone
from psycopg.pq import TransactionStatus
from rest_framework.permissions import SAFE_METHODS

from core.api.refusals import Refusal
from core.errors import ApiError, shorten
from core.idempotency.services import (
    UNDER_WAY,
    CutOff,
    Keyed,
    OtherRequest,
    StoredResponse,
    claim,
    complete,
    store_response,
)
from core.internals.rest_framework import http_request
from core.lists.values import refuse
from core.outbound import NetworkInTransaction, forbid_network
from core.text.json import dumps, format_iso

HEADER = "Idempotency-Key"
REPLAYED = "Idempotency-Replayed"
MAX_CHARACTERS = 255
WAIT_SECONDS = 3.0
"""Seconds for which a repeated request waits for the response to the first one."""
POLL_SECONDS = 0.05
NOT_KEPT = (429, 503)
"""Statuses that ask to try the same again."""

Run = Callable[[], Any]


class StillUnderWay(ApiError):
    """The request is still under way: 409, with the seconds to wait."""

    name = "RequestUnderWay_409"
    status = 409
    message = "The request with this Idempotency-Key is still under way"
    retry_after = 1


class Unfinished(ApiError):
    """A request that cannot be undone has begun and has not answered: 409."""

    name = "RequestUnfinished_409"
    status = 409
    message = "The request with this Idempotency-Key has begun and has not ended"


def is_keyed(view: Any, request: Any) -> bool:
    """Return whether the request has a key that counts: it may change something, and comes from a company."""
    # Safe methods can repeat (RFC 9110, 9.2.1), so their answers are not stored.
    if "HTTP_IDEMPOTENCY_KEY" not in request.META or request.method in SAFE_METHODS or view.declared.many:
        return False
    return bool(getattr(getattr(view, "actor", None), "company_id", ""))


def run_idempotent(view: Any, request: Any, run: Run) -> Any:
    """Return the result of `run`, or the result of the same request from before.

    `run` works in one transaction, which also stores its response. If it tries to call another server, the transaction
    is rolled back before anything is sent. `run` then works in any number of transactions, protected by a claim.
    """
    keyed = read_key(view, request)
    try:
        return _run_in_one_transaction(view, request, keyed, run)
    # Nothing has left the machine, and the transaction was rolled back: the work may begin again.
    except NetworkInTransaction:
        return _run_in_several_transactions(view, request, keyed, run)


def _run_in_one_transaction(view: Any, request: Any, keyed: Keyed, run: Run) -> Any:
    for _ in _poll_until_deadline():
        with transaction.atomic():
            earlier = _claim_key(keyed)
            if isinstance(earlier, StoredResponse):
                return replay(earlier)
            if earlier is None:
                response = _attempt(view, request, run)
                # Delete the claim, so that the same request may be retried.
                if response.status_code >= 500 or response.status_code in NOT_KEPT:
                    transaction.set_rollback(True)
                else:
                    store_response(keyed, response.status_code, content_of(response))
                return response
    raise StillUnderWay("try again in a second; nothing has been done twice")


def _run_in_several_transactions(view: Any, request: Any, keyed: Keyed, run: Run) -> Any:
    row = None
    for _ in _poll_until_deadline():
        # A transaction of its own for the claim: calls of other servers follow outside of it.
        with transaction.atomic():
            earlier = _claim_key(keyed)
            if isinstance(earlier, StoredResponse):
                return replay(earlier)
            if earlier is None:
                # The claim commits before the work begins: after a kill it says that something may have
                # happened.
                row = store_response(keyed, None)
        if row is not None:
            break
    else:
        raise StillUnderWay("try again in a second; nothing has been done twice")
    try:
        _rewind(request)
        response = run()
    except Exception as error:  # noqa: BLE001  as DRF handles it, one level further out
        response = view.handle_exception(error)
    # Refused before anything was done, with the request to come again.
    if response.status_code in NOT_KEPT:
        row.delete()
    else:
        complete(row, response.status_code, content_of(response))
    return response


def _poll_until_deadline() -> Iterator[None]:
    """Yield until the time to wait for the other request is over, at least once."""
    ends, pause = monotonic() + WAIT_SECONDS, POLL_SECONDS
    yield
    # Looked at again and again: an advisory lock waited for in SQL would hold the transaction open.
    while monotonic() < ends:
        sleep(pause)
        pause = min(2 * pause, 0.4)
        yield


def _claim_key(keyed: Keyed) -> Any:
    """Claim the key. A request of several transactions counts as UNDER_WAY until WAIT_SECONDS are over."""
    try:
        return claim(keyed)
    except OtherRequest as other:
        raise refuse(HEADER, f"has been used for {other.operation} with other content; take a new key") from None
    except CutOff as cut:
        if (timezone.now() - cut.since).total_seconds() < WAIT_SECONDS:
            return UNDER_WAY
        raise Unfinished(
            f"it began at {format_iso(cut.since)}, and is still under way or was cut off while other servers were"
            " asked; see whether it took effect before you send it with another key"
        ) from None


def _attempt(view: Any, request: Any, run: Run) -> Any:
    """Run once, and turn an error into its response.

    Changes before an expected error are kept, as without a key; an error of the database undoes them.
    """
    failed: Exception | None = None
    try:
        # A savepoint around it, so that what was done before an expected error can still be committed.
        with transaction.atomic(), forbid_network():
            try:
                _rewind(request)
                return run()
            except Exception as error:
                # After an error of the database the transaction takes no statement, not even the answer.
                if _is_broken():
                    raise
                failed = error
    except Exception as error:  # noqa: BLE001  as DRF handles it, one level further out
        failed = error
    return view.handle_exception(failed)


def _is_broken() -> bool:
    """Return whether the transaction takes no further statement."""
    wire = connection.connection
    return connection.needs_rollback or wire is None or wire.info.transaction_status != TransactionStatus.INTRANS


def read_key(view: Any, request: Any) -> Keyed:
    """Read the header, and hash the request. Raises InvalidRequest_400 for an invalid key."""
    text = str(request.META["HTTP_IDEMPOTENCY_KEY"]).strip()
    if len(text) > 1 and text[0] == text[-1] == '"':
        text = text[1:-1]  # a string of structured fields, as the IETF's draft has it
    if not (0 < len(text) <= MAX_CHARACTERS and text.isascii() and text.isprintable()):
        rule = f"1 to {MAX_CHARACTERS} printable ASCII characters"
        raise refuse(HEADER, f"needs to be {rule}, got {shorten(text, 40)!r}")
    http = http_request(request)
    digest = hashlib.sha256()
    # A zero byte parts them, so that no two requests can run together into the same text.
    for part in (http.method or "", http.path_info, http.META.get("QUERY_STRING", "")):
        digest.update(part.encode(errors="surrogatepass") + b"\0")
    for piece in _body(view, request):
        digest.update(piece)
    actor = view.actor
    operation = f"{http.method} {http.path_info}"[:300]
    return Keyed(actor.key_id or actor.member_id, text, digest.hexdigest(), operation)


def _body(view: Any, request: Any) -> Iterator[bytes]:
    """Yield the content of the body for the hash. For a form, yield the content of its parts: senders draw random
    boundaries."""
    if not (view.declared.multipart and request.content_type.startswith("multipart/")):
        yield http_request(request).body
        return
    files = request.FILES
    # Forms have no order that means anything.
    for name in sorted({*request.data.keys()} - {*files.keys()}):
        yield dumps([name, request.data.getlist(name)])
    for name in sorted(files.keys()):
        for file in files.getlist(name):
            content = hashlib.sha256()
            # In pieces: uploads may be larger than the memory for a request.
            for chunk in file.chunks():
                content.update(chunk)
            yield dumps([name, file.name, file.content_type, file.size, content.hexdigest()])


def _rewind(request: Any) -> None:
    """Rewind the files of a form to their beginning."""
    if str(request.content_type).startswith("multipart/"):
        for _, files in request.FILES.lists():
            for file in files:
                # The hash has read them to their end.
                file.seek(0)


def content_of(response: Any) -> bytes:
    """Return the body of a response."""
    if not hasattr(response, "data"):
        return bytes(response.content)
    return b"" if response.data is None else dumps(response.data)


def replay(answered: StoredResponse) -> HttpResponse:
    """Answer as the first request was answered."""
    body = answered.body
    if body is None:
        done, gone = "This request has been done before", "its answer was too long to keep; read the records"
        content = {"status": "success", "success": True, "message": done, "data": None, "warning": gone}
        body = dumps(
            content if answered.status < 400 else Refusal(answered.status, "RequestUnfinished_409", done, gone).body()
        )
    response = HttpResponse(body, status=answered.status, content_type="application/json")
    response[REPLAYED] = "true"
    return response
