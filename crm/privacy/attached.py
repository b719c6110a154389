"""The files in file fields of a person's records."""

from __future__ import annotations

from django.db.models import Q

from crm.contacts.models import Contact
from crm.contacts.schema import ContactSchema
from crm.leads.models import Lead
from crm.leads.schema import LeadSchema
from crm.privacy.registry import DataSubject


def attached_files(subject: DataSubject) -> list[str]:
    """Return the ids of the files in file fields of the subject's records."""
    file_ids: list[str] = []
    for schema, model, ids in (
        (ContactSchema.load(), Contact, subject.contact_ids),
        (LeadSchema.load(), Lead, subject.lead_ids),
    ):
        specs = [schema.fields[key] for key in schema.referring]
        for custom in model.objects.filter(pk__in=ids).values_list("custom", flat=True):
            for spec in specs:
                if spec.key in custom:
                    file_ids += [
                        reference.id for reference in spec.references(custom[spec.key]) if reference.kind == "file"
                    ]
    return file_ids


def files_of(subject: DataSubject) -> Q:
    """Match the files in file fields of the subject's records."""
    return Q(pk__in=attached_files(subject), is_deleted=False)
