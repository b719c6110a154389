"""The file formats of exports: one entry for each (docs/adding-an-export-format.md)."""

from __future__ import annotations

from crm.exports.formats.base import ExportFormat
from crm.exports.formats.csv import CsvFormat
from crm.exports.formats.xlsx import XlsxFormat

FORMATS: dict[str, ExportFormat] = {export_format.name: export_format for export_format in (CsvFormat(), XlsxFormat())}
"""Name -> format."""

__all__ = ["FORMATS", "ExportFormat"]
