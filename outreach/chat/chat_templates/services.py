"""Use cases of templates of chat messages: written here, approved by the chat vendor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from time import monotonic
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from core.access import reserve_quota
from core.errors import DuplicateField, NamedError
from core.jobs.registry import Moment
from core.lists import BulkSelection
from core.tenancy import company_scope, unscoped
from core.types import JsonObject, Values
from crm.contacts.selectors import live_contacts
from crm.files.models import File
from crm.files.stores import open_content
from outreach.chat.chat_templates.values import Filled, check_variables, fill, values_for
from outreach.connections.chat_apps.checks import INVALID, check_template
from outreach.connections.chat_apps.client import ChatClient, ChatFailed
from outreach.connections.chat_apps.models import ChatApp, ChatTemplate
from outreach.connections.chat_apps.services import get_app
from outreach.connections.connected_apps.turns import connection_test_slot
from outreach.connections.smtp.outcome import SmtpError
from outreach.messaging.email_templates.rendering import ValueReader
from outreach.messaging.email_templates.services import contact_of

MODULE = "template"
NOT_FOUND = "ChatAppTemplateNotFound_404"
FIXED = ("name", "category", "language")
"""Fields of an approved template that cannot change."""
WORDS = ("name", "category", "language", "components")
Status = ChatTemplate.Status
KNOWN = {
    "APPROVED": Status.APPROVED,
    "PENDING": Status.PENDING,
    "IN_APPEAL": Status.PENDING,
    "REJECTED": Status.REJECTED,
    "PAUSED": Status.PAUSED,
    "FLAGGED": Status.APPROVED,
    "REINSTATED": Status.APPROVED,
    "DISABLED": Status.DISABLED,
    "PENDING_DELETION": Status.DISABLED,
    "DELETED": Status.DISABLED,
    "LIMIT_EXCEEDED": Status.DISABLED,
}
"""The vendor's status -> ours."""
SYNC_EVERY = timedelta(hours=1)
HANDLED = {"image/jpeg", "image/png", "video/mp4", "application/pdf"}
MAX_BYTES = 16 * 1024 * 1024


def not_found(parameter: str = "id") -> NamedError:
    """Return the error for an id that belongs to no chat template of the company."""
    return NamedError(NOT_FOUND, "there is no such chat template in this company", field=parameter)


def get_template(id: str, parameter: str = "id") -> ChatTemplate:
    """Return the company's template with this id. Raises ChatAppTemplateNotFound_404."""
    template: ChatTemplate | None = ChatTemplate.objects.select_related("app").filter(pk=id).first()
    if template is None:
        raise not_found(parameter)
    return template


@transaction.atomic
def create_template(*, member_id: str, app: str, **values: Any) -> ChatTemplate:
    """Create a template, which is not approved yet.

    Raises ChatAppNotFound_404, InvalidChatAppTemplate_400, ButtonTextTooLong_400 and ButtonExampleRequired_400. Raises
    InvalidVariables_400, DuplicateField and PlanLimitExceeded_403.
    """
    reserve_quota(MODULE)
    template = ChatTemplate(app=get_app(app, "app"), created_by_id=member_id, updated_by_id=member_id, **values)
    return _save(template)


@transaction.atomic
def update_template(*, id: str, member_id: str, **values: Any) -> ChatTemplate:
    """Change a template. New content must be approved again, and is not sent before.

    Raises ChatAppTemplateNotFound_404, and the errors of create_template. Raises CannotUpdateApprovedTemplate_400 for
    name, category or language of one that the vendor has approved.
    """
    template = ChatTemplate.objects.select_for_update(of=("self",)).filter(pk=id).first()
    if template is None:
        raise not_found()
    if "app" in values:
        app_id = values.pop("app")
        if app_id != template.app_id:
            raise NamedError(INVALID, "leave it as it is; a template never moves", field="app")
    changed = [name for name in WORDS if name in values and values[name] != getattr(template, name)]
    if fixed := [name for name in changed if name in FIXED and _was_approved(template)]:
        raise NamedError(
            "CannotUpdateApprovedTemplate_400", "the vendor has approved it; write another one", field=fixed[0]
        )
    for name, value in values.items():
        setattr(template, name, value)
    if changed:
        template.status = Status.DRAFT
        template.rejected_reason = ""
    template.updated_by_id = member_id
    return _save(template)


def _was_approved(template: ChatTemplate) -> bool:
    approved = (Status.APPROVED, Status.PAUSED, Status.DISABLED)
    return template.status in approved or (template.status == Status.DRAFT and template.vendor_id != "")


def _save(template: ChatTemplate) -> ChatTemplate:
    check_template(name=template.name, language=template.language, components=template.components)
    check_variables(template.components, template.variables)
    try:
        with transaction.atomic():
            template.save()
    except IntegrityError as error:
        if "name_unique" not in str(error):
            raise
        raise DuplicateField("name", "the app has a template of this name in this language") from None
    return template


