"""The part of a body that decides whether a change starts workflows."""

from __future__ import annotations

from rest_framework import serializers

from core.api.input import Input


class AutomationInput(Input):
    automation = serializers.ChoiceField(choices=("run", "skip"), default="run", help_text="skip: start no workflows")
