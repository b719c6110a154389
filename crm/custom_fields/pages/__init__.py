"""The pages of a company's own fields and sections."""

from __future__ import annotations

from crm.custom_fields.pages import fields, sections

PAGES = [*fields.PAGES, *sections.PAGES]
