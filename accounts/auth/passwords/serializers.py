"""Bodies of passwords."""

from __future__ import annotations

from accounts.auth.sessions.serializers import PasswordInput
from accounts.auth.verification.serializers import MailedLink
from core.api.input import Input


class PasswordReset(MailedLink):
    password = PasswordInput()


class PasswordChange(Input):
    currentPassword = PasswordInput()
    newPassword = PasswordInput()
