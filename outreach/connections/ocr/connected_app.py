"""The spec of OCR apps as connected apps."""

from __future__ import annotations

from core.api.output import Deleted
from core.api.selection import SelectionInput
from outreach.connections.connected_apps.defaults import CHOSEN
from outreach.connections.connected_apps.registry import AppOperation, Capability, ConnectedApp
from outreach.connections.connected_apps.turns import BUSY
from outreach.connections.ocr import services
from outreach.connections.ocr.filters import OCR_FIELDS
from outreach.connections.ocr.models import Ocr
from outreach.connections.ocr.serializers import OcrChange, OcrCreate, OcrOut, OcrTestOut

REFUSED = "InvalidCredentials_400"
OCR = ConnectedApp(
    key="ocr",
    model=Ocr,
    rows=Ocr.objects.all,
    fields=OCR_FIELDS,
    output=OcrOut,
    secrets=("key",),
    capabilities=frozenset({Capability.READ_PICTURES}),
    not_found=services.not_found,
    list_summary="List OCR apps",
    retrieve_summary="Read an OCR app",
    create=AppOperation(
        summary="Connect an OCR app",
        run=services.create_ocr,
        success="OcrConnected_201",
        input=OcrCreate,
        errors=(REFUSED, CHOSEN, BUSY),
        description="It reads the pictures of POST /contact/scan. Its key is tried with a small picture; where the"
        " provider does not answer, `warning` says so.",
    ),
    update=AppOperation(
        summary="Change an OCR app",
        run=services.update_ocr,
        success="OcrChanged_200",
        input=OcrChange,
        errors=(REFUSED, CHOSEN, BUSY),
    ),
    delete=AppOperation(
        summary="Delete OCR apps",
        run=services.delete_ocrs,
        success="OcrsDeleted_200",
        input=SelectionInput,
        output=Deleted,
        errors=("OcrNotFound_404",),
    ),
    nothing_selected="OcrNotFound_404",
    test=AppOperation(
        summary="Test an OCR app",
        run=services.check_ocr,
        success="OcrTested_200",
        output=OcrTestOut,
        errors=(BUSY,),
        description="Has it read a small picture. A failed test answers 200 with ok false.",
    ),
)
