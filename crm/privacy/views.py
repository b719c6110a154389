"""Endpoints of a contact's privacy rights: access to its data, and erasure."""

from __future__ import annotations

import tempfile

from django.http import FileResponse
from rest_framework.decorators import action
from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.envelope import envelope
from core.api.viewsets import ResourceViewSet
from core.errors import PermissionLacking
from core.types import JsonObject
from crm.privacy.access_request import write_access
from crm.privacy.erasure import erase_contact
from crm.privacy.serializers import AccessOut, ErasedOut, EraseInput

IN_MEMORY_BYTES = 1 << 20


class ContactPrivacyViewSet(ResourceViewSet):
    module = "contact"

    @action(detail=True, url_path="access-request")
    @endpoint(
        "Everything known of a contact",
        output=AccessOut,
        errors=("ContactNotFound_400", "InvalidRequest_400", "UnauthorizedAction_403"),
        description="The contact, live or deleted, with those merged into it: their values, leads, activities, calls,"
        " meetings, follow-ups, messages, imports, events and suppressions, as they are stored. Needs the right to"
        " read all of these.",
    )
    def access_request(self, request: Request, id: str) -> object:
        status, head = envelope(self.declared.success)
        target = tempfile.SpooledTemporaryFile(IN_MEMORY_BYTES)  # noqa: SIM115  closed with the response
        try:
            write_access(
                contact_id=id,
                target=target,
                may=lambda module: self.actor.is_unbounded or self.actor.may(module, "GET"),
                envelope=head,
            )
        except BaseException:
            target.close()
            raise
        target.seek(0)
        return FileResponse(target, status=status, content_type="application/json")

    @action(detail=True, methods=["post"])
    @endpoint(
        "Erase a contact",
        input=EraseInput,
        output=ErasedOut,
        success="ContactErased_200",
        errors=("ContactNotFound_400", "InvalidInput_400", "InvalidRequest_400", "UnauthorizedAction_403"),
        description="Irreversible; needs the permission contact.DELETE, too. What is personal is removed from every"
        " record of the contact, those merged into it and their leads; its address is never written to again. Exported"
        " files are deleted: it may be in them.",
    )
    def erase(self, request: Request, id: str, data: JsonObject) -> object:
        if not (self.actor.is_unbounded or self.actor.may("contact", "DELETE")):
            raise PermissionLacking("contact.DELETE")
        erased = erase_contact(id=id, confirm=data["confirm"], actor_id=self.actor.member_id)
        return {
            "contactIds": erased.contact_ids,
            "leadIds": erased.lead_ids,
            "counts": erased.counts,
            "fileCount": erased.file_count,
            "exportCount": erased.export_count,
            "sourceFiles": [{"_id": id, "name": name} for id, name in erased.source_files],
        }
