"""The login to the back office: its attempts are limited and logged like those of the API."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from unfold.forms import AuthenticationForm

from accounts.auth.limits import forget_failed_logins
from accounts.auth.sessions.services import count_attempt
from accounts.login_log.models import LoginLog
from accounts.login_log.services import record_login
from accounts.users.models import User
from core.access.attempts import TooManyAttempts
from core.access.callers import caller_of
from core.text.translation import gettext_lazy as _
from core.types import JsonObject

REASON = "back office"


class StaffLoginForm(AuthenticationForm):  # type: ignore[misc]
    """Checks the limits, then the password as Django does, and writes the login log."""

    def clean(self) -> JsonObject:
        email = str(self.cleaned_data.get("username", ""))
        caller = caller_of(self.request)
        user = User.objects.filter(email=email).first()
        try:
            count_attempt(email=email, user=user, caller=caller)
        except TooManyAttempts as error:
            # Before super().clean(), which would hash the password: the limit also protects the processor.
            raise ValidationError(
                _("Too many attempts. Try again in %(seconds)s seconds.") % {"seconds": error.retry_after}
            ) from None
        try:
            cleaned = super().clean()
        except ValidationError:
            record_login(email=email, user=user, status=LoginLog.Status.FAILED, reason=REASON, caller=caller)
            raise
        forget_failed_logins(email, caller.network)
        record_login(email=email, user=user, status=LoginLog.Status.SUCCESS, reason=REASON, caller=caller)
        values: JsonObject = cleaned or self.cleaned_data
        return values
