"""The specs of messenger apps, and of accounts of the second social platform, as connected apps."""

from __future__ import annotations

from core.api.input import Input
from core.api.output import Output
from core.api.selection import SelectionInput
from core.lists import FieldSet, ListField
from outreach.connections.chat_apps.models import ChatApp
from outreach.connections.connected_apps.registry import AppOperation, Capability, ConnectedApp
from outreach.connections.connected_apps.turns import BUSY
from outreach.connections.direct_apps.serializers import (
    DirectDeleted,
    DirectTest,
    MessengerChange,
    MessengerCreate,
    MessengerOut,
    SocialBChange,
    SocialBCreate,
    SocialBOut,
)
from outreach.connections.direct_apps.services import (
    MESSENGERS,
    NO_ACCOUNT,
    NO_TOKEN,
    REFUSED,
    SECRETS,
    SOCIAL_B,
    DirectApps,
)


def _spec(
    apps: DirectApps,
    label: str,
    successes: str,
    forms: tuple[type[Input], type[Input], type[Output]],
    errors: tuple[str, ...] = (),
    description: str = "",
) -> ConnectedApp:
    create, change, output = forms
    id = "botId" if apps is MESSENGERS else "accountId"
    return ConnectedApp(
        key=apps.vendor,
        model=ChatApp,
        rows=apps.rows,
        fields=FieldSet(
            [
                ListField("_id", "id", "id", nullable=False),
                ListField("name", "text", "name", searchable=True, nullable=False),
                ListField(id, "text", "phone_number_id", searchable=True, nullable=False),
                ListField("username", "text", "display_number", searchable=True, nullable=False),
                ListField("verified", "boolean", "verified", nullable=False),
                ListField("isActive", "boolean", "is_active", nullable=False),
                ListField("createdBy", "id", "created_by_id"),
                ListField("createdAt", "date", "created_at", nullable=False),
                ListField("updatedAt", "date", "updated_at", nullable=False),
            ],
            default_search=("name", "username"),
        ),
        output=output,
        secrets=SECRETS,
        capabilities=frozenset({Capability.SEND_CHAT}),
        not_found=apps.not_found,
        list_summary=f"List {label}s",
        retrieve_summary=f"Read a {label}",
        create=AppOperation(
            summary=f"Connect a {label}",
            run=apps.create,
            success=f"{successes}Connected_201",
            input=create,
            errors=(BUSY, REFUSED, *errors),
            description=description,
        ),
        update=AppOperation(
            summary=f"Change a {label}",
            run=apps.update,
            success=f"{successes}Changed_200",
            input=change,
            errors=(BUSY, REFUSED, *errors),
        ),
        delete=AppOperation(
            summary=f"Delete {label}s",
            run=apps.delete,
            success=f"{successes}sDeleted_200",
            input=SelectionInput,
            output=DirectDeleted,
            errors=(apps.missing,),
            description="One that messages or conversations refer to is switched off instead, since the log needs it.",
        ),
        nothing_selected=apps.missing,
        test=AppOperation(
            summary=f"Test a {label}",
            run=apps.check,
            success=f"{successes}Tested_200",
            output=DirectTest,
            errors=(BUSY,),
            description="Asks whose the token is, and sends nothing. A failed test answers 200 with ok false.",
        ),
    )


MESSENGER = _spec(
    MESSENGERS,
    "messenger app",
    "MessengerApp",
    (MessengerCreate, MessengerChange, MessengerOut),
    description="A bot, by its token. The messenger is asked at once, and told where to tell what people write.",
)
SOCIAL_ACCOUNT = _spec(
    SOCIAL_B,
    "social account",
    "SocialBApp",
    (SocialBCreate, SocialBChange, SocialBOut),
    (NO_TOKEN, NO_ACCOUNT),
    "An account, by its access token. Enter webhookUrl and verifyToken at the platform, for `messages` and `comments`.",
)
