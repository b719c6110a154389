"""Endpoints of templates of mails (contract 4.12), and the preview of one (4.5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter
from rest_framework.decorators import action
from rest_framework.request import Request

from core.access import Actor
from core.access.attempts import Limit
from core.api.endpoint import endpoint
from core.api.listing import Listing, ListRequest, list_action
from core.api.output import Deleted
from core.api.viewsets import ResourceViewSet
from core.errors import InvalidFormat, NamedError, PermissionLacking, renamed_fields
from core.ids import is_id
from core.types import JsonObject, Values
from crm.files.selectors import readable_files
from outreach.connections.connected_apps.turns import BUSY, connection_test_slot
from outreach.connections.mail_vendors.registry import LETTERS
from outreach.connections.mail_vendors.services import nothing_selected
from outreach.connections.smtp.markup import html_from_text, page_of
from outreach.messaging.delivery.attachments import list_files
from outreach.messaging.email_templates import services
from outreach.messaging.email_templates.designs.blocks import VERSION, Design, parts_of
from outreach.messaging.email_templates.designs.brands import brand_of_company
from outreach.messaging.email_templates.designs.ready import ready_templates
from outreach.messaging.email_templates.filters import TEMPLATE_FIELDS, VERSION_FIELDS
from outreach.messaging.email_templates.models import EmailTemplate, EmailTemplateVersion
from outreach.messaging.email_templates.rendering import Rendered
from outreach.messaging.email_templates.serializers import (
    DesignCatalogue,
    PreviewInput,
    ReadyInput,
    SpamCheck,
    TemplateCreate,
    TemplateDelete,
    TemplateOut,
    TemplatePreview,
    TemplateUpdate,
    TrialInput,
    VersionOut,
    VersionRestore,
    WordsPreview,
)
from outreach.messaging.email_templates.spam_checks import check_mail
from outreach.messaging.email_templates.trials import OTHERS, TYPES, send_trial

SPAM_CHECKS = Limit("spam-checks", 60, 3600)
"""Checks of a member."""
NOT_FOUND = ("EmailTemplateNotFound_404",)
FILES = ("FileNotFound_400", "UnauthorizedAction_403")
REFUSED = ("TemplateNameAlreadyExists_400", "InvalidVariables_400", "InvalidEmailTemplate_400", *FILES)
TYPE = OpenApiParameter(
    "type", str, OpenApiParameter.PATH, enum=(*TYPES, "chatapp"), description="What kind of sender it goes by."
)
CONTACT = OpenApiParameter("contactId", str, description="Whose values it gets; without it the placeholders stay.")


def _template_data(id: str) -> JsonObject:
    template = TemplateOut.one(EmailTemplate.objects.filter(pk=id))
    if template is None:
        raise services.not_found("id")
    return template


def _versions(request: ListRequest) -> QuerySet[EmailTemplateVersion]:
    return EmailTemplateVersion.objects.filter(template=services.get_template(request.path["id"]))


class EmailTemplateViewSet(ResourceViewSet):
    module = services.MODULE
    listing = Listing("List email templates", EmailTemplate.objects.all, TEMPLATE_FIELDS, TemplateOut)

    @endpoint(
        "Create an email template",
        input=TemplateCreate,
        output=TemplateOut,
        success="TemplateCreated_201",
        errors=REFUSED,
        quota_module=services.MODULE,
    )
    def create(self, request: Request, data: JsonObject) -> object:
        check_sees_files(self.actor, data.get("attachments", ()))
        check_sees_pictures(self.actor, data)
        return _template_data(services.create_template(member_id=self.actor.member_id, **data).pk)

    @endpoint("Read an email template", output=TemplateOut, errors=NOT_FOUND)
    def retrieve(self, request: Request, id: str) -> object:
        return _template_data(id)

    @endpoint(
        "Update an email template",
        input=TemplateUpdate,
        output=TemplateOut,
        success="TemplateUpdated_200",
        errors=(*NOT_FOUND, *REFUSED),
        description="Runs that have begun keep the words that they began with.",
    )
    def update(self, request: Request, id: str, data: JsonObject) -> object:
        if data.get("attachments"):
            check_sees_files(self.actor, data["attachments"], services.get_template(id).attachments)
        if data.get("design"):
            check_sees_pictures(self.actor, data, services.get_template(id).design)
        services.update_template(id=id, member_id=self.actor.member_id, **data)
        return _template_data(id)

    @endpoint(
        "Delete email templates",
        input=TemplateDelete,
        output=Deleted,
        bulk=True,
        success="TemplatesDeleted_200",
        errors=NOT_FOUND,
        description="What has begun keeps its words; `warning` names campaigns that have not, and lack theirs now.",
    )
    def bulk_destroy(self, request: Request, data: JsonObject) -> object:
        deleted, campaigns = services.delete_templates(selection=self.selection())
        warning = {"warning": f"ids: {campaigns} cannot begin without other words"} if campaigns else {}
        return self.success({"deletedCount": deleted}, **warning)

    versions = list_action(
        Listing("List the versions of an email template", _versions, VERSION_FIELDS, VersionOut, errors=NOT_FOUND),
        url_path="versions",
        detail=True,
    )

    @action(detail=True, methods=["post"])
    @endpoint(
        "Give an email template the words of a version",
        input=VersionRestore,
        output=TemplateOut,
        success="TemplateUpdated_200",
        errors=(*NOT_FOUND, *REFUSED),
        description="As a new version. The last 50 are kept.",
    )
    def restore(self, request: Request, id: str, data: JsonObject) -> object:
        services.restore_version(id=id, member_id=self.actor.member_id, number=data["version"])
        return _template_data(id)

    @action(detail=False, url_path="design")
    @endpoint(
        "Read what designs of emails are made of",
        output=DesignCatalogue,
        description="The JSON Schema of a design, the company's look, and ready templates.",
    )
    def design(self, request: Request) -> object:
        return {
            "version": VERSION,
            "schema": Design.model_json_schema(),
            "brand": asdict(brand_of_company()),
            "ready": list(ready_templates()),
        }

    @action(detail=False, methods=["post"], url_path="ready")
    @endpoint(
        "Create an email template from a ready one",
        input=ReadyInput,
        output=TemplateOut,
        success="TemplateCreated_201",
        errors=("InvalidEmailTemplate_400",),
        quota_module=services.MODULE,
        description="Under its name, or the next free one.",
    )
    def create_ready(self, request: Request, data: JsonObject) -> object:
        return _template_data(services.create_ready_template(member_id=self.actor.member_id, **data).pk)

    @action(detail=True, methods=["post"])
    @endpoint(
        "Duplicate an email template",
        output=TemplateOut,
        success="TemplateCreated_201",
        errors=(*NOT_FOUND, *REFUSED),
        quota_module=services.MODULE,
        description="Under the next free name.",
    )
    def duplicate(self, request: Request, id: str) -> object:
        return _template_data(services.duplicate_template(id=id, member_id=self.actor.member_id).pk)

    @action(detail=False, methods=["post"], url_path="check")
    @endpoint(
        "Check an email for signs of spam",
        input=PreviewInput,
        output=SpamCheck,
        errors=("InvalidVariables_400", "InvalidEmailTemplate_400", "ContactNotFound_400", BUSY, *FILES),
        limited=True,
        description="By SpamAssassin where the service's machine has it, and by checks of its own; at most 60 an hour"
        " of a member. By session a contact takes contact.GET.",
    )
    def check(self, request: Request, data: JsonObject) -> object:
        contact = data.pop("contact_id", None)
        check_sees_contact(self.actor, contact)
        check_sees_pictures(self.actor, data)
        data.pop("attachments", ())
        SPAM_CHECKS.count(self.actor.member_id)
        compiled, mail = services.preview_words(contact_id=contact, **data)
        with connection_test_slot():
            return check_mail(compiled, mail, data["subject"], size_of(mail)).as_json()

    @action(detail=False, methods=["post"], url_path="preview")
    @endpoint(
        "Preview the words of an email template",
        input=PreviewInput,
        output=WordsPreview,
        errors=("InvalidVariables_400", "InvalidEmailTemplate_400", "ContactNotFound_400", *FILES),
        description="Before they are saved. By session a contact takes contact.GET.",
    )
    def preview_words(self, request: Request, data: JsonObject) -> object:
        contact = data.pop("contact_id", None)
        check_sees_contact(self.actor, contact)
        files = data.pop("attachments", ())
        check_sees_files(self.actor, files)
        check_sees_pictures(self.actor, data)
        compiled, mail = services.preview_words(contact_id=contact, **data)
        return shown_mail(mail, compiled.links, list_files(files))

    @action(detail=True, url_path="preview")
    @endpoint(
        "Preview an email template",
        output=TemplatePreview,
        errors=(*NOT_FOUND, "ContactNotFound_400", "UnauthorizedAction_403"),
        parameters=(CONTACT,),
        description="The mail that it makes. By session a contact takes contact.GET.",
    )
    def preview(self, request: Request, id: str) -> object:
        return _preview(self, id)


class TemplatePreviewViewSet(ResourceViewSet):
    module = "genie"
    lookup_url_kwarg = "templateId"

    @endpoint(
        "Preview the email template of an outreach",
        output=TemplatePreview,
        errors=(*NOT_FOUND, "ContactNotFound_400", "UnauthorizedAction_403"),
        parameters=(CONTACT,),
        description="The mail that a follow-up makes of it. By session a contact takes contact.GET.",
    )
    def retrieve(self, request: Request, templateId: str) -> object:
        return _preview(self, templateId)


class ReadyTemplateViewSet(ResourceViewSet):
    module = services.MODULE
    lookup_url_kwarg = "key"

    @endpoint(
        "Preview a ready email template",
        output=WordsPreview,
        errors=("InvalidEmailTemplate_400",),
        description="In the company's look, with the values of a made-up contact.",
    )
    def retrieve(self, request: Request, key: str) -> object:
        compiled, mail = services.preview_ready_template(key)
        return shown_mail(mail, compiled.links, ())


NO_APP = tuple(dict.fromkeys(nothing_selected(letter).name for letter in LETTERS))


class TrialViewSet(ResourceViewSet):
    module = "campaign"
    lookup_url_kwarg = "type"

    @endpoint(
        "Send a test of a template",
        parameters=(TYPE,),
        input=TrialInput,
        output=WordsPreview,
        success="TestEmailSent_200",
        limited=True,
        errors=(
            *("UnsupportedCampaignType_400", "NoRecipientsSpecified_400", "NoSMTPSelected_400", BUSY, *NO_APP),
            *("EmailTemplateNotFound_404", "InvalidEmailTemplate_400", "InvalidVariables_400", "ContactNotFound_400"),
            *("EmailSendingFailed_500", *FILES),
            *("ChatAppTemplateNotFound_404", "InvalidChatAppTemplate_400", "NoMessagesSent_400"),
        ),
        description="To members of the company alone, at most 20 an hour. The"
        " subject gets a mark; the mail counts for no limit, is in no log, and has no link to unsubscribe. By session a"
        " contact takes contact.GET, and a template template.GET. By chatapp templateId is an approved chat"
        " template, which goes to the number of the contact that has the member's address.",
    )
    def create(self, request: Request, type: str, data: JsonObject) -> object:
        contact = data.pop("contact_id", None)
        check_sees_contact(self.actor, contact)
        if data.get("template_id") is not None and not self.actor.may("template", "GET"):
            raise PermissionLacking("template.GET", field="templateId")
        if type in OTHERS:
            return shown_mail(self._other(type, contact, data), (), ())
        files = data.pop("attachments", ())
        check_sees_files(self.actor, files)
        check_sees_pictures(self.actor, data)
        mail, sent_files = send_trial(
            type=type,
            recipients=data.pop("to"),
            template_id=data.pop("template_id", None),
            smtp_id=data.pop("smtp", None),
            words=data,
            contact_id=contact,
            attachments=files,
            member_id=self.actor.member_id,
        )
        return shown_mail(mail, (), list_files(sent_files))

    def _other(self, type: str, contact: str | None, data: JsonObject) -> Rendered:
        send = OTHERS[type]
        return send(
            recipients=data["to"],
            template_id=data.get("template_id"),
            contact_id=contact,
            member_id=self.actor.member_id,
        )


def _preview(view: ResourceViewSet, id: str) -> JsonObject:
    template, mail = services.preview_template(id=id, contact_id=asked_contact(view))
    return {
        "_id": template.pk,
        "name": template.name,
        **shown_mail(mail, template.links, list_files(template.attachments)),
    }


def asked_contact(view: ResourceViewSet) -> str | None:
    """Return the contact that the query names. Raises InvalidFormat, and UnauthorizedAction_403."""
    contact = view.request.query_params.get("contactId")
    if contact is not None and not is_id(contact):
        raise InvalidFormat("contactId", contact, "an id is 24 hex characters")
    check_sees_contact(view.actor, contact)
    return contact


def check_sees_contact(actor: Actor, contact: str | None) -> None:
    """Raise UnauthorizedAction_403 for a contact that the actor may not read."""
    if contact is not None and not (actor.is_unbounded or actor.may("contact", "GET")):
        raise PermissionLacking("contact.GET", field="contactId")


def check_sees_files(actor: Actor, ids: Iterable[str], before: Iterable[str] = ()) -> None:
    """Raise for a file that the actor may not read, unless the template has it already."""
    new = set(ids) - set(before)
    if not new:
        return
    if not (actor.is_unbounded or actor.may("file", "GET")):
        raise PermissionLacking("file.GET", field="attachments")
    if hidden := new - set(readable_files(actor).filter(pk__in=new).values_list("pk", flat=True)):
        raise NamedError("FileNotFound_400", f"there is no file {min(hidden)} in this company", field="attachments")


def check_sees_pictures(actor: Actor, data: Values, before: Values | None = None) -> None:
    """Raise for a picture of a design that the actor may not read, unless the template has it already."""
    pictures = {part["file"] for part in parts_of(data.get("design")) if isinstance(part.get("file"), str)}
    known = {part["file"] for part in parts_of(before) if part.get("file")}
    with renamed_fields({"attachments": "design"}):
        check_sees_files(actor, filter(is_id, pictures), known)


def size_of(mail: Rendered) -> int:
    """Return the bytes of the page of a mail."""
    return len(page_of(mail.html or html_from_text(mail.text), mail.subject).encode())


def shown_mail(mail: Rendered, links: Iterable[str], attachments: Sequence[Values]) -> JsonObject:
    """Return a mail as WordsPreview has it."""
    html = page_of(mail.html or html_from_text(mail.text), mail.subject)
    return {
        "subject": mail.subject,
        "text": mail.text,
        "html": html,
        "missing": list(mail.missing),
        "links": list(links),
        "attachments": list(attachments),
        "size": len(html.encode()),
    }
