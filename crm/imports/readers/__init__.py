"""Readers of import files: `open_table()` for the rows, `propose_mapping()` for the meaning of the columns."""

from crm.imports.readers.base import Cell, ReaderError, Row, RowError, Table
from crm.imports.readers.mapping import FieldSpec, propose_mapping
from crm.imports.readers.opening import open_table

__all__ = ["Cell", "FieldSpec", "ReaderError", "Row", "RowError", "Table", "open_table", "propose_mapping"]
