"""Bodies and answers of mail vendor apps: each vendor's form has only its own fields."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.api.input import BooleanInput, Input, LineInput, ObjectIdInput, TextInput
from core.api.output import HEALTH, Computed, IdField, Output
from core.types import JsonObject, Values
from outreach.connections.mail_vendors.google import READ
from outreach.connections.mail_vendors.models import MailApp
from outreach.connections.mail_vendors.registry import NAMES, VENDORS, channel_of, letters
from outreach.connections.mail_vendors.vendors.base import MailVendor, Setting
from outreach.connections.senders.models import Smtp, why_stopped
from outreach.connections.senders.serializers import SenderChange

LENGTHS = {"secret_key": 1000, "signing_key": 4000, "domain": 253, "region": 40, "endpoint": 300}


def input_name(setting: Setting) -> str:
    """Return the name of a vendor's value in bodies and answers."""
    return NAMES.get(setting.column, setting.column)


@cache
def forms(letter: str) -> tuple[type[Input], type[Input]]:
    """Return the bodies that connect and change an app of the letter."""
    spec = letters()[letter]
    if spec.login:
        return LoginApp, LoginApp
    name = f"Mailvendor{letter.upper()}"
    own: JsonObject = {input_name(setting): _field(setting, required=False) for setting in spec.settings}
    needed: JsonObject = {
        input_name(setting): _field(setting, required=True) for setting in spec.settings if setting.required
    }
    key = TextInput(
        required=False,
        allow_blank=True,
        max_length=1000,
        write_only=True,
        help_text=f"{spec.name}'s {spec.key_label}. Left out or empty: unchanged.",
    )
    description = f"Any of the values of an app of {spec.name}."
    change = type(
        f"{name}Change", (SenderChange,), {"__doc__": description, "apiKey": key, "replyTo": _reply_to(), **own}
    )
    create_key = TextInput(max_length=1000, write_only=True, help_text=f"{spec.name}'s {spec.key_label}.")
    create = type(
        f"{name}Create",
        (change,),
        {
            "__doc__": f"An app of {spec.name} to connect.",
            "apiKey": create_key,
            "fromEmail": TextInput(max_length=254),
            "fromName": LineInput(max_length=200),
            "verified": BooleanInput(
                default=True, help_text="false: connect without testing; an untested app sends nothing."
            ),
            **needed,
        },
    )
    return create, change


def _reply_to() -> TextInput:
    return TextInput(required=False, allow_blank=True, max_length=254, help_text="Empty: answers go to fromEmail.")


def _field(setting: Setting, *, required: bool) -> TextInput:
    choices = f" One of {', '.join(setting.choices)}." if setting.choices else ""
    stays = " Left out or empty: unchanged." if setting.secret and not required else ""
    return TextInput(
        required=required,
        allow_blank=not required,
        max_length=LENGTHS.get(setting.column, 100),
        write_only=setting.secret,
        source=setting.column if setting.column == "signing_key" else None,
        help_text=f"{setting.label}. {setting.help}{choices}{stays}".strip(),
    )


class LoginApp(SenderChange):
    """An account that is connected by a log-in at the vendor, whose address it has."""

    fromEmail = None  # type: ignore[assignment]
    fromName = LineInput(required=False, max_length=200, help_text="Required of a new app.")
    replyTo = _reply_to()
    code = TextInput(
        required=False,
        allow_blank=True,
        max_length=2000,
        write_only=True,
        help_text="What the vendor's address came back with (POST …/authorize). Of a new app, or for a new log-in.",
    )
    state = TextInput(
        required=False, allow_blank=True, max_length=300, write_only=True, help_text="What came back beside the code."
    )


class LoginBegin(Input):
    """The purpose of a log-in."""

    app = ObjectIdInput(required=False, allow_null=True, help_text="The app that needs a new log-in; null: a new one.")
    mayRead = BooleanInput(
        default=False,
        help_text="Also ask for reading the mailbox, by which messages in doubt are looked up among those sent.",
    )


