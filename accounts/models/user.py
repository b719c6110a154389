from __future__ import annotations

from typing import Any, ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.db import models

from core.fields import LowerEmailField
from core.models import BaseModel


class UserManager(BaseUserManager["User"]):
    """Users by e-mail address, whatever its case."""

    def get_by_natural_key(self, username: str | None) -> User:
        return self.get(email=username or "")

    def create_user(self, email: str, password: str | None = None, **values: Any) -> User:
        """A user with a hashed password (None: no password fits)."""
        user = self.model(email=email.strip(), **values)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **values: Any) -> User:
        """A staff member who may do everything in the back office."""
        return self.create_user(email, password, **{"is_staff": True, "is_superuser": True, **values})


class User(BaseModel, AbstractBaseUser, PermissionsMixin):
    """A person's account; memberships tie it to companies."""

    email = LowerEmailField(max_length=254, unique=True)
    name = models.CharField(max_length=200, blank=True)
    is_active = models.BooleanField(default=True)
    is_staff = models.BooleanField(default=False, help_text="May enter the back office.")
    session_version = models.PositiveIntegerField(
        default=1, editable=False, help_text="Counted up by a new password, which ends every session."
    )

    objects = UserManager()
    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    def __str__(self) -> str:
        return self.email

    def get_full_name(self) -> str:
        return self.name or self.email

    def get_short_name(self) -> str:
        return self.name or self.email

    def set_password(self, raw_password: str | None) -> None:
        super().set_password(raw_password)
        if not self._state.adding:
            self.session_version += 1
