"""Endpoints of files: POST /upload and contract 4.8."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from rest_framework.decorators import action
from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.request import Request

from core.api.endpoint import Endpoint, endpoint
from core.api.listing import Listing, ListRequest, list_action
from core.api.schema import Schema
from core.api.selection import SelectionInput
from core.api.viewsets import ResourceViewSet
from core.errors import NamedError
from core.lists import BulkSelection
from core.types import JsonObject
from crm.files.downloads import content_response
from crm.files.filters import FILE_FIELDS
from crm.files.models import File
from crm.files.selectors import readable_files
from crm.files.serializers import BinSelection, FileOut, FileUpdate, RestoredFiles, UploadInput
from crm.files.services import (
    clear_bin,
    kept_files,
    not_found,
    rename_file,
    restore_files,
    store_uploads,
    trash_files,
    trashed_files,
)
from crm.files.upload import FIELD, UploadParser


class UploadSchema(Schema):
    """Describes the data of an upload as one File or an array of them."""

    def _data(self, declared: Endpoint) -> JsonObject:
        file_schema = super()._data(declared)
        return {
            "description": "a File when one part was sent, an array of Files in their order when several were",
            "oneOf": [file_schema, {"type": "array", "minItems": 2, "items": file_schema}],
        }

    def _output_name(self, declared: Endpoint) -> str:
        return "Upload"


class FileSchema(Schema):
    """Describes that a download may lead to a bucket."""

    def further_responses(self) -> JsonObject:
        if not self.declared.raw:
            return {}
        location = {"schema": {"type": "string", "format": "uri"}}
        response = {
            "description": "An address of the bucket that holds for five minutes.",
            "headers": {"Location": location},
            "content": {"text/html": {"schema": {"type": "string"}}},
        }
        return {"302": response}


class UploadViewSet(ResourceViewSet):
    module = "file"
    parser_classes = (UploadParser,)  # type: ignore[assignment]
    schema = UploadSchema()

    @endpoint(
        "Upload files",
        description="multipart/form-data with one or more parts named `file`. `data` is the File when one was sent, an"
        " array of Files in their order when several were; all are stored or none. The type is decided from the"
        " content, and what is not allowed is refused.",
        input=UploadInput,
        output=FileOut,
        multipart=True,
        success="FileUploaded_201",
        quota_module="file",
        needs_subscription=False,
        errors=("NoFile_400", "EmptyFile_400", "UnsupportedFileType_400", "FileUploadFailed_400"),
    )
    def create(self, request: Request) -> object:
        try:
            uploads = request.FILES.getlist(FIELD)
        except UnsupportedMediaType as error:
            raise NamedError(
                "NoFile_400", "send multipart/form-data with the content in parts named file", field="file"
            ) from error
        files = store_uploads(uploads=uploads, member_id=self.actor.member_id)
        rows = {
            row["id"]: FileOut.render(row)
            for row in FileOut.project(File.objects.filter(pk__in=[file.pk for file in files]))
        }
        uploaded = [rows[file.pk] for file in files]
        return uploaded if len(uploaded) > 1 else uploaded[0]


def _listed_files(list_request: ListRequest) -> QuerySet[File]:
    return kept_files(readable_files(list_request.actor))


def _listed_trash(list_request: ListRequest) -> QuerySet[File]:
    return trashed_files(readable_files(list_request.actor))


class FileViewSet(ResourceViewSet):
    """Files. The export of a list is there only for those who may read the list."""

    module = "file"
    schema = FileSchema()
    listing = Listing(
        "List files",
        _listed_files,
        FILE_FIELDS,
        FileOut,
        needs_subscription=False,
        description="Those in the recycle bin have a list of their own. The export of a list is shown to those who may"
        " read the list.",
    )
    recycle_bin = list_action(
        Listing("List trashed files", _listed_trash, FILE_FIELDS, FileOut), url_path="recycle-bin", detail=False
    )

    @endpoint(
        "Move files to the recycle bin",
        input=SelectionInput,
        bulk=True,
        success="FilesTrashed_200",
        errors=("FileNotFound_400",),
    )
    def bulk_destroy(self, request: Request, data: JsonObject) -> None:
        done = trash_files(files=readable_files(self.actor), selection=self.selection(), member_id=self.actor.member_id)
        if not done and not data["select_all"]:
            raise NamedError(
                "FileNotFound_400", "none of them is a file of this company outside of the recycle bin", field="ids"
            )

    @recycle_bin.mapping.delete  # type: ignore[untyped-decorator]  # DRF's mapping has no types
    @endpoint(
        "Clear the recycle bin",
        description="Deletes for good: without ids everything in the bin that matches the query string, otherwise the"
        " files named.",
        input=BinSelection,
        bulk=True,
        success="FilesDeleted_200",
        errors=("FileNotFound_400", "BadRequest_400"),
    )
    def clear_recycle_bin(self, request: Request, data: JsonObject) -> None:
        everything = "ids" not in data
        body: Any = request.data | {"selectAll": True} if everything else request.data  # type: ignore[operator]
        selection = BulkSelection.parse(body, request.query_params, FILE_FIELDS)
        done = clear_bin(files=readable_files(self.actor), selection=selection)
        if not done and not (everything or data["select_all"]):
            raise NamedError("FileNotFound_400", "none of them is a file in this company's recycle bin", field="ids")

    @action(detail=False, methods=["post"], url_path="recycle-bin/restore")
    @endpoint(
        "Take files out of the recycle bin",
        input=SelectionInput,
        output=RestoredFiles,
        bulk=True,
        quota_module="file",
        success="FilesRestored_200",
        errors=("FileNotFound_400",),
        description="selectAll takes everything out that matches the query string. Files in the bin count against the"
        " plan, so that this is refused only where the company has more files than its plan allows by now.",
    )
    def restore_files(self, request: Request, data: JsonObject) -> object:
        return {"restoredCount": restore_files(files=readable_files(self.actor), selection=self.selection())}

    @endpoint(
        "Read a file's record",
        output=FileOut,
        description="Also while it is in the recycle bin.",
        errors=("FileNotFound_404",),
    )
    def retrieve(self, request: Request, id: str) -> object:
        file = FileOut.one(readable_files(self.actor).filter(pk=id))
        if file is None:
            raise not_found()
        return file

    @endpoint(
        "Rename a file",
        input=FileUpdate,
        output=FileOut,
        success="FileUpdated_200",
        errors=("FileNotFound_404",),
        description="Its content stays as it is, and so does the type, which comes from the content.",
    )
    def update(self, request: Request, id: str, data: JsonObject) -> object:
        file = rename_file(file=readable_files(self.actor).filter(pk=id), name=data["name"])
        return FileOut.one(File.objects.filter(pk=file.pk))

    @action(detail=True)
    @endpoint(
        "Download a file's content",
        raw="*/*",
        description="Images, PDF, audio and video may be shown in place; everything else is saved. A file in a bucket"
        " that browsers reach answers 302 with an address of the bucket that holds for five minutes.",
        errors=("FileNotFound_404",),
    )
    def download(self, request: Request, id: str) -> object:
        file = readable_files(self.actor).filter(pk=id).select_related("bucket").first()
        if file is None:
            raise not_found()
        return content_response(file)
