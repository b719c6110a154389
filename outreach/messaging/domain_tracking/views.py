"""Endpoints of tracking hosts."""

from __future__ import annotations

from rest_framework.decorators import action
from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.listing import Listing
from core.api.output import Deleted
from core.api.viewsets import ResourceViewSet
from core.types import JsonObject
from outreach.connections.connected_apps.turns import BUSY
from outreach.messaging.domain_tracking import services
from outreach.messaging.domain_tracking.filters import DOMAIN_FIELDS
from outreach.messaging.domain_tracking.models import DomainTracking
from outreach.messaging.domain_tracking.serializers import DomainCreate, DomainDelete, DomainOut

NOT_FOUND = (services.NOT_FOUND,)


def _domain_data(id: str) -> JsonObject:
    services.get_domain(id)
    return DomainOut.one(DomainTracking.objects.filter(pk=id)) or {}


class DomainTrackingViewSet(ResourceViewSet):
    module = services.MODULE
    listing = Listing("List tracking domains", DomainTracking.objects.all, DOMAIN_FIELDS, DomainOut)

    @endpoint(
        "Add a tracking domain",
        input=DomainCreate,
        output=DomainOut,
        success="DomainTrackingCreated_201",
        errors=(services.TAKEN,),
        quota_module=services.MODULE,
        description="A host of the company's own that links, opens and unsubscribing of its mails lead to once it is"
        " verified: its `records` have to be published, and the operator's proxy has to answer for it.",
    )
    def create(self, request: Request, data: JsonObject) -> object:
        return _domain_data(services.create_domain(member_id=self.actor.member_id, **data).pk)

    @endpoint("Read a tracking domain", output=DomainOut, errors=NOT_FOUND)
    def retrieve(self, request: Request, id: str) -> object:
        return _domain_data(id)

    @endpoint(
        "Delete tracking domains",
        input=DomainDelete,
        output=Deleted,
        bulk=True,
        success="DomainTrackingsDeleted_200",
        errors=NOT_FOUND,
        description="Links in mails that have gone and lead to them work no longer.",
    )
    def bulk_destroy(self, request: Request, data: JsonObject) -> object:
        return {"deletedCount": services.delete_domains(selection=self.selection())}

    @action(detail=True, methods=["post"])
    @endpoint(
        "Check a tracking domain now",
        output=DomainOut,
        success="DomainTrackingChecked_200",
        errors=(*NOT_FOUND, BUSY),
        description="Asks the name servers for its CNAME and TXT records, and then the host itself. Each is checked"
        " once a day as well.",
    )
    def check(self, request: Request, id: str) -> object:
        services.check_now(id=id, member_id=self.actor.member_id)
        return _domain_data(id)
