from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext

from core.fields import CompanyForeignKey, JSONField
from core.models import CompanyModel
from core.text.labels.counts import SPANS
from core.text.translation import gettext_lazy as _

Q_WAITING = Q(bot_due_at__isnull=False)
Q_DUE = Q(answer_due_at__isnull=False, overdue_at__isnull=True, snoozed_until__isnull=True)
"""Matches conversations whose answer will be late one day."""


class Conversation(CompanyModel):
    """A conversation between a company and one person on one channel, answered by a chatbot or a member."""

    class Channel(models.TextChoices):
        CHATAPP = "chatapp"
        MAIL = "mail"
        WIDGET = "widget"
        MESSENGER = "messenger"
        SOCIAL_B = "social-b"

    class State(models.TextChoices):
        BOT = "bot"
        QUEUED = "queued"
        HUMAN = "human"
        CLOSED = "closed"

    channel = models.CharField(max_length=12, choices=Channel, default=Channel.CHATAPP)
    chat_app = CompanyForeignKey(
        "outreach.ChatApp", on_delete=models.PROTECT, null=True, related_name="conversations", db_index=False
    )
    smtp = CompanyForeignKey(
        "outreach.Smtp",
        on_delete=models.SET_NULL,
        null=True,
        related_name="+",
        db_index=False,
        help_text="Of mail: the sender whose message was answered last, by which answers go.",
    )
    mail_app = CompanyForeignKey(
        "outreach.MailApp", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )
    contact = CompanyForeignKey(
        "crm.Contact",
        on_delete=models.PROTECT,
        null=True,
        related_name="conversations",
        help_text="Empty for a website's visitor without known email address or phone number.",
    )
    contact_confirmed = models.BooleanField(
        default=False,
        db_default=False,
        help_text="A member says that the contact writes, whose address a visitor named.",
    )
    lead = CompanyForeignKey("crm.Lead", on_delete=models.SET_NULL, null=True, related_name="+")
    address = models.CharField(max_length=320, help_text="Who writes: the number, as E.164, or the e-mail address.")
    name = models.CharField(max_length=200, blank=True, default="", help_text="As the person is called there.")
    state = models.CharField(max_length=8, choices=State, default=State.QUEUED)
    team = CompanyForeignKey("crm.Team", on_delete=models.SET_NULL, null=True, related_name="+")
    assignee = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")
    chatbot = CompanyForeignKey("outreach.ManualChatbot", on_delete=models.SET_NULL, null=True, related_name="+")
    bot = JSONField(default=dict, blank=True, help_text="How far its chatbot is: version, position, messages, since.")
    bot_due_at = models.DateTimeField(null=True, help_text="When its chatbot hands over by time.")
    snoozed_until = models.DateTimeField(null=True)
    subject = models.CharField(max_length=200, blank=True, default="", db_default="", help_text="Of the last mail.")
    unread = models.PositiveIntegerField(default=0)
    last_text = models.CharField(max_length=200, blank=True, default="")
    last_inbound_at = models.DateTimeField(null=True)
    last_message_at = models.DateTimeField(null=True)
    queued_at = models.DateTimeField(null=True, help_text="Since when it waits for a member.")
    answered_at = models.DateTimeField(null=True, help_text="When a member answered it first since it was queued.")
    closed_at = models.DateTimeField(null=True)
    waiting_since = models.DateTimeField(null=True, help_text="When the person wrote what nobody has answered yet.")
    answer_due_at = models.DateTimeField(null=True, help_text="Until when a member is to answer (AnswerTime).")
    overdue_at = models.DateTimeField(null=True, help_text="When it was told that the answer is late.")

    class Meta(CompanyModel.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=("company", "channel", "chat_app", "address"), name="conversation_once", nulls_distinct=False
            ),
            models.CheckConstraint(
                condition=Q(contact__isnull=False) | Q(channel="widget"), name="conversation_has_contact"
            ),
        ]
        indexes = [
            models.Index(fields=("company", "last_message_at", "id"), name="conversation_newest"),
            models.Index(fields=("company", "created_at", "id"), name="conversation_created"),
            models.Index(fields=("company", "state", "last_message_at", "id"), name="conversation_state"),
            models.Index(fields=("company", "assignee", "last_message_at", "id"), name="conversation_of_member"),
            models.Index(fields=("bot_due_at",), condition=Q_WAITING, name="conversation_bot_due"),
            models.Index(
                fields=("snoozed_until",), condition=Q(snoozed_until__isnull=False), name="conversation_snoozed"
            ),
            models.Index(fields=("answer_due_at",), condition=Q_DUE, name="conversation_answer_due"),
        ]

    def __str__(self) -> str:
        return self.name or self.address


