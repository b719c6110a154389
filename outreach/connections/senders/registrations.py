"""The registrations of senders."""

from __future__ import annotations

from django.db.models import Value
from django.db.models.functions import Coalesce, NullIf

from core.global_search import Kind, register_kind
from crm.privacy.registry import register_last_errors
from outreach.connections.senders.filters import SMTP_FIELDS
from outreach.connections.senders.models import Smtp

name = Coalesce(NullIf("name", Value("")), "from_email")
register_kind(
    Kind(
        "smtp", "apps", lambda actor: Smtp.objects.all(), SMTP_FIELDS.pick("name", "fromEmail"), name, "from_email", 80
    )
)
register_last_errors("senderErrors", Smtp)
