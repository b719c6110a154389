"""Endpoints of the suppression list."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.listing import Listing
from core.api.output import Deleted
from core.api.selection import SelectionInput
from core.api.viewsets import ResourceViewSet
from outreach.suppression.filters import SUPPRESSION_FIELDS
from outreach.suppression.models import Suppression
from outreach.suppression.serializers import SuppressionCreate, SuppressionOut
from outreach.suppression.services import delete_suppressions, suppress_address


class SuppressionViewSet(ResourceViewSet):
    module = "genie"
    listing = Listing(
        "List addresses that are never written to", Suppression.objects.all, SUPPRESSION_FIELDS, SuppressionOut
    )

    @endpoint(
        "Never write to an address again",
        input=SuppressionCreate,
        output=SuppressionOut,
        success="AddressSuppressed_201",
        description="An address that is listed already keeps its first reason.",
    )
    def create(self, request: Request, data: dict[str, Any]) -> Any:
        made = suppress_address(member_id=self.actor.member_id, **data)
        return SuppressionOut.one(Suppression.objects.filter(pk=made.pk))

    @endpoint(
        "Take addresses off the list",
        input=SelectionInput,
        bulk=True,
        output=Deleted,
        success="SuppressionsDeleted_200",
        errors=("NotFound_404",),
        description="A contact that has unsubscribed stays unsubscribed.",
    )
    def bulk_destroy(self, request: Request, data: dict[str, Any]) -> Any:
        ids = list(self.selection().apply(Suppression.objects.all()).values_list("pk", flat=True))
        return {"deletedCount": delete_suppressions(ids=ids)}
