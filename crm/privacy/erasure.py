"""Erasure of a contact: one transaction removes all personal data permanently (docs/privacy.md)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from core.errors import NamedError
from core.events import emit
from core.jobs import notify_workers
from crm.contacts.models import Contact
from crm.exports.services import discard_exports
from crm.files.models import File
from crm.imports.models import Import
from crm.leads.kind import LEAD
from crm.merging.separation import separate
from crm.privacy.attached import attached_files
from crm.privacy.registry import PERSONAL_DATA, DataSubject
from crm.records.types import RECORD_TYPES


@dataclass(frozen=True)
class Erased:
    """The erased data, and the files that need a manual check."""

    contact_ids: list[str]
    lead_ids: list[str]
    counts: dict[str, int]
    """Name of the table -> rows that were deleted or blanked."""
    file_count: int
    export_count: int
    source_files: list[tuple[str, str]]
    """(_id, name) of the uploaded files that have the contact in a row, imported or not. They stay, since they also
    contain other people."""


@transaction.atomic
def erase_contact(*, id: str, confirm: str, actor_id: str) -> Erased:
    """Erase a contact, live or deleted, with the contacts merged into it and all their leads.

    `confirm` is its address, number or _id. Nothing is ever sent to the address again. Emits contact.erased.

    Raises ContactNotFound_400 (also for an erased contact) and InvalidInput_400 for a wrong confirmation. Raises
    InvalidRequest_400 for a contact that was merged into another or to which a message is being sent.
    """
    subject = DataSubject.of(id, lock=True)
    _check(subject.contact, confirm)
    job_ids = PERSONAL_DATA["importRowErrors"].find(subject).values("job")
    imports = Import.objects.filter(Q(pk__in=subject.import_ids) | Q(pk__in=job_ids))
    # Read before anything is erased: afterwards nothing names the imports any more.
    files = list(imports.order_by("pk").values_list("file_id", "file__name"))
    attached = attached_files(subject)
    # Merges have moved rows between people. Each gets its own back, or another
    # person's would be erased with these.
    separate(LEAD, subject.lead_ids)
    _ = subject.object_ids  # read them before they are deleted
    counts = {name: table.erase(subject, table.find(subject)) for name, table in PERSONAL_DATA.items()}
    emit(
        "contact.erased",
        [id],
        payloads={id: {"contacts": subject.contact_ids, "leads": subject.lead_ids}},
        actor_id=actor_id,
    )
    return Erased(
        contact_ids=subject.contact_ids,
        lead_ids=subject.lead_ids,
        counts={name: count for name, count in counts.items() if count},
        file_count=_delete_files(attached),
        export_count=discard_exports(),
        source_files=files,
    )


def _check(contact: Contact, confirm: str) -> None:
    confirmation = confirm.strip().lower()
    digits = "".join(character for character in confirmation if character.isdigit())
    identifiers = {contact.pk, (contact.email or "").lower()} - {""}
    numbers = {contact.number or "", (contact.contact_number or "").lstrip("+")} - {""}
    if confirmation not in identifiers and (
        digits not in numbers or any(character.isalpha() for character in confirmation)
    ):
        raise NamedError("InvalidInput_400", "enter the contact's email address, number or _id", field="confirm")


def _delete_files(ids: Sequence[str]) -> int:
    """Permanently delete those of the files that no other record has, including their names. Returns their number."""
    if not ids:
        return 0
    tables = [record_type.kind.values for record_type in RECORD_TYPES.values()]
    used = {
        # A file may be attached to records of other people as well, who did not ask for its erasure.
        text
        for table in tables
        for text in table._default_manager.filter(text__in=ids).values_list("text", flat=True)
    }
    now = timezone.now()
    deleted = File.objects.filter(pk__in=set(ids) - used, is_deleted=False).update(
        # The row stays until its content is removed. Its name and hashes go now,
        # since they describe the person's file.
        name="",
        hashes={},
        is_deleted=True,
        trashed_at=now,
        updated_at=now,
    )
    notify_workers("files")
    return deleted
