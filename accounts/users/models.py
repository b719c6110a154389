from __future__ import annotations

from typing import Any, ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.db import models
from django.utils import timezone

from core.fields import JSONField, LowerEmailField, NameField
from core.models import BaseModel
from core.text.translation import gettext_lazy as _


class UserManager(BaseUserManager["User"]):
    """Users by email address, ignoring case."""

    def get_by_natural_key(self, username: str | None) -> User:
        return self.get(email=username or "")

    def create_user(self, email: str, password: str | None = None, **values: Any) -> User:
        """Create a user with a hashed password (None: no password fits)."""
        user = self.model(email=email.strip(), **values)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **values: Any) -> User:
        """Create a staff member with every right in the back office."""
        return self.create_user(
            email, password, **{"is_staff": True, "is_superuser": True, "email_verified_at": timezone.now(), **values}
        )


class User(BaseModel, AbstractBaseUser, PermissionsMixin):
    """A person's account. Memberships connect it to companies."""

    email = LowerEmailField(max_length=254, unique=True)
    name = NameField(max_length=200, blank=True)
    is_active = models.BooleanField(default=True)
    is_staff = models.BooleanField(default=False, help_text=_("Can open the back office."))
    email_verified_at = models.DateTimeField(
        null=True, blank=True, help_text="Who has not shown that the address is theirs cannot log in."
    )
    dark_mode = models.BooleanField(default=False)
    layout = JSONField(default=dict, blank=True, help_text="How the web app is arranged for this person.")
    columns = JSONField(default=dict, blank=True, help_text="List -> the columns that it shows, in order.")
    muted_notices = JSONField(
        default=list, db_default=[], blank=True, help_text="Notices that the person does not want in the product."
    )
    signature = models.TextField(
        blank=True, default="", db_default="", help_text="Plain text or HTML below the person's own emails."
    )
    onboarded = models.BooleanField(default=False)
    ai_onboarded = models.BooleanField(default=False)
    session_version = models.PositiveIntegerField(
        default=1, editable=False, help_text="Counted up by a new password, which ends every session."
    )

    objects = UserManager()
    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    def __str__(self) -> str:
        return str(self.email)

    def get_full_name(self) -> str:
        return str(self.name or self.email)

    def get_short_name(self) -> str:
        return str(self.name or self.email)

    def set_password(self, raw_password: str | None) -> None:
        super().set_password(raw_password)
        if not self._state.adding:
            self.session_version += 1
