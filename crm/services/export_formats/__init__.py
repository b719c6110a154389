"""What files lists can be exported as: one entry for each format (docs/adding-an-export-format.md)."""

from __future__ import annotations

from crm.services.export_formats.base import ExportFormat
from crm.services.export_formats.csv import CsvFormat
from crm.services.export_formats.xlsx import XlsxFormat

FORMATS: dict[str, ExportFormat] = {made.name: made for made in (CsvFormat(), XlsxFormat())}
"""Name -> format."""

__all__ = ["FORMATS", "ExportFormat"]
