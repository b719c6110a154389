"""The spec of SMTP senders as a connected app."""

from __future__ import annotations

from core.api.selection import SelectionInput
from outreach.connections.connected_apps.registry import AppOperation, Capability, ConnectedApp
from outreach.connections.connected_apps.turns import BUSY
from outreach.connections.senders import services
from outreach.connections.senders.filters import SMTP_FIELDS
from outreach.connections.senders.models import Smtp
from outreach.connections.senders.serializers import SmtpChange, SmtpCreate, SmtpDeleted, SmtpOut, SmtpTest

SMTP = ConnectedApp(
    key="smtp",
    model=Smtp,
    rows=Smtp.objects.all,
    fields=SMTP_FIELDS,
    output=SmtpOut,
    secrets=("password",),
    capabilities=frozenset({Capability.SEND_MAIL}),
    not_found=services.not_found,
    list_summary="List SMTP senders",
    retrieve_summary="Read an SMTP sender",
    create=AppOperation(
        summary="Connect an SMTP sender",
        run=services.create_sender,
        success="SmtpSenderConnected_201",
        input=SmtpCreate,
        errors=(BUSY,),
        description="The connection is tested at once, without sending; `verified` and `lastError` say what came of it."
        " A sender that has not passed the test sends nothing.",
    ),
    update=AppOperation(
        summary="Change an SMTP sender",
        run=services.update_sender,
        success="SmtpSenderChanged_200",
        input=SmtpChange,
        errors=(BUSY,),
    ),
    delete=AppOperation(
        summary="Delete SMTP senders",
        run=services.delete_senders,
        success="SmtpSendersDeleted_200",
        input=SelectionInput,
        output=SmtpDeleted,
        errors=("NoSMTPSelected_400",),
        description="A sender that runs or messages refer to is switched off instead, since the log needs it.",
    ),
    nothing_selected="NoSMTPSelected_400",
    test=AppOperation(
        summary="Test an SMTP sender",
        run=services.check_sender,
        success="SmtpSenderTested_200",
        output=SmtpTest,
        errors=(BUSY,),
        description="Connects, logs in and asks for the From address, without sending anything. A failed test answers"
        " 200 with ok false. A company tests one sender at a time.",
    ),
)
