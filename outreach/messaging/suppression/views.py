"""Endpoints of the suppression list."""

from __future__ import annotations

from functools import partial

from django.db.models import QuerySet
from rest_framework.decorators import action
from rest_framework.request import Request

from core.access import Actor
from core.api.endpoint import endpoint
from core.api.input import read
from core.api.listing import Listing
from core.api.output import Deleted
from core.api.selection import SelectionInput
from core.api.viewsets import ResourceViewSet
from core.errors import PermissionLacking
from core.types import JsonObject
from crm.files.selectors import readable_files
from crm.models import File
from crm.records.views import bulk_answer
from outreach.messaging.suppression.filters import IMPORT_FIELDS, SUPPRESSION_FIELDS
from outreach.messaging.suppression.imports import NOT_FOUND, cancel_import, check_import, not_found, start_import
from outreach.messaging.suppression.models import Suppression, SuppressionImport
from outreach.messaging.suppression.serializers import (
    SuppressionBulk,
    SuppressionBulkOut,
    SuppressionCreate,
    SuppressionImportChecked,
    SuppressionImportCreate,
    SuppressionImportOut,
    SuppressionOut,
)
from outreach.messaging.suppression.services import delete_suppressions, suppress_address, suppress_many


def _files(actor: Actor) -> QuerySet[File]:
    """Return the files whose addresses the actor may import: by session without file.GET only those that they have
    uploaded, which takes file.POST. Raises UnauthorizedAction_403 for a role that has neither."""
    files = readable_files(actor)
    if actor.is_unbounded or actor.may("file", "GET"):
        return files
    if not actor.may("file", "POST"):
        raise PermissionLacking("file.GET", field="fileId")
    return files.filter(created_by_id=actor.member_id)


FILE_ERRORS = (
    *("EmptyFile_400", "FileNotFound_400", "NoRowsInFile_400", "UnsupportedFileType_400", "InvalidDataFormat_400"),
    "ImportFileFetchFailed_400",
)


class SuppressionViewSet(ResourceViewSet):
    module = "genie"
    blocked_when_unpaid = False
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
    def create(self, request: Request, data: JsonObject) -> object:
        suppression = suppress_address(member_id=self.actor.member_id, **data)
        return SuppressionOut.one(Suppression.objects.filter(pk=suppression.pk))

    @endpoint(
        "Take addresses off the list",
        input=SelectionInput,
        bulk=True,
        output=Deleted,
        success="SuppressionsDeleted_200",
        errors=("NotFound_404",),
        description="A contact that has unsubscribed stays unsubscribed.",
    )
    def bulk_destroy(self, request: Request, data: JsonObject) -> object:
        ids = list(self.selection().apply(Suppression.objects.all()).values_list("pk", flat=True))
        return {"deletedCount": delete_suppressions(ids=ids)}

    @action(detail=False, methods=["post"])
    @endpoint(
        "Never write to many addresses again",
        input=SuppressionBulk,
        output=SuppressionBulkOut,
        success="AddressesSuppressed_200",
        errors=("InvalidPayload_400",),
        description="Each item succeeds or fails on its own; the answer is 200 either way: what is no address is in"
        " `failed`. More than 1,000 go as a file (POST /suppression/import).",
    )
    def bulk(self, request: Request, data: JsonObject) -> object:
        result = suppress_many(
            items=data["form_data"], read=partial(read, SuppressionCreate), member_id=self.actor.member_id
        )
        answer = bulk_answer(result, Suppression.objects.all(), SuppressionOut)
        return {name: answer[name] for name in ("created", "updated", "failed")}


def one_import(id: str) -> JsonObject:
    """Return the import as the API shows it. Raises ImportNotFound_400."""
    row = SuppressionImportOut.one(SuppressionImport.objects.filter(pk=id))
    if row is None:
        raise not_found()
    return row


class SuppressionImportViewSet(ResourceViewSet):
    module = "genie"
    blocked_when_unpaid = False
    listing = Listing(
        "List imports of addresses that are never written to",
        SuppressionImport.objects.all,
        IMPORT_FIELDS,
        SuppressionImportOut,
    )

    @endpoint(
        "Import addresses that are never written to",
        input=SuppressionImportCreate,
        output=SuppressionImportOut,
        success="ImportCreated_201",
        errors=FILE_ERRORS,
        description="A worker reads the file. Its name becomes the `source` of the addresses, by which they can be"
        " found and taken off again. The same content sent again within ten minutes is the same import. By session it"
        " takes file.GET, unless the file is one's own.",
    )
    def create(self, request: Request, data: JsonObject) -> object:
        job = start_import(files=_files(self.actor), member_id=self.actor.member_id, **data)
        return one_import(job.pk)

    @endpoint("Read an import of addresses", output=SuppressionImportOut, errors=(NOT_FOUND,))
    def retrieve(self, request: Request, id: str) -> object:
        return one_import(id)

    @action(detail=False, methods=["post"])
    @endpoint(
        "Check a file of addresses before it is imported",
        input=SuppressionImportCreate,
        output=SuppressionImportChecked,
        success="ImportChecked_200",
        errors=FILE_ERRORS,
        description="Reads the first 2,000 rows, and writes nothing.",
    )
    def check(self, request: Request, data: JsonObject) -> object:
        return check_import(files=_files(self.actor), **data)

    @action(detail=True, methods=["post"])
    @endpoint(
        "Cancel an import of addresses",
        output=SuppressionImportOut,
        success="ImportUpdated_200",
        errors=(NOT_FOUND, "InvalidImportStatus_400"),
        description="What it has added stays on the list.",
        transition=True,
    )
    def cancel(self, request: Request, id: str) -> object:
        cancel_import(id=id)
        return one_import(id)
