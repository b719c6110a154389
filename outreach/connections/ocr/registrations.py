"""The registrations of scans of cards."""

from __future__ import annotations

from datetime import timedelta

from core.api.routes import protected
from core.jobs import JobWork, PeriodicTask, register
from outreach.connections.ocr.models import CardScan
from outreach.connections.ocr.privacy import register_tables
from outreach.connections.ocr.services import delete_scans_of_deleted_files
from outreach.connections.ocr.views import CardScanViewSet
from outreach.connections.ocr.worker import run

protected.register("contact/scan", CardScanViewSet)
register(JobWork("card-scan", run, model=CardScan, queue="bulk", task="outreach.scan_cards"))
register(PeriodicTask("card-scans", delete_scans_of_deleted_files, every=timedelta(hours=1)))
register_tables()
