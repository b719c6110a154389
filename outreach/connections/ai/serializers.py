"""Bodies and answers of AI apps, of their use and its caps."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.api.input import BooleanInput, Input, IntegerInput, NumberInput, ObjectInput, TextInput
from core.api.output import HEALTH, Computed, IdField, Output
from core.types import JsonObject, Values
from outreach.connections.ai.languages import LANGUAGES, language_code
from outreach.connections.ai.models import TIMEOUT_SECONDS, AiUsage
from outreach.connections.ai.providers.model import MODEL_SETTINGS
from outreach.connections.ai.services import providers

PROMPT_LENGTH = 10_000


class AiAppChange(Input):
    """Any of an AI app's values."""

    name = TextInput(required=False, max_length=200)
    apiKey = TextInput(required=False, allow_blank=True, max_length=1000, write_only=True)
    selectedModel = TextInput(required=False, allow_blank=True, max_length=200)
    modelSettings = ObjectInput(required=False)
    isActive = BooleanInput(required=False)
    isDefault = BooleanInput(required=False)


class AiAppCreate(AiAppChange):
    """An AI app to connect; the offline composer needs no key."""

    name = TextInput(max_length=200)


class AiAppOut(Output):
    """An AI app; its key never goes out."""

    moving = HEALTH
    reads = ("provider",)

    _id = IdField()
    name = serializers.CharField()
    provider = serializers.CharField()
    providerName = Computed(serializers.CharField(help_text="Says whether a model is called."))
    selectedModel = serializers.CharField()
    modelSettings = serializers.DictField()
    isActive = serializers.BooleanField()
    isDefault = serializers.BooleanField()
    companyID = IdField(source="company_id")
    createdBy = MemberSnapshot(source="created_by")
    updatedBy = MemberSnapshot(source="updated_by")
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        provider = providers().get(row["provider"])
        return {**data, "providerName": provider.name if provider else row["provider"]}


MAX_TOKENS = 10**15
MAX_MONEY = 10**9
MAX_PRICE = 10**8
SMALLEST = Decimal("0.000001")
MONEY = "in the company's currency"


def _tokens(text: str) -> IntegerInput:
    return IntegerInput(required=False, allow_null=True, min_value=0, max_value=MAX_TOKENS, help_text=text)


class MoneyInput(NumberInput):
    """An amount of money with up to six decimals. A smaller one is refused, because 0 means none."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"min_value": 0, "max_value": MAX_MONEY, **options})

    def run_validation(self, data: Any = serializers.empty) -> Any:
        amount = super().run_validation(data)
        if amount is None or amount is serializers.empty:
            return amount
        if not math.isfinite(amount) or 0 < amount < SMALLEST:
            raise serializers.ValidationError(f"enter 0, or {SMALLEST:f} or more", code="min_value")
        return Decimal(str(amount)).quantize(SMALLEST)


class LanguageInput(TextInput):
    """A language by its code (de, de-AT) or its name (German, Deutsch); the value is its ISO 639-1 code."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"max_length": 40, **options})

    def to_internal_value(self, data: Any) -> str:
        text = super().to_internal_value(data)
        code = language_code(text)
        if text and not code:
            raise serializers.ValidationError(f"choose one of these languages: {', '.join(LANGUAGES)}", code="unknown")
        return code


def _money(text: str, most: int = MAX_MONEY) -> MoneyInput:
    return MoneyInput(required=False, allow_null=True, max_value=most, help_text=text)


def _settings_of(key: str) -> type[Input]:
    """Make the form of a model's settings."""
    fields: JsonObject = {}
    for name, setting in MODEL_SETTINGS[key].items():
        kind = IntegerInput if setting.whole else NumberInput
        fields[name] = kind(
            required=False,
            min_value=setting.least,
            max_value=setting.most,
            help_text=f"From {setting.least} to {setting.most}; default {setting.default}.",
        )
    name = f"{key.replace('-', ' ').title().replace(' ', '')}Settings"
    return type(name, (Input,), {"__module__": __name__, "__doc__": "Settings of the model.", **fields})


AiASettings, AiBSettings = _settings_of("ai-a"), _settings_of("ai-b")


class ModelAppChange(Input):
    """Any of the values that apps of models have."""

    name = TextInput(required=False, max_length=200)
    apiKey = TextInput(
        required=False, allow_blank=True, max_length=1000, write_only=True, help_text="Left out or empty: unchanged."
    )
    selectedModel = TextInput(required=False, allow_blank=True, max_length=200, help_text="Empty: the default model.")
    isActive = BooleanInput(required=False)
    isDefault = BooleanInput(required=False, help_text="The company's default; it has one.")
    monthlyTokenCap = _tokens("Most tokens in a calendar month (UTC); null: no cap.")
    monthlyCostCap = _money(f"Most that calls may cost in a calendar month, {MONEY}; null: no cap.")
    pricePerMillionIn = _money(
        f"Price of a million tokens that are sent, {MONEY}; null: costs are not counted.", MAX_PRICE
    )
    pricePerMillionOut = _money("Price of a million tokens that come back.", MAX_PRICE)
    timeoutSeconds = IntegerInput(
        required=False, min_value=5, max_value=120, help_text=f"For a whole message; default {TIMEOUT_SECONDS}."
    )


