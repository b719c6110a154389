"""Answers of the login log."""

from __future__ import annotations

from rest_framework import serializers

from accounts.login_log.models import LoginLog
from accounts.snapshots.serializers import UserSnapshot
from core.api.output import IdField, Output


class LoginLogOut(Output):
    """An attempt to log in by one of the company's people."""

    _id = IdField()
    user = UserSnapshot()
    email = serializers.CharField(help_text="the address that was tried")
    status = serializers.ChoiceField(choices=LoginLog.Status.values)
    reason = serializers.CharField()
    ip = serializers.CharField(allow_null=True)
    userAgent = serializers.CharField()
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()
