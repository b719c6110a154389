"""The kinds of records of outreach that the global search finds; a further one is a line here."""

from __future__ import annotations

from django.db.models import Value
from django.db.models.functions import Coalesce, Left, NullIf

from core.global_search import Kind, register_kind
from outreach.connections.mail_vendors.filters import MAIL_APP_FIELDS
from outreach.connections.mail_vendors.models import MailApp
from outreach.connections.senders.filters import SMTP_FIELDS
from outreach.connections.senders.models import Smtp
from outreach.messaging.inbox.filters import MAILBOX_FIELDS
from outreach.messaging.inbox.models import ImapMailbox
from outreach.runs.campaigns.filters import CAMPAIGN_FIELDS
from outreach.runs.campaigns.selectors import kept_campaigns
from outreach.runs.genie.filters import RUN_FIELDS
from outreach.runs.genie.selectors import kept_runs
from outreach.site.forms.filters import FORM_FIELDS
from outreach.site.forms.models import Form


def register_kinds() -> None:
    """Register the kinds; called when the app is ready."""
    run = [RUN_FIELDS.fields[name] for name in ("name", "prompt")]
    title = Coalesce(NullIf("name", Value("")), Left("prompt", 80))
    register_kind(Kind("genie", "genie", lambda actor: kept_runs(), run, title, Value(""), 30))
    campaign = [CAMPAIGN_FIELDS.fields[name] for name in ("name", "subject")]
    register_kind(Kind("campaign", "campaign", lambda actor: kept_campaigns(), campaign, "name", "subject", 35))
    form = [FORM_FIELDS.fields["name"]]
    register_kind(Kind("form", "lead", lambda actor: Form.objects.all(), form, "name", Value(""), 36))
    named = Coalesce(NullIf("name", Value("")), "from_email")
    sender = [SMTP_FIELDS.fields[name] for name in ("name", "fromEmail")]
    register_kind(Kind("smtp", "apps", lambda actor: Smtp.objects.all(), sender, named, "from_email", 80))
    app = [MAIL_APP_FIELDS.fields[name] for name in ("name", "fromEmail")]
    register_kind(Kind("mail-vendors", "apps", lambda actor: MailApp.objects.all(), app, named, "from_email", 81))
    mailbox = [MAILBOX_FIELDS.fields[name] for name in ("username", "host")]
    register_kind(Kind("imap", "apps", lambda actor: ImapMailbox.objects.all(), mailbox, "username", "host", 82))