def submit_template(*, id: str, member_id: str) -> ChatTemplate:
    """Ask the vendor to approve a template as it is now. An answer that is lost is found again within the hour.

    Raises ChatAppTemplateNotFound_404, InvalidChatAppTemplate_400 for one that is submitted, or that the vendor
    refuses, and ConnectionTestRunning_429.
    """
    template = get_template(id)
    if template.status not in (Status.DRAFT, Status.REJECTED):
        raise NamedError(INVALID, f"it is {template.status.lower()} already", field="id")
    seen = template.updated_at
    fields = {name: getattr(template, name) for name in ("name", "language", "category", "components")}
    values: JsonObject = {"status": Status.PENDING, "rejected_reason": ""}
    with connection_test_slot():
        try:
            client = ChatClient.for_app(template.app)
            if template.vendor_id:
                client.change_template(template.vendor_id, {"components": template.components})
            else:
                answer = client.create_template(fields)
                values |= {"vendor_id": _text(answer, "id", 40), "status": _status(answer, Status.PENDING)}
        except SmtpError as error:
            raise NamedError(INVALID, error.detail, field="app") from None
        except ChatFailed as failed:
            raise NamedError(INVALID, f"the vendor does not take it: {failed.detail}", field="id") from None
    now = timezone.now()
    rows = ChatTemplate.objects.filter(pk=id, updated_at=seen)
    if not rows.update(updated_by_id=member_id, updated_at=now, **values):
        # A concurrent edit won: the vendor has the previous text.
        ChatTemplate.objects.filter(pk=id, vendor_id="").update(vendor_id=values.get("vendor_id", ""))
    return get_template(id)


def delete_templates(*, selection: BulkSelection) -> int:
    """Delete the selected templates, at the vendor too. Queued messages with one of them are not sent.

    Raises ChatAppTemplateNotFound_404 when ids name none, and InvalidChatAppTemplate_400 if the vendor refuses.
    """
    templates = list(selection.apply(ChatTemplate.objects.select_related("app"))[:MAX_DELETED])
    if not templates and not selection.everything:
        raise NamedError(NOT_FOUND, "none of them is a chat template of this company", field="ids")
    deleted = 0
    for template in templates:
        if template.vendor_id and template.app.is_active:
            try:
                ChatClient.for_app(template.app).delete_template(template.name, template.vendor_id)
            except SmtpError:
                pass  # nobody can be asked with this token any more
            except ChatFailed as failed:
                if not (failed.refused or failed.error):
                    raise NamedError(INVALID, f"the vendor could not be asked: {failed.detail}", field="ids") from None
        deleted += ChatTemplate.objects.filter(pk=template.pk).delete()[1].get(ChatTemplate._meta.label, 0)
    return deleted


MAX_DELETED = 100


def preview_template(*, id: str, contact_id: str | None, values: Mapping[str, str] | None = None) -> Filled:
    """Return a template with the values of a contact; without one its variables stay.

    Raises ChatAppTemplateNotFound_404 and ContactNotFound_400.
    """
    template = get_template(id)
    if contact_id is None:
        return fill(template, values or {})
    return fill(template, values_for(template, contact_of(contact_id), ValueReader.load(), values))


def preview_words(
    *, components: Sequence[Any], variables: Values, contact_id: str | None, name: str = "preview"
) -> tuple[ChatTemplate, Filled]:
    """Return unsaved text as a template that is never stored, filled with the values of a contact.

    Raises the errors of create_template for the text, and ContactNotFound_400.
    """
    check_template(name=name, language="en", components=components)
    check_variables(components, variables)
    template = ChatTemplate(name=name, language="en", components=list(components), variables=dict(variables))
    if contact_id is None:
        return template, fill(template, {})
    contact = live_contacts().filter(pk=contact_id).first()
    if contact is None:
        raise NamedError("ContactNotFound_400", "there is no such contact in this company", field="contactId")
    return template, fill(template, values_for(template, contact, ValueReader.load()))


def header_handle(*, app: str, file: File) -> str:
    """Give a file to the vendor for the headers of templates. Returns its handle, which the file keeps.

    Raises ChatAppNotFound_404, UnsupportedFileType_400, FileUploadFailed_400, ConnectionTestRunning_429.
    """
    chat_app = get_app(app, "app")
    if file.mime not in HANDLED:
        raise NamedError(
            "UnsupportedFileType_400", f"choose a file of the type {', '.join(sorted(HANDLED))}", field="file"
        )
    if file.size > MAX_BYTES:
        raise NamedError("FileUploadFailed_400", "choose a file of at most 16 MB", field="file")
    if not chat_app.app_id:
        raise NamedError("FileUploadFailed_400", "enter the App ID of the chat app first", field="app")
    try:
        with open_content(file) as opened:
            content = opened.read(MAX_BYTES + 1)
    except OSError:
        raise NamedError("FileNotFound_400", "choose another file; this one is damaged", field="file") from None
    with connection_test_slot():
        try:
            handle = ChatClient.for_app(chat_app).header_handle(content, file.mime)
        except (SmtpError, ChatFailed) as error:
            raise NamedError("FileUploadFailed_400", error.detail, field="app") from None
    File.objects.filter(pk=file.pk).update(chatapp_handle=handle[:200])
    return handle


