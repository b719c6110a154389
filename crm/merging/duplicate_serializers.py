"""Bodies and answers of duplicates."""

from __future__ import annotations

from rest_framework import serializers

from core.api.input import IdList, Input
from core.api.output import Computed, Output
from crm.contacts.serializers import ContactOut
from crm.leads.serializers import LeadOut
from crm.merging.duplicates import MAX_SHOWN, RULES
from crm.merging.services import MAX_RECORDS, MIN_RECORDS
from crm.organizations.serializers import OrganizationOut


class DuplicatesOut(Output):
    """Records that are probably the same."""

    rule = serializers.ChoiceField(choices=sorted({rule for rules in RULES.values() for rule in rules}))
    score = serializers.FloatField(help_text="1: the same; less: how alike the names are")
    shared = serializers.CharField(
        allow_null=True,
        help_text="what they have in common: number, address, domain, letters of the name, or id of the contact",
    )
    count = serializers.IntegerField(help_text=f"how many they are; of more than {MAX_SHOWN} the first are told")


class DuplicateContactsOut(DuplicatesOut):
    """Contacts that are probably the same."""

    records = Computed(serializers.ListField(child=ContactOut()))


class DuplicateLeadsOut(DuplicatesOut):
    """Leads that are probably the same."""

    records = Computed(serializers.ListField(child=LeadOut()))


class DuplicateOrganizationsOut(DuplicatesOut):
    """Organizations that are probably the same."""

    records = Computed(serializers.ListField(child=OrganizationOut()))


class DuplicateDismiss(Input):
    """Records of which no two are the same."""

    ids = IdList(min_length=MIN_RECORDS, max_length=MAX_RECORDS, help_text=f"{MIN_RECORDS} to {MAX_RECORDS} ids")


class DismissedOut(Output):
    """The result of a dismissal."""

    dismissedCount = Computed(serializers.IntegerField(help_text="pairs that this is new of"))
