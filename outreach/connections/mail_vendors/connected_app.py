"""The specs of mail vendors as connected apps, one for each letter."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.db.models import QuerySet

from core.api.selection import SelectionInput
from outreach.connections.connected_apps.registry import AppOperation, Capability, ConnectedApp
from outreach.connections.connected_apps.turns import BUSY
from outreach.connections.mail_vendors import services
from outreach.connections.mail_vendors.filters import MAIL_APP_FIELDS
from outreach.connections.mail_vendors.models import MailApp
from outreach.connections.mail_vendors.registry import LETTERS, channel_of, letters
from outreach.connections.mail_vendors.serializers import MailAppOut, MailAppsDeleted, MailAppTest, forms

REFUSED = "InvalidCredentials_400"


def apps_of(letter: str) -> QuerySet[MailApp]:
    """Return the active company's apps of the letter."""
    return MailApp.objects.filter(letter=letter)


def mail_app(letter: str) -> ConnectedApp:
    """Return the spec of the app with the letter."""
    vendor = letters()[letter]
    key = channel_of(letter)
    create, change = forms(letter)
    return ConnectedApp(
        key=key,
        model=MailApp,
        rows=partial(apps_of, letter),
        fields=MAIL_APP_FIELDS,
        output=MailAppOut,
        secrets=services.SECRETS,
        capabilities=frozenset({Capability.SEND_MAIL}),
        not_found=partial(services.not_found, letter),
        list_summary=f"List {key} apps",
        retrieve_summary=f"Read a {key} app",
        create=AppOperation(
            summary=f"Connect a {key} app",
            run=partial(services.create_app, letter=letter),
            success="MailvendorConnected_201",
            input=create,
            errors=(BUSY, REFUSED, *vendor.connect_errors),
            description=vendor.connect_description.format(name=vendor.name),
        ),
        update=AppOperation(
            summary=f"Change a {key} app",
            run=partial(services.update_app, letter=letter),
            success="MailvendorChanged_200",
            input=change,
            errors=(BUSY, REFUSED, *vendor.connect_errors[:1]),
        ),
        delete=AppOperation(
            summary=f"Delete {key} apps",
            run=partial(services.delete_apps, letter=letter),
            success="MailvendorsDeleted_200",
            input=SelectionInput,
            output=MailAppsDeleted,
            errors=(services.nothing_selected(letter).name,),
            description="An app that runs or messages refer to is switched off instead, since the log needs it.",
        ),
        nothing_selected=services.nothing_selected(letter).name,
        test=AppOperation(
            summary=f"Test a {key} app",
            run=partial(services.check_app, letter=letter),
            success="MailvendorTested_200",
            output=MailAppTest,
            errors=(BUSY,),
            description="Asks the vendor whether it takes the key, without sending anything. A failed test answers 200"
            " with ok false. A company tests one app at a time.",
        ),
    )


def mail_apps() -> list[Any]:
    """Return the specs of all letters."""
    return [mail_app(letter) for letter in LETTERS]
