"""Endpoints of a sender's deliverability, and of the DKIM key of its domain."""

from __future__ import annotations

from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.viewsets import ResourceViewSet
from core.types import JsonObject
from outreach.connections.connected_apps.registry import MODULE
from outreach.connections.connected_apps.turns import BUSY
from outreach.connections.senders.services import NOT_FOUND
from outreach.messaging.deliverability import keys
from outreach.messaging.deliverability.models import DkimKey
from outreach.messaging.deliverability.selectors import last_check
from outreach.messaging.deliverability.serializers import DeliverabilityOut, DkimCreate, DkimOut
from outreach.messaging.deliverability.services import check_sender_now

MISSING = NOT_FOUND
_SHOWN = ("name", "light", "text", "record", "found")


def deliverability_of(id: str) -> JsonObject:
    """Return the last check of the sender and the key of its domain."""
    domain, last = last_check(id)
    return {
        "domain": domain,
        "light": last.light if last else None,
        "checkedAt": last.checked_at if last else None,
        "checks": [{name: check_result[name] for name in _SHOWN} for check_result in last.results] if last else [],
        "dkim": DkimOut.one(DkimKey.objects.filter(domain=domain)),
    }


class DeliverabilityViewSet(ResourceViewSet):
    module = MODULE
    singleton = True

    @endpoint("Read what the last check of a sender's domain found", output=DeliverabilityOut, errors=(MISSING,))
    def retrieve(self, request: Request, id: str) -> object:
        return deliverability_of(id)

    @endpoint(
        "Check a sender's domain now",
        output=DeliverabilityOut,
        success="DeliverabilityChecked_200",
        errors=(MISSING, BUSY),
        description="Asks the name servers for MX, SPF, DKIM and DMARC of the From address's domain. Active senders"
        " are checked once a day by themselves, and the owners are told of one that turned red. A DKIM key whose"
        " record is found signs from then on.",
    )
    def create(self, request: Request, id: str) -> object:
        check_sender_now(id=id)
        return deliverability_of(id)


class DkimViewSet(ResourceViewSet):
    module = MODULE
    singleton = True

    @endpoint(
        "Make a DKIM key for a sender's domain",
        input=DkimCreate,
        output=DkimOut,
        success="DkimKeyCreated_201",
        errors=(MISSING, keys.EXISTS),
        description="Only for mail servers that do not sign by themselves. The key signs what goes out by all senders"
        " of the domain, once its record is published and a check has found it.",
    )
    def create(self, request: Request, id: str, data: JsonObject) -> object:
        key = keys.make_key(id=id, member_id=self.actor.member_id, **data)
        return DkimOut.one(DkimKey.objects.filter(pk=key.pk))

    @endpoint(
        "Delete the DKIM key of a sender's domain", success="DkimKeyDeleted_200", errors=(MISSING, keys.NOT_FOUND)
    )
    def destroy(self, request: Request, id: str) -> object:
        keys.delete_key(id=id)
        return {}