class AiAChange(ModelAppChange):
    """Any of the values of an ai-a app."""

    modelSettings = AiASettings(required=False)


class AiACreate(AiAChange):
    """An ai-a app to connect."""

    name = TextInput(max_length=200)
    apiKey = TextInput(max_length=1000, write_only=True)


class AiBChange(ModelAppChange):
    """Any of the values of an ai-b app."""

    baseUrl = TextInput(
        required=False,
        allow_blank=True,
        max_length=500,
        help_text="A server of one's own such as https://host/v1; empty: the vendor's. A change takes the key along.",
    )
    modelSettings = AiBSettings(required=False)


class AiBCreate(AiBChange):
    """An ai-b app to connect; with a baseUrl it may have no key."""

    name = TextInput(max_length=200)


class ModelAppOut(AiAppOut):
    """An AI app that calls a model; its key never goes out."""

    monthlyTokenCap = serializers.IntegerField(allow_null=True)
    monthlyCostCap = serializers.FloatField(allow_null=True)
    pricePerMillionIn = serializers.FloatField(allow_null=True)
    pricePerMillionOut = serializers.FloatField(allow_null=True)
    timeoutSeconds = serializers.IntegerField()
    lastError = serializers.CharField(help_text="Why the last test failed; empty when it did not.")
    lastErrorAt = serializers.DateTimeField(allow_null=True)


class AiAOut(ModelAppOut):
    """An ai-a app; its key never goes out."""


class AiBOut(ModelAppOut):
    """An ai-b app; its key never goes out."""

    baseUrl = serializers.CharField(help_text="Empty: the vendor's.")


class AiTestOut(Output):
    """A test that went well."""

    model = Computed(serializers.CharField())
    milliseconds = Computed(serializers.IntegerField(help_text="How long the answer took."))
    subject = Computed(serializers.CharField(help_text="Of the message that the model has written."))
    text = Computed(serializers.CharField())


class NamedApp(Output):
    _id = IdField()
    name = serializers.CharField()


class NamedRun(Output):
    _id = IdField()
    name = serializers.CharField()


class UsageOut(Output):
    """A call of a model."""

    _id = IdField()
    app = NamedApp()
    run = NamedRun(help_text="The run that it was made for; null: none.")
    purpose = serializers.ChoiceField(choices=AiUsage.Purpose.values)
    model = serializers.CharField()
    tokensIn = serializers.IntegerField(help_text="Tokens that were sent.")
    tokensOut = serializers.IntegerField(help_text="Tokens that came back.")
    cost = serializers.FloatField(help_text=f"By the app's prices at that time, {MONEY}.")
    error = serializers.CharField(help_text="Why the answer could not be used, though it was paid for; empty: it was.")
    createdAt = serializers.DateTimeField()


class UsedOut(Output):
    """Usage in a month, by one app or all."""

    month = Computed(serializers.CharField(help_text="Such as 2026-11 (UTC)."))
    app = Computed(NamedApp(allow_null=True, help_text="null: an app that is gone."))
    calls = Computed(serializers.IntegerField())
    tokensIn = Computed(serializers.IntegerField())
    tokensOut = Computed(serializers.IntegerField())
    cost = Computed(serializers.FloatField())


class UsageSummary(Output):
    """Usage by month and app."""

    months = Computed(serializers.ListField(child=UsedOut(), help_text="The newest first, in each the largest."))


class CapsInput(Input):
    """Limits on the use of a company's AI apps."""

    monthlyTokenCap = _tokens("Most tokens of all apps in a calendar month (UTC); null: no cap.")
    monthlyCostCap = _money(f"Most that all apps may cost in a calendar month, {MONEY}; null: no cap.")
    runTokenCap = _tokens("Most tokens of a run that names no cap itself.")
    runCostCap = _money("Most that a run may cost that names no cap itself.")


class CapsOut(Output):
    """The caps of a company, and this month's usage."""

    moving = frozenset({"planTokens", "month", "endsAt", "tokens", "cost"})
    monthlyTokenCap = Computed(serializers.IntegerField(allow_null=True))
    monthlyCostCap = Computed(serializers.FloatField(allow_null=True))
    runTokenCap = Computed(serializers.IntegerField(allow_null=True))
    runCostCap = Computed(serializers.FloatField(allow_null=True))
    planTokens = Computed(serializers.IntegerField(allow_null=True, help_text="The plan's limit a month; null: none."))
    currency = Computed(serializers.CharField(help_text="ISO 4217 code of prices and costs: the company's."))
    month = Computed(serializers.CharField(help_text="The present month, such as 2026-11 (UTC)."))
    endsAt = Computed(serializers.DateTimeField(help_text="When the next month begins."))
    tokens = Computed(serializers.IntegerField(help_text="Used this month by all apps."))
    cost = Computed(serializers.FloatField(help_text="Of all apps this month."))
    updatedAt = Computed(serializers.DateTimeField(allow_null=True, help_text="Of the caps; null: never set."))
