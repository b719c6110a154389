"""Endpoints of the mails that members write to one person."""

from __future__ import annotations

from django.db.models import QuerySet
from rest_framework.decorators import action
from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.listing import Listing, ListRequest
from core.api.output import Deleted
from core.api.selection import SelectionInput
from core.api.viewsets import ResourceViewSet
from core.errors import PermissionLacking
from core.types import JsonObject
from outreach.connections.smtp.markup import html_from_text, page_of
from outreach.messaging.email_templates.views import check_sees_files
from outreach.messaging.personal_mail import services
from outreach.messaging.personal_mail.filters import MAIL_FIELDS
from outreach.messaging.personal_mail.models import PersonalMail
from outreach.messaging.personal_mail.selectors import choices_for, own_and_sent
from outreach.messaging.personal_mail.serializers import (
    MailChange,
    MailChoices,
    MailCreate,
    MailDetail,
    MailInput,
    MailOut,
    MailPreview,
)

NOT_FOUND = (services.NOT_FOUND,)
RECORDS = ("ContactNotFound_400", "LeadNotFound_400", "EmailTemplateNotFound_404", "FileNotFound_400")
SENT = (
    "NoSMTPSelected_400",
    services.REFUSED,
    "InvalidPayload_400",
    "InvalidVariables_400",
    "InvalidEmailTemplate_400",
)
ABOUT = (
    "It goes as all messages do, with the sender's limits and the plan's, at any hour. A suppressed or unsubscribed"
    " person is refused with the reason. Drafts are seen by their writers alone."
)


def _mails(request: ListRequest) -> QuerySet[PersonalMail]:
    return own_and_sent(request.actor.member_id)


class PersonalMailViewSet(ResourceViewSet):
    module = "genie"
    listing = Listing(
        "List the mails that members write to one person",
        _mails,
        MAIL_FIELDS,
        MailOut,
        description='One\'s own drafts, and what anybody has sent or scheduled. filters={"draft": true}: the drafts.',
    )

    @endpoint(
        "Write a mail to one person",
        input=MailCreate,
        output=MailDetail,
        success="PersonalMailWritten_201",
        errors=(*NOT_FOUND, *RECORDS, *SENT, "UnauthorizedAction_403"),
        description=ABOUT,
    )
    def create(self, request: Request, data: JsonObject) -> object:
        self._check_sees(data)
        return self._mail_data(services.write_mail(member_id=self.actor.member_id, **data))

    @endpoint("Read a mail to one person", output=MailDetail, errors=NOT_FOUND)
    def retrieve(self, request: Request, id: str) -> object:
        return self._mail_data(id)

    @endpoint(
        "Change a mail to one person",
        input=MailChange,
        output=MailDetail,
        success="PersonalMailChanged_200",
        errors=(*NOT_FOUND, services.FIXED, *RECORDS, *SENT, "UnauthorizedAction_403"),
        description="A draft, or one that waits. `draft: true` takes it back, `draft: false` sends it. One that goes or"
        " has gone is refused.",
    )
    def update(self, request: Request, id: str, data: JsonObject) -> object:
        self._check_sees(data)
        services.change_mail(id=id, member_id=self.actor.member_id, **data)
        return self._mail_data(id)

    @endpoint(
        "Delete drafts of mails to one person",
        input=SelectionInput,
        output=Deleted,
        bulk=True,
        success="PersonalMailDraftsDeleted_200",
        errors=NOT_FOUND,
        description="The actor's own drafts among the selected mails; the others stay.",
    )
    def bulk_destroy(self, request: Request, data: JsonObject) -> object:
        deleted = services.delete_drafts(member_id=self.actor.member_id, selection=self.selection())
        return {"deletedCount": deleted}

    @endpoint(
        "Delete a mail to one person",
        success="PersonalMailDeleted_200",
        errors=(*NOT_FOUND, services.FIXED),
        description="A draft, or one that waits, which does not go then.",
    )
    def destroy(self, request: Request, id: str) -> object:
        services.delete_mail(id=id, member_id=self.actor.member_id)
        return None

    @action(detail=False, methods=["post"])
    @endpoint(
        "Preview a mail to one person",
        input=MailInput,
        output=MailPreview,
        errors=(*NOT_FOUND, *RECORDS, *SENT, "UnauthorizedAction_403"),
        description="With the person's values and the signature, before it is saved.",
    )
    def preview(self, request: Request, data: JsonObject) -> object:
        self._check_sees(data)
        mail = services.preview_mail(**data)
        page = page_of(mail.html or html_from_text(mail.text), mail.subject)
        return {"subject": mail.subject, "text": mail.text, "html": page, "missing": list(mail.missing)}

    @action(detail=False)
    @endpoint(
        "Read the choices for a mail to one person",
        output=MailChoices,
        description="The senders that work, the first 200 templates by name, the newest 50 files, and the reader's"
        " signature.",
    )
    def choices(self, request: Request) -> object:
        return choices_for(self.actor)

    def _mail_data(self, id: str) -> JsonObject:
        mail = MailDetail.one(own_and_sent(self.actor.member_id).filter(pk=id))
        if mail is None:
            raise services.not_found()
        return mail

    def _check_sees(self, data: JsonObject) -> None:
        """Raise UnauthorizedAction_403 for a person or a template that the actor may not read, and FileNotFound_400."""
        needed = {"to": data["to"]["kind"]} if "to" in data else {}
        if data.get("template"):
            needed["template"] = "template"
        for field, module in needed.items():
            if not (self.actor.is_unbounded or self.actor.may(module, "GET")):
                raise PermissionLacking(f"{module}.GET", field=field)
        check_sees_files(self.actor, data.get("attachments", ()))
