"""Bodies and answers of lead generation (contract 4.4)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.fields import empty

from accounts.snapshots.serializers import MemberSnapshot
from core.api.filter_tree import FilterTreeField
from core.api.input import Input, IntegerInput, ObjectInput, TextInput
from core.api.output import PROGRESS, Computed, IdField, Output
from core.types import JsonObject, Values
from crm.leads.serializers import FORM_DATA, LeadRelations
from crm.models import Contact
from outreach.connections.ai.serializers import PROMPT_LENGTH
from outreach.messaging.delivery.serializers import ContactSnapshot
from outreach.prospecting.lead_generation.services import MAX_LEADS

SOURCE_KEYS = ("name", "done", "found", "error")
SOURCE_ERRORS = "The lead sources that were of no use, whatever the others have found: source (its name) and error."
RELATIONS = ("product_services", "team", "team_member", "tags")


def source_errors(sources: Iterable[Values]) -> list[dict[str, str]]:
    """Return which of a search's lead sources have failed, and why."""
    return [
        {"source": source["name"], "error": source["error"]} for source in sources if source["done"] and source["error"]
    ]


@extend_schema_field({"type": "integer", "minimum": 1, "maximum": MAX_LEADS})
class CountInput(IntegerInput):
    """The number of leads to generate. Too many have an error of their own, which the service raises."""

    def __init__(self, **options: Any) -> None:
        super().__init__(min_value=1, **{"default": 25, "help_text": "Leads that are wanted.", **options})


@extend_schema_field({"type": "string", "minLength": 1, "maxLength": PROMPT_LENGTH})
class SoughtInput(TextInput):
    """The description of the people. A missing one has an error of its own, which the service raises."""

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=PROMPT_LENGTH, **options)

    def get_value(self, dictionary: Any) -> Any:
        return dictionary.get(self.field_name, "")

    def run_validation(self, data: Any = empty) -> Any:
        return "" if isinstance(data, str) and not data.strip() else super().run_validation(data)


class GenerationCreate(LeadRelations):
    """The description of the people, and the values of their leads."""

    prompt = SoughtInput(help_text="Who is looked for, in plain language.")
    count = CountInput()
    industry = TextInput(default="", allow_blank=True, max_length=200, help_text="Counts twice what the prompt does.")
    additionalFilters = ObjectInput(
        default=dict, help_text="Conditions on contacts: fields and values, or a tree as in advancedFilters."
    )
    customWhitelistedDomains = serializers.ListField(
        child=serializers.RegexField(
            r"^@?[\w-]+(\.[\w-]+)+\Z", max_length=253, error_messages={"invalid": "enter a domain such as example.com"}
        ),
        default=list,
        max_length=100,
        help_text="Only contacts whose address is of one of these domains.",
    )
    aiType = TextInput(required=False, max_length=32, help_text="Who judges; left out: the company's default AI app.")
    formData = ObjectInput(default=dict, help_text=f"What each lead gets: {FORM_DATA}")


class GenerationChange(Input):
    stops = ("cancelled",)

    status = serializers.ChoiceField(choices=("cancelled",), help_text="cancelled: stop before any lead is made.")


class GenerationOut(Output):
    """A search for leads."""

    moving = PROGRESS | {"sources", "sourceErrors", "judgeError", "leads"}

    _id = IdField()
    prompt = serializers.CharField()
    industry = serializers.CharField()
    count = serializers.IntegerField(help_text="Leads that are wanted.")
    additionalFilters = FilterTreeField(help_text="Conditions on own contacts, as a tree; empty: all.")
    customWhitelistedDomains = serializers.ListField(child=serializers.CharField(), source="domains")
    aiType = serializers.CharField()
    status = serializers.CharField(help_text="queued, running, completed, failed or cancelled")
    total = serializers.IntegerField(allow_null=True, help_text="Contacts to look at; null until they are counted.")
    processed = serializers.IntegerField(help_text="Contacts looked at so far.")
    percent = Computed(serializers.FloatField())
    created = serializers.IntegerField(help_text="Leads that were made.")
    sources = serializers.ListField(
        child=serializers.DictField(),
        help_text="The lead sources that were asked: name, done, found (people of use) and error.",
    )
    sourceErrors = Computed(serializers.ListField(child=serializers.DictField(), help_text=SOURCE_ERRORS))
    judgeError = serializers.CharField(
        help_text="Why the AI app has not judged all who were found, of whom the words found decided; empty: it has."
    )
    error = serializers.CharField(help_text="Why there are none, or fewer than were found.")
    createdBy = MemberSnapshot(source="created_by")
    startedAt = serializers.DateTimeField(allow_null=True)
    finishedAt = serializers.DateTimeField(allow_null=True)
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        data["sourceErrors"] = source_errors(data["sources"])
        data["sources"] = [{name: source[name] for name in SOURCE_KEYS} for source in data["sources"]]
        if data["status"] == "completed":
            data["percent"] = 100.0
        else:
            data["percent"] = round(100 * data["processed"] / data["total"], 1) if data["total"] else 0.0
        return data


class GeneratedLead(Output):
    """A lead that was made, and why."""

    _id = IdField(help_text="of the lead")
    contact = Computed(ContactSnapshot())
    score = Computed(serializers.FloatField(help_text="0 to 1: the share of what is looked for that was found."))
    reason = Computed(serializers.CharField(help_text="What was found, and in which field."))
    source = Computed(  # type: ignore[assignment]
        serializers.CharField(help_text="The lead source that knew the person; empty: the company itself.")
    )
    url = Computed(serializers.CharField(help_text="Where the source has it from."))


class GenerationDetail(GenerationOut):
    """A search with its leads, the best first."""

    leads = Computed(serializers.ListField(child=GeneratedLead()))
    reads = ("found",)

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        entries = [each for each in row["found"] if "lead" in each]
        contacts = Contact.objects.in_bulk([each["contact"] for each in entries])
        data["leads"] = [
            {
                "_id": each["lead"],
                "contact": {"_id": contact.pk, "name": contact.name, "email": contact.email},
                "score": each["score"],
                "reason": each["reason"],
                "source": each.get("source", ""),
                "url": each.get("url", ""),
            }
            for each in entries
            if (contact := contacts.get(each["contact"]))
        ]
        return super().finish(data, row)
