from __future__ import annotations

import secrets
from base64 import b32decode, b32encode
from urllib.parse import quote, urlencode

from django.db import models
from django_otp.models import Device, DeviceManager, ThrottlingMixin, TimestampMixin
from django_otp.oath import TOTP

from core.crypto import lookup_hash
from core.fields import EncryptedTextField, JSONField
from core.ids import ObjectIdField
from core.models import BaseModel
from core.text.translation import gettext_lazy as _


class RefreshToken(BaseModel):
    """A session's refresh token; each use replaces it, and a second use of one ends its whole family."""

    user = models.ForeignKey("accounts.User", on_delete=models.CASCADE, related_name="refresh_tokens")
    token_hash = models.CharField(max_length=64, unique=True)
    family = ObjectIdField(db_index=True)
    session_version = models.PositiveIntegerField()
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)
    ip = models.GenericIPAddressField(null=True, help_text="Where the token was given to.")
    user_agent = models.CharField(max_length=300, blank=True, default="", db_default="")
    last_used_at = models.DateTimeField(null=True, help_text="When a browser opened a page last, to 15 minutes.")

    class Meta(BaseModel.Meta):
        verbose_name = _("session")


def new_number() -> int:
    """Make a random number for a primary key."""
    return secrets.randbits(62)


def new_key() -> str:
    """Make a key for an authenticator app, in base 32."""
    return b32encode(secrets.token_bytes(20)).decode()


class SecondFactors(DeviceManager):  # type: ignore[misc]
    """The manager of django-otp's devices, under a name that mypy finds."""


# Model once more, for mypy, which knows nothing of django-otp's classes.
class SecondFactor(TimestampMixin, ThrottlingMixin, Device, models.Model):  # type: ignore[misc]
    """A staff member's second factor: the key of an authenticator app, and backup codes that work once each.

    It replaces django-otp's own devices, which store keys and codes as plain text. After a wrong code the next one is
    accepted after 1, 2, 4, 8 seconds and so on.
    """

    # django-otp wants a number. It is known before the row is written, since the secret may be sealed for it.
    id = models.BigIntegerField(primary_key=True, default=new_number, editable=False)
    key = EncryptedTextField(default=new_key)
    last_step = models.BigIntegerField(default=-1, help_text="The time step of the last code, which works only once.")
    backup_codes = JSONField(default=list, help_text="Keyed hashes of the codes that are left.")

    objects = SecondFactors()

    class Meta:
        constraints = [models.UniqueConstraint(fields=("user",), name="second_factor_once")]

    def __str__(self) -> str:
        return f"second factor of {self.user}"

    def address(self, issuer: str) -> str:
        """Return the otpauth:// address that authenticator apps read."""
        label = quote(f"{issuer.replace(':', ' ')}:{self.user.email}")
        return f"otpauth://totp/{label}?{urlencode({'secret': self.key, 'issuer': issuer}, quote_via=quote)}"

    def get_throttle_factor(self) -> int:
        return 1

    def verify_token(self, token: str) -> bool:
        """Check a code of the app, or a backup code, and save that it was used. Call it on a locked row."""
        if not self.verify_is_allowed()[0]:
            return False
        code = "".join(character for character in token.upper() if character.isalnum())
        if not (self._is_of_the_app(code) or self._is_backup(code)):
            self.throttle_increment()
            return False
        self.throttle_reset(commit=False)
        self.set_last_used_timestamp(commit=False)
        self.save()
        return True

    def _is_of_the_app(self, code: str) -> bool:
        if not (len(code) == 6 and code.isascii() and code.isdigit()):
            return False
        totp = TOTP(b32decode(self.key))
        if not totp.verify(int(code), tolerance=1, min_t=self.last_step + 1):
            return False
        self.last_step = totp.t()
        return True

    def _is_backup(self, code: str) -> bool:
        hashed = lookup_hash(code)
        if hashed not in self.backup_codes:
            return False
        self.backup_codes = [stored for stored in self.backup_codes if stored != hashed]
        return True
