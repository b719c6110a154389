"""The pages of imports."""

from __future__ import annotations

from crm.imports.pages import runs, wizard

PAGES = [*runs.PAGES, *wizard.PAGES]