def apply_status(app: ChatApp, update: Values) -> None:
    """Write the status of a template from the vendor's webhook. A draft is not touched: its content is not the
    vendor's."""
    id = str(update.get("message_template_id") or "")[:40]
    rows = ChatTemplate.objects.filter(app=app).exclude(status=Status.DRAFT)
    by_name = {
        "name": _text(update, "message_template_name", 512),
        "language": _text(update, "message_template_language", 15),
    }
    template = (rows.filter(vendor_id=id) if id else rows.none()).first() or rows.filter(**by_name).first()
    status = KNOWN.get(str(update.get("event", "")).upper())
    if template is not None and status is not None:
        _write(template.pk, status, id, _text(update, "reason", 500))


def _write(pk: str, status: str, vendor_id: str, reason: str, quality: str = "") -> None:
    reason = "" if reason.upper() == "NONE" or status == Status.APPROVED else reason
    values: JsonObject = {"status": status, "rejected_reason": reason}
    if vendor_id:
        values["vendor_id"] = vendor_id
    if quality:
        values["quality"] = quality
    # A draft has words that the vendor does not know: what it says is of those before.
    rows = ChatTemplate.objects.filter(pk=pk).exclude(status=Status.DRAFT, vendor_id__gt="")
    rows.exclude(status=status, rejected_reason=reason, vendor_id=vendor_id).update(updated_at=timezone.now(), **values)


def sync_templates(deadline: float) -> None:
    """Ask the vendor for the templates of apps that have not been asked about for an hour, one app after the other."""
    while monotonic() < deadline:
        with unscoped(reason="worker: chat apps of all companies whose templates are to be asked for"):
            row = (
                _stale(timezone.now())
                .order_by(F("asked_at").asc(nulls_first=True))
                .values_list("app_id", "company_id")
                .first()
            )
        if row is None:
            return
        with company_scope(row[1]):
            sync_app(row[0])


def stale_templates(now: Moment) -> list[QuerySet[ChatTemplate]]:
    """Return the templates to be asked for."""
    return [_stale(now)]


def _stale(now: Moment) -> Any:
    old = ChatTemplate.objects.filter(app__is_active=True, app__verified=True)
    return old.filter(asked_at=None) | old.filter(asked_at__lt=now - SYNC_EVERY)


def sync_now(*, app: str) -> int:
    """Ask the vendor for the status of an app's templates at once. Returns how many it knows.

    Raises ChatAppNotFound_404, InvalidChatAppTemplate_400 where it cannot be asked, and ConnectionTestRunning_429.
    """
    chat_app = get_app(app, "app")
    with connection_test_slot():
        try:
            return _sync(chat_app)
        except (SmtpError, ChatFailed) as error:
            raise NamedError(INVALID, f"the vendor could not be asked: {error.detail}", field="app") from None


def sync_app(app_id: str) -> int:
    """Ask the vendor for the status of an app's templates. Returns how many it knows; a failure is stored at the
    app."""
    app = ChatApp.objects.get(pk=app_id)
    try:
        return _sync(app)
    except (SmtpError, ChatFailed) as error:
        ChatApp.objects.filter(pk=app_id).update(last_error=error.detail, last_error_at=timezone.now())
        return 0


def _sync(app: ChatApp) -> int:
    app_id = app.pk
    ChatTemplate.objects.filter(app_id=app_id).update(asked_at=timezone.now())
    rows = ChatClient.for_app(app).templates()
    ids = {(row.name, row.language): row.pk for row in ChatTemplate.objects.filter(app_id=app_id)}
    for row in rows:
        pk = ids.get((_text(row, "name", 512), _text(row, "language", 15)))
        if pk is not None:
            quality = row.get("quality_score")
            score = _text(quality, "score", 16) if isinstance(quality, dict) else ""
            _write(pk, _status(row, Status.PENDING), _text(row, "id", 40), _text(row, "rejected_reason", 500), score)
    return len(rows)


def _status(row: Values, otherwise: str) -> str:
    return KNOWN.get(str(row.get("status", "")).upper(), otherwise)


def _text(row: Values, name: str, most: int) -> str:
    value = row.get(name)
    return str(value)[:most].replace("\0", "") if isinstance(value, str | int) else ""


def exists(id: str) -> bool:
    """Return whether the active company has an approved template with this id."""
    return ChatTemplate.objects.filter(pk=id, status=Status.APPROVED).exists()
