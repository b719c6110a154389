"""The pages of imports."""

from __future__ import annotations

from core.web.pages import Page
from crm.imports.pages import columns, runs, wizard

PAGES: list[type[Page]] = [*runs.PAGES, *wizard.PAGES, *columns.PAGES]
