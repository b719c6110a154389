"""The records that a person opened last in a browser, kept in its session for the palette."""

from __future__ import annotations

from django.http import HttpRequest

RECENT = "recent"
"""The key of the session: company -> [[name of the page, id of the record, title]], newest first."""
MAX_RECENT = 6
MAX_TITLE_LENGTH = 80


def remember(request: HttpRequest, company_id: str, page_name: str, record_id: str, title: str) -> None:
    """Put a record at the top of the company's recent records. The session is written only if they change."""
    records = recent_records(request, company_id)
    entry = (page_name, record_id, title[:MAX_TITLE_LENGTH])
    if records[:1] == [entry]:
        return
    others = [record for record in records if record[:2] != entry[:2]]
    request.session[RECENT] = {company_id: [entry, *others][:MAX_RECENT]}


def recent_records(request: HttpRequest, company_id: str) -> list[tuple[str, str, str]]:
    """Return (name of the page, id of the record, title) of the company's recent records."""
    entries = request.session.get(RECENT, {}).get(company_id, [])
    return [(name, record_id, title) for name, record_id, title in entries]
