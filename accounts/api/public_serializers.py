"""Bodies and answers of the public doors."""

from __future__ import annotations

from rest_framework import serializers

from core.api.input import Input, TextInput
from core.api.output import Computed, Output


class Login(Input):
    email = TextInput(max_length=254)
    password = TextInput(max_length=1000, trim_whitespace=False)


class Refresh(Input):
    refreshToken = TextInput(max_length=1000)


class Session(Output):
    """A session: the access token goes into Authorization, a membership's _id into authmember."""

    token = Computed(serializers.CharField(help_text="JWT, valid for expiresIn seconds"))
    refreshToken = Computed(serializers.CharField(help_text="for POST /api/public/refresh; each one works once"))
    expiresIn = Computed(serializers.IntegerField())
    user = Computed(serializers.DictField())
    memberships = Computed(serializers.ListField(child=serializers.DictField()))