class LoginBegun(Output):
    """The address where a member grants access."""

    url = Computed(serializers.CharField(help_text="The vendor's page; it leads back with code and state."))
    endsAt = Computed(serializers.DateTimeField(help_text="Until when code and state are taken, once."))


class MailAppSnapshot(Output):
    """A mail vendor app, nested where a reference is populated; without its account."""

    _id = IdField()
    name = serializers.CharField()
    vendor = serializers.CharField(help_text="Such as brevo.")
    fromEmail = serializers.CharField(source="from_email")
    fromName = serializers.CharField(source="from_name")


class MailAppOut(Output):
    """A mail vendor app; its keys never go out."""

    moving = HEALTH | {"webhookReady"}
    reads = ("letter", "hook_salt", "key_hint", "scopes", "stopped_by", "by_changer")
    conceals = ("webhookUrl",)

    _id = IdField()
    name = serializers.CharField()
    vendor = serializers.CharField(help_text="Such as brevo; it stays when the letter is given to another.")
    vendorName = Computed(serializers.CharField())
    channel = Computed(serializers.CharField(help_text="Such as mailvendor-a."))
    maskedApiKey = Computed(serializers.CharField(help_text="Its last characters, such as …WXYZ."))
    fromEmail = serializers.CharField(source="from_email")
    fromName = serializers.CharField(source="from_name")
    replyTo = serializers.CharField()
    domain = serializers.CharField()
    region = serializers.CharField()
    messageStream = serializers.CharField()
    subaccount = serializers.CharField()
    configurationSet = serializers.CharField()
    endpoint = serializers.CharField()
    verified = serializers.BooleanField(help_text="What the last test found.")
    isActive = serializers.BooleanField()
    needsLogin = serializers.BooleanField(help_text="The vendor takes its log-in no more: log in anew.")
    mayRead = Computed(serializers.BooleanField(help_text="Its log-in allows to look into the mailbox."))
    webhookUrl = Computed(
        serializers.CharField(
            help_text="The address to enter at the vendor for its events, with user and password where it signs"
            " nothing; empty: it has none, or the reader's role changes no apps."
        )
    )
    webhookReady = serializers.BooleanField(
        help_text="Events are taken; false: the key that the vendor signs them with is missing."
    )
    trackOpens = Computed(serializers.BooleanField(help_text="The vendor's own tracking; always off."))
    trackClicks = Computed(serializers.BooleanField())
    perMinute = serializers.IntegerField(allow_null=True)
    perHour = serializers.IntegerField(allow_null=True)
    perDay = serializers.IntegerField(allow_null=True)
    rampStart = serializers.IntegerField(allow_null=True)
    rampStep = serializers.IntegerField(allow_null=True)
    lastError = serializers.CharField(help_text="Why the last test or message failed; empty when it did not.")
    lastErrorAt = serializers.DateTimeField(allow_null=True)
    pausedUntil = serializers.DateTimeField(allow_null=True, help_text="Nothing is sent before.")
    pausedReason = serializers.CharField()
    stoppedAt = serializers.DateTimeField(
        allow_null=True, help_text="When its guardrail stopped it; it sends nothing until POST …/resume."
    )
    stoppedWhy = Computed(serializers.CharField(help_text="Why, as a sentence; empty if it was not."))
    companyID = IdField(source="company_id")
    createdBy = MemberSnapshot(source="created_by")
    updatedBy = MemberSnapshot(source="updated_by")
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        vendor = VENDORS[data["vendor"]]
        return {
            **data,
            "vendorName": vendor.name,
            "channel": channel_of(row["letter"]),
            "maskedApiKey": f"…{row['key_hint']}",
            "webhookUrl": vendor.hook_url(data["_id"], row["hook_salt"]) if row["by_changer"] else "",
            "stoppedWhy": why_stopped(row["stopped_by"]),
            "mayRead": READ in row["scopes"].split(),
            "trackOpens": False,
            "trackClicks": False,
        }


class MailAppTest(Output):
    """The result of a test."""

    ok = Computed(serializers.BooleanField())
    milliseconds = Computed(serializers.IntegerField(help_text="How long it took."))
    stage = Computed(serializers.CharField(help_text="Where it ended: connect or auth; empty when all went well."))
    detail = Computed(serializers.CharField(help_text="What went wrong, for people."))
    temporary = Computed(serializers.BooleanField(help_text="Whether trying again later may help."))


