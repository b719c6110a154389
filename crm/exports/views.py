"""Endpoints of exports: direct ones next to each list, and the jobs that export lists of any length."""

from __future__ import annotations

import tempfile
from typing import Any, ClassVar

from django.db.models import QuerySet
from django.http import FileResponse
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.listing import Listing, ListRequest
from core.api.output import Deleted
from core.api.selection import SelectionInput
from core.api.viewsets import ResourceViewSet
from core.lists import LIST_PARAMETERS
from core.lists.values import refuse
from core.types import JsonObject
from crm.exports.filters import EXPORT_FIELDS
from crm.exports.formats import FORMATS
from crm.exports.models import Export
from crm.exports.serializers import COLUMNS, ExportCreate, ExportOut, ExportUpdate
from crm.exports.services import (
    MAX_ROWS,
    cancel_export,
    create_export,
    delete_exports,
    export_now,
    file_name,
    not_found,
    readable_exports,
)
from crm.exports.sources import PAGING, Source

PARAMETERS = (
    OpenApiParameter("format", str, enum=list(FORMATS), default="csv"),
    OpenApiParameter("columns", str, description=f"Comma-separated {COLUMNS}."),
    *(parameter for parameter in LIST_PARAMETERS if parameter.name not in PAGING),
)
ABOUT = (
    f"The list as a file, by the same query as the list itself, without paging: at most {MAX_ROWS:,} records, more by"
    " POST /export.\nNested values stand as columns such as createdBy.name, custom fields as columns by their names"
    ' (with their key where that is taken),\nseveral values joined by "; ". Options have their labels, members their'
    " addresses, dates and times are the company's own."
    " No text runs as a formula: in CSV an apostrophe stands before one\nthat might, which the importer takes off"
    " again."
)


class ListExportViewSet(ResourceViewSet, abstract=True):
    """Exports a list in the answer; `list_export` makes the ViewSet of each source."""

    singleton = True
    source: ClassVar[Source]

    def answer(self, request: Request) -> FileResponse:
        params = request.query_params.copy()
        format = ([value for value in params.pop("format", ()) if value] or ["csv"])[-1]
        if format not in FORMATS:
            raise refuse("format", f"one of {', '.join(FORMATS)}")
        names = [name.strip() for name in ",".join(params.pop("columns", ())).split(",") if name.strip()]
        # Write the file before answering: a slow reader keeps no query open, and an error gets its own answer.
        target: Any = tempfile.TemporaryFile()  # noqa: SIM115  closed with the response
        try:
            export_now(self.source, actor=self.actor, params=params, names=names, format=format, target=target)
        except BaseException:
            target.close()
            raise
        target.seek(0)
        mime = FORMATS[format].mime
        response = FileResponse(
            target,
            content_type=f"{mime}; charset=utf-8" if mime.startswith("text/") else mime,
            as_attachment=True,
            filename=file_name(self.source.resource, format),
        )
        response["X-Content-Type-Options"] = "nosniff"
        response["Cache-Control"] = "private, no-store"
        return response


def list_export(source: Source) -> type[ListExportViewSet]:
    """Return the one ViewSet of both mounts that exports a list, under the same permission as the list."""
    listing = source.listing
    retrieve = endpoint(
        f"Export: {listing.summary[:1].lower()}{listing.summary[1:]}",
        raw=", ".join(format.mime for format in FORMATS.values()),
        parameters=(*PARAMETERS, *listing.parameters),
        errors=("InvalidRequest_400",),
        description=ABOUT,
        needs_subscription=listing.needs_subscription,
    )(lambda view, request: view.answer(request))
    name = source.resource.title().replace("/", "").replace("-", "")
    members = {"module": source.module, "source": source, "retrieve": retrieve}
    return type(f"{name}ExportViewSet", (ListExportViewSet,), members)


def _listed_exports(list_request: ListRequest) -> QuerySet[Export]:
    return readable_exports(list_request.actor)


class ExportViewSet(ResourceViewSet):
    module = "file"
    listing = Listing(
        "List exports",
        _listed_exports,
        EXPORT_FIELDS,
        ExportOut,
        description="Those of lists that the caller may read.",
    )

    @endpoint(
        "Export a list into a file",
        input=ExportCreate,
        output=ExportOut,
        quota_module="file",
        success="ExportCreated_201",
        errors=("InvalidInput_400", "InvalidRequest_400", "UnauthorizedAction_403"),
        description="A worker writes the list into a file of the file list, of any length; needs the right to read the"
        " list, too. What is exported is what matches when the worker begins. Exports and their files are deleted"
        " after EXPORT_DAYS (30).",
    )
    def create(self, request: Request, data: JsonObject) -> object:
        export = create_export(actor=self.actor, **data)
        return ExportOut.one(Export.objects.filter(pk=export.pk))

    @endpoint(
        "Delete exports",
        input=SelectionInput,
        output=Deleted,
        bulk=True,
        success="ExportsDeleted_200",
        errors=("NotFound_404",),
        description="Their files go to the recycle bin. One that is at work stops.",
    )
    def bulk_destroy(self, request: Request, data: JsonObject) -> object:
        deleted = delete_exports(
            exports=readable_exports(self.actor), selection=self.selection(), member_id=self.actor.member_id
        )
        return {"deletedCount": deleted}

    @endpoint("Read an export", output=ExportOut, errors=("NotFound_404",))
    def retrieve(self, request: Request, id: str) -> object:
        return self._export_data(id)

    @endpoint(
        "Cancel an export",
        input=ExportUpdate,
        output=ExportOut,
        success="ExportCancelled_200",
        errors=("NotFound_404", "InvalidRequest_400"),
        description="One that is at work stops after the piece that it is at, and is cancelled then.",
    )
    def update(self, request: Request, id: str, data: JsonObject) -> object:
        cancel_export(readable_exports(self.actor).filter(pk=id))
        return self._export_data(id)

    def _export_data(self, id: str) -> JsonObject:
        export = ExportOut.one(readable_exports(self.actor).filter(pk=id))
        if export is None:
            raise not_found()
        return export