class ConversationMessage(CompanyModel):
    """One message of a conversation, or a note of a member that the person never sees."""

    class Direction(models.TextChoices):
        IN = "in"
        OUT = "out"
        NOTE = "note"

    class Author(models.TextChoices):
        CONTACT = "contact"
        BOT = "bot"
        MEMBER = "member"
        WORKFLOW = "workflow"
        CAMPAIGN = "campaign"

    conversation = CompanyForeignKey(Conversation, on_delete=models.CASCADE, related_name="messages", db_index=False)
    direction = models.CharField(max_length=4, choices=Direction)
    author = models.CharField(max_length=8, choices=Author)
    member = CompanyForeignKey(
        "accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )
    kind = models.CharField(max_length=16, default="text")
    text = models.TextField(blank=True, default="")
    media = JSONField(null=True, help_text="Of a picture, file or place: id at the vendor, mime, name, caption.")
    file = CompanyForeignKey(
        "crm.File",
        on_delete=models.SET_NULL,
        null=True,
        related_name="+",
        db_index=False,
        help_text="What was sent with it, once it is among the company's files.",
    )
    file_due_at = models.DateTimeField(null=True, help_text="When its file is fetched next; empty: not to be.")
    file_attempts = models.PositiveSmallIntegerField(default=0, db_default=0)
    file_deaths = models.PositiveSmallIntegerField(
        default=0, db_default=0, help_text="Workers that took its file and died since it was last settled."
    )
    file_error = models.CharField(
        max_length=16,
        blank=True,
        default="",
        db_default="",
        help_text="Why its file is not there (ConversationMessageOut.fileState).",
    )
    external_id = models.CharField(max_length=200, null=True, help_text="What the vendor calls what came in.")
    reply_to = models.CharField(max_length=200, blank=True, default="", help_text="The vendor's id of what it answers.")
    send_job = CompanyForeignKey(
        "outreach.SendJob", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )
    inbound = CompanyForeignKey(
        "outreach.InboundMessage",
        on_delete=models.CASCADE,
        null=True,
        related_name="+",
        db_index=False,
        help_text="The received mail; what deletes it deletes the message.",
    )
    happened_at = models.DateTimeField()

    class Meta(CompanyModel.Meta):
        verbose_name = _("chat message")
        constraints = [
            models.UniqueConstraint(fields=("company", "external_id"), name="conversationmessage_once"),
        ]
        indexes = [
            models.Index(fields=("conversation", "happened_at", "id"), name="conversationmessage_thread"),
            models.Index(fields=("send_job",), condition=Q(send_job__isnull=False), name="conversationmessage_job"),
            models.Index(fields=("file",), condition=Q(file__isnull=False), name="conversationmessage_file"),
            models.Index(
                fields=("file_due_at",), condition=Q(file_due_at__isnull=False), name="conversationmessage_due"
            ),
            models.Index(fields=("inbound",), condition=Q(inbound__isnull=False), name="conversationmessage_mail"),
        ]

    def __str__(self) -> str:
        return self.text[:60] or self.kind


class CannedAnswer(CompanyModel):
    """Words that members often answer with."""

    name = models.CharField(max_length=100)
    shortcut = models.CharField(
        max_length=32, blank=True, default="", db_default="", help_text="What is typed behind a slash to get it."
    )
    text = models.TextField()
    created_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")
    updated_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta(CompanyModel.Meta):
        verbose_name = _("canned reply")
        verbose_name_plural = _("canned replies")
        constraints = [
            models.UniqueConstraint("company", models.functions.Lower("name"), name="cannedanswer_name_unique"),
            models.UniqueConstraint(
                "company",
                models.functions.Lower("shortcut"),
                condition=~Q(shortcut=""),
                name="cannedanswer_shortcut_unique",
            ),
        ]
        indexes = [models.Index(fields=("company", "created_at", "id"), name="cannedanswer_newest")]

    def __str__(self) -> str:
        return self.name


class AnswerTime(CompanyModel):
    """The response target of a team; without a team, that of teams that have none of their own."""

    team = CompanyForeignKey("crm.Team", on_delete=models.CASCADE, null=True, related_name="+", db_index=False)
    first_minutes = models.PositiveIntegerField(null=True, help_text="Until the first answer; empty: any time.")
    next_minutes = models.PositiveIntegerField(null=True, help_text="Until each later answer; empty: any time.")
    created_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")
    updated_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta(CompanyModel.Meta):
        verbose_name = _("response time")
        verbose_name_plural = _("response times")
        constraints = [
            models.UniqueConstraint(fields=("company", "team"), name="answertime_once", nulls_distinct=False)
        ]
        indexes = [models.Index(fields=("company", "created_at", "id"), name="answertime_newest")]

    def __str__(self) -> str:
        first = "" if self.first_minutes is None else SPANS["minutes"].of(self.first_minutes)
        later = "" if self.next_minutes is None else SPANS["minutes"].of(self.next_minutes)
        if first and later:
            return gettext("First reply in %(first)s, later ones in %(later)s") % {"first": first, "later": later}
        if first:
            return gettext("First reply in %(time)s") % {"time": first}
        return gettext("Later replies in %(time)s") % {"time": later} if later else gettext("No targets")
