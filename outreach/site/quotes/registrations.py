"""The registrations of quotes."""

from __future__ import annotations

from datetime import timedelta

from accounts.settings.notices import register_notice
from core.api.routes import protected
from core.global_search import Kind, register_kind
from core.jobs import PeriodicTask, register
from crm.exports.lists import register_source
from crm.saved_views.lists import ViewedList, keep_views_of
from outreach.site.quotes.answers import ACCEPTED, DECLINED, expire_quotes
from outreach.site.quotes.filters import QUOTE_FIELDS
from outreach.site.quotes.privacy import register_tables
from outreach.site.quotes.selectors import live_quotes
from outreach.site.quotes.services import purge_quotes
from outreach.site.quotes.views import QuoteSettingsViewSet, QuoteViewSet

protected.register("quote/settings", QuoteSettingsViewSet)
protected.register("quote", QuoteViewSet)
register_source("quote", QuoteViewSet)
register_notice(ACCEPTED)
register_notice(DECLINED)
keep_views_of("quote", ViewedList("lead", QUOTE_FIELDS))
register(PeriodicTask("expired quotes", expire_quotes, every=timedelta(minutes=5)))
register(PeriodicTask("quotes", purge_quotes, every=timedelta(hours=1)))
register_tables()
register_kind(
    Kind(
        "quote",
        "lead",
        lambda actor: live_quotes(),
        QUOTE_FIELDS.pick("number", "title", "contact.name"),
        "title",
        "number",
        25,
    )
)
