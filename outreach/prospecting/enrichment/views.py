"""Endpoints of proposals."""

from __future__ import annotations

from typing import Any

from rest_framework.decorators import action
from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.listing import Listing
from core.api.viewsets import ResourceViewSet
from core.errors import NamedError, PermissionLacking
from core.types import JsonObject
from crm.contacts.rights import REFUSED, ContactRights
from crm.records.views import VALUE_ERRORS
from outreach.prospecting.enrichment.filters import PROPOSAL_FIELDS
from outreach.prospecting.enrichment.models import EnrichmentProposal
from outreach.prospecting.enrichment.serializers import Decision, ProposalOut
from outreach.prospecting.enrichment.services import decide

ERRORS = ("NotFound_404", "InvalidInput_400")


class ProposalViewSet(ResourceViewSet):
    module = "enrich"
    listing = Listing("List proposals for contacts", EnrichmentProposal.objects.all, PROPOSAL_FIELDS, ProposalOut)

    @endpoint("Read a proposal", output=ProposalOut, errors=("NotFound_404",))
    def retrieve(self, request: Request, id: str) -> object:
        return self._proposal_data(id)

    @action(detail=True, methods=["post"])
    @endpoint(
        "Accept a proposal",
        input=Decision,
        output=ProposalOut,
        success="ProposalAccepted_200",
        errors=(*ERRORS, REFUSED, "ContactNotFound_400", "ContactAlreadyExists_400", *VALUE_ERRORS),
        description="Writes the value to the contact, as PUT /contact/:id does. By session it takes contact.PUT too.",
    )
    def accept(self, request: Request, id: str, data: JsonObject) -> object:
        if self._proposal_data(id) and not ContactRights.of(self.actor).change:
            raise PermissionLacking("contact.PUT")
        return self._decide(id, data, accept=True)

    @action(detail=True, methods=["post"])
    @endpoint("Reject a proposal", input=Decision, output=ProposalOut, success="ProposalRejected_200", errors=ERRORS)
    def reject(self, request: Request, id: str, data: JsonObject) -> object:
        return self._decide(id, data, accept=False)

    def _decide(self, id: str, data: JsonObject, *, accept: bool) -> Any:
        decide(id=id, member_id=self.actor.member_id, accept=accept, automation=data["automation"] == "run")
        return self._proposal_data(id)

    def _proposal_data(self, id: str) -> JsonObject:
        proposal = ProposalOut.one(EnrichmentProposal.objects.filter(pk=id))
        if proposal is None:
            raise NamedError("NotFound_404", "there is no such proposal in this company", field="id")
        return proposal
