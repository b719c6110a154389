from __future__ import annotations

from django.db import models

from core.ids import ObjectIdField
from core.models import BaseModel


class RefreshToken(BaseModel):
    """A session's refresh token; each use replaces it, and a second use of one ends its whole family."""

    user = models.ForeignKey("accounts.User", on_delete=models.CASCADE, related_name="refresh_tokens")
    token_hash = models.CharField(max_length=64, unique=True)
    family = ObjectIdField(db_index=True)
    session_version = models.PositiveIntegerField()
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)
