"""Bodies and answers of the mails that members write to one person."""

from __future__ import annotations

from typing import Any

from django.db.models.functions import Coalesce
from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.api.input import BooleanInput, IdList, Input, LineInput, ObjectIdInput, TextInput
from core.api.output import Computed, IdField, Output
from core.types import JsonObject, Values
from outreach.connections.mail_vendors.serializers import MailAppSnapshot
from outreach.connections.senders.serializers import SmtpSnapshot
from outreach.messaging.delivery.attachments import MAX_FILES, list_files
from outreach.messaging.delivery.deciding.reasons import sentence_of
from outreach.messaging.delivery.serializers import ContactSnapshot, delay_input
from outreach.messaging.email_templates.rendering import BUILT_IN
from outreach.messaging.email_templates.serializers import AttachmentOut
from outreach.messaging.personal_mail.filters import IS_DRAFT
from outreach.messaging.personal_mail.selectors import STATUSES, status

RECORD_KINDS = ("contact", "lead")
KEY_LENGTH = 64
WORDS_LENGTH = 200_000
PLACEHOLDERS = f"Fields of the contact are filled in: {{{{name}}}} of a field, or {', '.join(BUILT_IN)}."


class Recipient(Input):
    """The record of the person."""

    kind = serializers.ChoiceField(choices=RECORD_KINDS)
    id = ObjectIdInput()

    def to_internal_value(self, data: Any) -> JsonObject:
        if isinstance(data, dict) and data.get("kind") == "organization":
            raise serializers.ValidationError(
                {"kind": "an email goes to one person: name a contact of the organization"}
            )
        return super().to_internal_value(data)


class MailInput(Input):
    """A mail to one person."""

    to = Recipient(help_text="A contact, or a lead, whose contact gets it.")
    smtp = ObjectIdInput(
        required=False,
        allow_null=True,
        help_text="The sender; null: that of the thread, else the oldest that works.",
    )
    mailApp = ObjectIdInput(required=False, allow_null=True, help_text="Or a sender at a mail vendor.")
    subject = LineInput(max_length=200, required=False, allow_blank=True, help_text="Empty in a reply: Re: and its.")
    html = TextInput(
        max_length=WORDS_LENGTH,
        required=False,
        allow_blank=True,
        trim_whitespace=False,
        help_text=f"HTML or MJML. {PLACEHOLDERS}",
    )
    text = TextInput(
        max_length=WORDS_LENGTH,
        required=False,
        allow_blank=True,
        trim_whitespace=False,
        help_text="Plain text; alone HTML or MJML too, as in templates. Beside `html` the mail's text part.",
    )
    signature = TextInput(
        max_length=10_000,
        required=False,
        allow_blank=True,
        trim_whitespace=False,
        help_text="Plain text or HTML below the words; the profile has the writer's own.",
    )
    template = ObjectIdInput(
        required=False, allow_null=True, help_text="The email template whose subject, words and files it begins with."
    )
    attachments = IdList(required=False, help_text=f"Ids of files: at most {MAX_FILES}, 10 MB together.")
    inReplyTo = ObjectIdInput(
        required=False,
        allow_null=True,
        help_text="A received mail (GET /inbox) or a sent message (GET /genie/send-jobs) whose thread it continues.",
    )
    sendAt = serializers.DateTimeField(
        required=False, allow_null=True, help_text="Not before, at most a year ahead; null: at once."
    )
    draft = BooleanInput(required=False, help_text="true: it is kept and does not go.")
    delaySeconds = delay_input()


class MailCreate(MailInput):
    """A new mail to one person, or new values of the draft that has the key."""

    key = LineInput(
        max_length=KEY_LENGTH,
        required=False,
        help_text="Any text of the program's own, or a mail's id. A further POST with it changes the draft, and sends"
        " nothing twice.",
    )


class MailChange(MailInput):
    """New values of a mail that has not gone. `draft` makes a draft of it, or sends it."""

    to = Recipient(required=False, help_text="A contact, or a lead, whose contact gets it.")


class RecipientOut(Output):
    """The record of the person."""

    kind = serializers.ChoiceField(choices=RECORD_KINDS)
    id = IdField()


class MailOut(Output):
    """A mail that a member writes to one person."""

    moving = frozenset({"status", "reason", "sentence", "sentAt", "sendJob"})
    reads = ("contact_id", "lead_id", "send_job__reason")

    _id = IdField()
    to = Computed(RecipientOut())
    contact = ContactSnapshot()
    smtp = SmtpSnapshot()
    mailApp = MailAppSnapshot(source="mail_app")
    subject = serializers.CharField()
    template = IdField(source="template_id", allow_null=True, help_text="The template that it began with; null: none.")
    attachments = serializers.ListField(child=IdField(), help_text="Ids of the files that go with it.")
    inReplyTo = Computed(
        IdField(
            allow_null=True, help_text="The received mail or the sent message before it; null: it is a new thread."
        ),
        Coalesce("answers_mail_id", "answers_message_id"),
    )
    sendAt = serializers.DateTimeField(allow_null=True, help_text="Not before; null: at once.")
    draft = Computed(serializers.BooleanField(), IS_DRAFT)
    status = Computed(
        serializers.ChoiceField(
            choices=STATUSES,
            help_text="draft; scheduled: it goes at its time; held: something changed, send it again; else that of the"
            " message.",
        ),
        status(),
    )
    reason = Computed(serializers.CharField(help_text="Code of why it has not gone; empty without one."))
    sentence = Computed(serializers.CharField(help_text="The reason as a sentence."))
    sendJob = IdField(
        source="send_job_id", allow_null=True, help_text="The message (GET /genie/send-jobs/:id); null: none yet."
    )
    sentAt = serializers.DateTimeField(source="send_job.sent_at", allow_null=True)
    createdBy = MemberSnapshot(source="created_by")
    updatedBy = MemberSnapshot(source="updated_by")
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        kind, id = ("lead", row["lead_id"]) if row["lead_id"] else ("contact", row["contact_id"])
        reason = row["send_job__reason"] or ""
        return {**data, "to": {"kind": kind, "id": id}, "reason": reason, "sentence": sentence_of(reason)}


class MailDetail(MailOut):
    """A mail with its words."""

    html = serializers.CharField()
    text = serializers.CharField()
    signature = serializers.CharField()
    files = Computed(AttachmentOut(many=True, help_text="The attachments with their names."))

    @classmethod
    def complete(cls, rows: list[JsonObject]) -> list[JsonObject]:
        return [{**row, "files": list_files(row["attachments"])} for row in rows]


class MailPreview(Output):
    """A mail as its recipient gets it."""

    subject = Computed(serializers.CharField())
    text = Computed(serializers.CharField())
    html = Computed(serializers.CharField(help_text="The page as it is sent."))
    missing = Computed(
        serializers.ListField(child=serializers.CharField(), help_text="Required fields that the contact lacks.")
    )


class SenderChoice(Output):
    _id = IdField()
    type = serializers.CharField(help_text="smtp, or the mail vendor's app.")
    fromName = serializers.CharField()
    fromEmail = serializers.CharField()
    stoppedAt = serializers.DateTimeField(allow_null=True)


class NamedChoice(Output):
    _id = IdField()
    name = serializers.CharField()


class MailChoices(Output):
    """The choices for a mail to one person."""

    senders = Computed(SenderChoice(many=True))
    templates = Computed(NamedChoice(many=True, allow_null=True, help_text="By name; null: no right to read them."))
    files = Computed(NamedChoice(many=True, allow_null=True, help_text="The newest; null: no right to read them."))
    signature = Computed(serializers.CharField(help_text="The reader's own, of their profile."))
