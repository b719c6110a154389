"""The references that answers nest: a member, a user, a role, a company."""

from __future__ import annotations

from rest_framework import serializers

from core.api.output import IdField, Output


class MemberSnapshot(Output):
    """A member, nested where a reference is populated."""

    _id = IdField()
    name = serializers.CharField()
    email = serializers.EmailField()


class UserSnapshot(Output):
    """A user, nested where a reference is populated."""

    _id = IdField()
    name = serializers.CharField()
    email = serializers.EmailField()


class RoleSnapshot(Output):
    """A role, nested where a reference is populated."""

    _id = IdField()
    name = serializers.CharField()


class CompanySnapshot(Output):
    """A company, nested where a reference is populated."""

    _id = IdField()
    name = serializers.CharField()
    email = serializers.CharField(help_text="empty where the company has given none")
