"""The registrations of contacts."""

from __future__ import annotations

from accounts.companies.first_steps import FirstStep, register_first_step
from accounts.companies.overview import Measure, register_measure
from accounts.companies.services import unique_key_changed
from core.access import count_usage
from core.api.routes import protected
from core.global_search import Kind, register_kind
from crm.contacts.filters import CONTACT_FIELDS
from crm.contacts.record_type import CONTACT_TYPE
from crm.contacts.selectors import live_contacts
from crm.contacts.services import set_unique_key
from crm.contacts.views import ContactViewSet
from crm.records.types import register_record_type
from crm.saved_views.lists import ViewedList, keep_views_of

protected.register("contact", ContactViewSet)
register_record_type(CONTACT_TYPE)
keep_views_of("contact", ViewedList("contact", CONTACT_TYPE.fields, kind=CONTACT_TYPE.kind))
unique_key_changed.connect(set_unique_key)
count_usage("contact", live_contacts)
register_first_step(FirstStep("contacts", live_contacts, 2))
register_measure(Measure("newContacts", "contact", live_contacts, "created_at", place=10))
register_measure(Measure("answered", "contact", live_contacts, "replied_at", by_day=True, place=30))
register_kind(
    Kind(
        "contact",
        "contact",
        lambda actor: live_contacts(),
        CONTACT_FIELDS.pick("name", "email", "contactNumber"),
        "name",
        "email",
        10,
    )
)
