"""The pages of forms and their submissions."""

from __future__ import annotations

from outreach.site.forms.pages import records, submissions

PAGES = [*records.PAGES, *submissions.PAGES]
