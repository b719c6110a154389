"""The pages of imports."""

from __future__ import annotations

from crm.imports.pages import columns, runs, wizard

PAGES: list[type[Page]] = [*runs.PAGES, *wizard.PAGES, *columns.PAGES]
