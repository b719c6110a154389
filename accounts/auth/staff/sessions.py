"""Sessions of the back office end a while after the login, however they are used."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.signals import user_logged_in
from django.dispatch import receiver
from django.http import HttpRequest
from django.utils import timezone


@receiver(user_logged_in)
def limit_session(request: HttpRequest, **_: Any) -> None:
    """Give the new session its end. Without one, each change of the session would put it off."""
    request.session.set_expiry(timezone.now() + settings.STAFF_SESSION_LIFETIME)
