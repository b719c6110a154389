"""The middlewares for people with browsers: sessions, log-ins, second factors and messages.

Requests to the API's mounts pass by: they authenticate themselves, and no cookie counts there.
"""

from __future__ import annotations

from typing import Any, cast

from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django_otp.middleware import OTPMiddleware

from accounts.request_log.entry import MOUNTS

API = tuple(MOUNTS)


class _Browsers:
    """A mixin that lets requests to the API bypass a middleware."""

    get_response: Any

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path_info.startswith(API):
            return cast(HttpResponseBase, self.get_response(request))
        return cast(HttpResponseBase, super().__call__(request))  # type: ignore[misc]


class BrowserSessions(_Browsers, SessionMiddleware):
    """Django's sessions."""


class BrowserLogins(_Browsers, AuthenticationMiddleware):
    """Django's users."""


class BrowserSecondFactors(_Browsers, OTPMiddleware):  # type: ignore[misc]
    """django-otp's verified users."""


class BrowserMessages(_Browsers, MessageMiddleware):
    """Django's messages to the next page."""