class MailAppsDeleted(Output):
    """The results of the selected apps."""

    deletedCount = Computed(serializers.IntegerField())
    deactivatedCount = Computed(serializers.IntegerField(help_text="Apps that messages refer to; they are off now."))


MAX_APPS = 100


class MailVendorsOut(Output):
    """The mail vendors that can be connected, with the fields of their forms, and the company's apps."""

    vendors = Computed(
        serializers.ListField(
            child=serializers.DictField(),
            help_text="app (the path below /apps), vendor, name, available, login (it is connected by logging in"
            " there), keyLabel, hookSteps and fields: name,"
            " label, required, secret, choices, help.",
        )
    )
    apps = Computed(
        serializers.ListField(
            child=serializers.DictField(),
            help_text=f"The company's apps of all vendors, the oldest first, {MAX_APPS} at most: _id, app, vendorName,"
            " name, fromEmail, fromName, verified, isActive, needsLogin, webhookReady, hasWebhooks, limits,"
            " last error, pausedUntil, stoppedAt, stoppedWhy.",
        )
    )
    senders = Computed(
        serializers.ListField(
            child=serializers.DictField(),
            help_text="The senders of all kinds that work, SMTP's before those of vendors, the oldest first: _id, app,"
            " fromName, fromEmail, stoppedAt (when its guardrail stopped it).",
        )
    )


def working(apps: Sequence[Values]) -> list[JsonObject]:
    """Return the active company's senders that work, of all kinds, as MailVendorsOut has them; `apps` are those of
    vendors."""
    servers = Smtp.objects.filter(is_active=True, verified=True).order_by("created_at", "pk")[:MAX_APPS]
    senders = [
        {
            "_id": sender.pk,
            "app": sender.app_key,
            "fromName": sender.from_name,
            "fromEmail": sender.from_email,
            "stoppedAt": sender.stopped_at,
        }
        for sender in servers
    ]
    names = ("_id", "app", "fromName", "fromEmail", "stoppedAt")
    return [
        *senders,
        *({name: sender[name] for name in names} for sender in apps if sender["isActive"] and sender["verified"]),
    ]


def describe_vendors() -> list[JsonObject]:
    """Return the vendors of the letters as MailVendorsOut has them."""
    return [_vendor_data(letter, spec) for letter, spec in letters().items()]


def _vendor_data(letter: str, spec: MailVendor) -> JsonObject:
    fields = [
        {
            "name": input_name(setting),
            "label": setting.label,
            "required": setting.required,
            "secret": setting.secret,
            "choices": list(setting.choices),
            "help": setting.help,
        }
        for setting in spec.settings
    ]
    return {
        "app": channel_of(letter),
        "vendor": spec.key,
        "name": spec.name,
        "available": spec.available,
        "login": spec.login,
        "keyLabel": spec.key_label,
        "hookSteps": spec.hook_steps,
        "fields": fields,
    }


def list_connected_apps() -> list[JsonObject]:
    """Return the active company's apps as MailVendorsOut has them, with one query."""
    return [
        {
            "_id": app.pk,
            "app": app.app_key,
            "vendorName": app.spec.name,
            "name": app.name,
            "fromEmail": app.from_email,
            "fromName": app.from_name,
            "verified": app.verified,
            "isActive": app.is_active,
            "needsLogin": app.needs_login,
            "webhookReady": app.webhook_ready,
            "hasWebhooks": app.spec.has_webhooks,
            "perMinute": app.per_minute,
            "perHour": app.per_hour,
            "perDay": app.per_day,
            "rampStart": app.ramp_start,
            "rampStep": app.ramp_step,
            "lastError": app.last_error,
            "lastErrorAt": app.last_error_at,
            "pausedUntil": app.paused_until,
            "stoppedAt": app.stopped_at,
            "stoppedWhy": app.why_stopped,
        }
        for app in MailApp.objects.order_by("created_at", "pk")[:MAX_APPS]
    ]
