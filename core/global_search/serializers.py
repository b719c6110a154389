"""Answers of the global search."""

from __future__ import annotations

from rest_framework import serializers

from core.api.output import Computed, IdField, Output


class FoundOut(Output):
    """A record that was found."""

    _id = IdField()
    title = serializers.CharField()
    text = serializers.CharField(help_text="what tells it from others of the same name; may be empty")


class FoundGroupOut(Output):
    """The records of a kind."""

    kind = serializers.CharField(help_text="the resource, as the permission modules and paths call it")
    records = Computed(FoundOut(many=True))
    hasMore = Computed(serializers.BooleanField(help_text="there are more than were asked for"))


class SearchOut(Output):
    """Records that match the text, by kind. Kinds without a match are omitted."""

    groups = Computed(FoundGroupOut(many=True))
