"""Endpoints of the scans of cards."""

from __future__ import annotations

from rest_framework.decorators import action
from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.viewsets import ResourceViewSet
from core.errors import NamedError
from core.types import JsonObject
from crm.files.selectors import readable_files
from outreach.connections.ocr.models import CardScan
from outreach.connections.ocr.serializers import ReaderOut, ScanInput, ScanOut
from outreach.connections.ocr.services import is_gone, readers, start_scan


class CardScanViewSet(ResourceViewSet):
    """Scans of cards: part of making contacts."""

    module = "contact"

    @endpoint(
        "Scan a business card",
        input=ScanInput,
        output=ScanOut,
        success="CardScanStarted_201",
        errors=("OcrNotFound_404", "FileNotFound_400", "UnsupportedFileType_400"),
        description="A worker reads the picture; ask for the scan until its status is completed or failed. `formData`"
        " then has what POST /contact takes: nothing is saved by itself. A field that was read less surely than the"
        " app's `confidence` is left empty, with a note.",
    )
    def create(self, request: Request, data: JsonObject) -> object:
        scan = start_scan(
            files=readable_files(self.actor),
            file_id=data["file_id"],
            ocr_id=data.get("ocr"),
            member_id=self.actor.member_id,
        )
        return ScanOut.one(CardScan.objects.filter(pk=scan.pk))

    @action(detail=False, methods=["get"])
    @endpoint(
        "Say what reads cards",
        output=ReaderOut,
        description="Without an app that is switched on POST /contact/scan is refused (OcrNotFound_404).",
    )
    def reader(self, request: Request) -> object:
        app = readers().first()
        return {"name": app.name if app is not None else ""}

    @endpoint("Read a scan of a business card", output=ScanOut, errors=("NotFound_404",))
    def retrieve(self, request: Request, id: str) -> object:
        scan = ScanOut.one(CardScan.objects.filter(pk=id, file__in=readable_files(self.actor)))
        if scan is None:
            raise NamedError("NotFound_404", "there is no such scan in this company", field="id")
        if scan["status"] == CardScan.Status.FAILED:
            self.page_notes = {"gone": is_gone(CardScan.objects.select_related("file", "ocr").get(pk=id))}
        return scan
