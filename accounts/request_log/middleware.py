"""Logs each request to the API when the last byte of its answer is out."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any, cast

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone

from accounts.request_log.entry import describe, is_logged
from accounts.request_log.recorder import RECORDER
from core.ids import new_id
from core.internals.django import on_close
from core.logs import request_id

log = logging.getLogger(__name__)


class ServerLogMiddleware:
    """Outside of all that may refuse a request, so that it sees those too."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        if not settings.SERVER_LOG_DAYS:
            raise MiddlewareNotUsed("SERVER_LOG_DAYS is 0")
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not is_logged(request.path_info):
            return self.get_response(request)
        followed = RequestInProgress(request)
        response = self.get_response(request)
        followed.follow(response)
        return response


class RequestInProgress:
    """A request in progress."""

    def __init__(self, request: HttpRequest) -> None:
        self.request = request
        self.id = request_id() or new_id()
        self.at = timezone.now()
        self.started = perf_counter()
        self.status = self.sent = 0

    def follow(self, response: HttpResponseBase) -> None:
        """Log the request when the server closes the response: after the last byte, or when the caller disconnects."""
        self.status = response.status_code
        if isinstance(response, StreamingHttpResponse):
            response.streaming_content = self._count_bytes(cast(Any, response.streaming_content))
        elif self.request.method != "HEAD":
            self.sent = len(cast(Any, response).content)
        # Nothing else sees both: that the last byte is out, and that the caller has gone.
        on_close(response, self._end)

    def _count_bytes(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        try:
            for piece in pieces:
                self.sent += len(piece)
                yield piece
        except Exception:
            self.status = 500  # the caller has a part of the answer already
            raise

    def _end(self) -> None:
        spent = (perf_counter() - self.started) * 1000
        try:
            entry = describe(
                self.request, id=self.id, at=self.at, duration_ms=spent, status=self.status, response_bytes=self.sent
            )
            RECORDER.put(entry)
        except Exception:  # noqa: BLE001  the answer is out: what the log lacks is the operator's matter, not the caller's
            log.exception("a request could not be described for the server log")
