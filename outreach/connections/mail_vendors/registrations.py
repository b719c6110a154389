"""The registrations of mail vendors."""

from __future__ import annotations

from django.db.models import Value
from django.db.models.functions import Coalesce, NullIf

from core.api.routes import protected
from core.global_search import Kind, register_kind
from core.text.labels.providers import provider_names
from crm.privacy.registry import register_last_errors
from outreach.connections.mail_vendors.filters import MAIL_APP_FIELDS
from outreach.connections.mail_vendors.models import MailApp
from outreach.connections.mail_vendors.registry import VENDORS, channel_of, letters
from outreach.connections.mail_vendors.views import MailVendorViewSet, login_viewset

protected.register("mail-vendors", MailVendorViewSet)
for letter, vendor in letters().items():
    if vendor.login:
        protected.register(f"apps/{channel_of(letter)}/authorize", login_viewset(letter))


@provider_names.connect
def _names() -> dict[str, str]:
    """Return the names of vendors by their keys, and by the channels that have their letters."""
    names = {key: vendor.name for key, vendor in VENDORS.items()}
    return names | {channel_of(letter): vendor.name for letter, vendor in letters().items()}


name = Coalesce(NullIf("name", Value("")), "from_email")
register_kind(
    Kind(
        "mail-vendors",
        "apps",
        lambda actor: MailApp.objects.all(),
        MAIL_APP_FIELDS.pick("name", "fromEmail"),
        name,
        "from_email",
        81,
    )
)
register_last_errors("mailVendorErrors", MailApp)
