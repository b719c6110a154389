"""The leads of deleted contacts: a new contact with the unique key of a deleted one takes them over."""

from __future__ import annotations

from collections.abc import Mapping

import orjson
from django.db import connection
from django.utils import timezone

from core.events import emit

# Locks the leads in the order of their ids, as all bulk changes of leads do.
TAKE_OVER = """
UPDATE crm_lead l SET contact_id = old.heir, updated_at = %s, updated_by_id = coalesce(%s, l.updated_by_id)
FROM (
    SELECT r.id, r.contact_id, given.heir
    FROM json_to_recordset(%s::json) AS given (gone text, heir text) JOIN crm_lead r ON r.contact_id = given.gone
    WHERE r.company_id = current_setting('app.company') AND NOT r.is_deleted ORDER BY r.id FOR NO KEY UPDATE OF r
) AS old
WHERE l.id = old.id RETURNING l.id, old.contact_id, old.heir
"""


def take_over_leads(heirs: Mapping[str, str], actor_id: str | None, automation: bool) -> None:
    """Move the live leads of deleted contacts to their heirs, in the caller's transaction. Emits lead.updated."""
    rows = [{"gone": gone, "heir": heir} for gone, heir in heirs.items()]
    with connection.cursor() as cursor:
        cursor.execute(TAKE_OVER, [timezone.now(), actor_id, orjson.dumps(rows).decode()])
        moved = {id: {"changes": {"contact": {"from": gone, "to": heir}}} for id, gone, heir in cursor.fetchall()}
    emit("lead.updated", sorted(moved), payloads=moved, actor_id=actor_id, automation=automation)
