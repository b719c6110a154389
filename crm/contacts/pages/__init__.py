"""The pages of contacts: the list, the bulk change, a contact, a new one."""

from __future__ import annotations

from crm.contacts.pages.lists import ChangeContacts, ContactCell, ContactColumns, Contacts, StartForContacts
from crm.contacts.pages.record import ContactDetail, ContactRelated, NewContact
from crm.contacts.pages.samples import SamplePeople

PAGES = [
    Contacts,
    ContactColumns,
    ChangeContacts,
    StartForContacts,
    ContactCell,
    NewContact,
    SamplePeople,
    ContactDetail,
    ContactRelated,
]
