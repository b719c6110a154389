"""Bodies and answers of a company's brand."""

from __future__ import annotations

from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.api.input import Input, LineInput, ObjectIdInput
from core.api.output import Computed, IdField, Output

COLORS = "Such as #2f5bea; empty: the service's. It has to have a contrast of 4.5 with the backgrounds of pages by"


class ColorsInput(Input):
    """The colours of a brand."""

    accent = LineInput(max_length=7, allow_blank=True, required=False, help_text=f"{COLORS} light, and with white.")
    accentDark = LineInput(
        max_length=7, allow_blank=True, required=False, help_text=f"{COLORS} dark; empty: made of it."
    )


class BrandInput(ColorsInput):
    """Any of a brand's values."""

    productName = LineInput(
        max_length=60, allow_blank=True, required=False, help_text="In place of the service's name."
    )
    senderName = LineInput(
        max_length=60, allow_blank=True, required=False, help_text="Who the service's mails are from."
    )
    logoFile = ObjectIdInput(allow_null=True, required=False, help_text="An uploaded PNG, JPEG or WebP; null: none.")
    faviconFile = ObjectIdInput(allow_null=True, required=False, help_text="The same, square.")
    domain = ObjectIdInput(
        allow_null=True, required=False, help_text="A host of /domain-tracking, which pages are at once it is verified."
    )


class DomainSnapshot(Output):
    """The host of the pages."""

    _id = IdField()
    name = serializers.CharField()
    status = serializers.CharField(source="state", help_text="verified: pages are there.")


class ColorsOut(Output):
    """Colours, and how well they can be read."""

    accentDarkShown = Computed(serializers.CharField(help_text="The colour by dark, where none is named made of it."))
    contrast = Computed(serializers.FloatField(allow_null=True, help_text="The least with a background by light."))
    contrastDark = Computed(serializers.FloatField(allow_null=True, help_text="The same by dark."))


class BrandOut(ColorsOut):
    """A company's own brand."""

    productName = Computed(serializers.CharField())
    accent = Computed(serializers.CharField())
    accentDark = Computed(serializers.CharField())
    senderName = Computed(serializers.CharField())
    logo = Computed(serializers.CharField(help_text="Its address at this service; empty: none."))
    favicon = Computed(serializers.CharField(help_text="The same."))
    domain = Computed(DomainSnapshot(allow_null=True))
    address = Computed(serializers.CharField(help_text="Where the company's pages are."))
    updatedBy = Computed(MemberSnapshot(allow_null=True))
    updatedAt = Computed(serializers.DateTimeField(allow_null=True))
