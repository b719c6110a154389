"""Imports a folder of MongoDB's exports into the active company, in batches that are safe to repeat."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from django.db import transaction
from django.db.models import Model

from config.predecessor.documents import Unreadable, collections_in, read_documents
from config.predecessor.named import (
    remember_keys,
    write_categories,
    write_fields,
    write_products,
    write_tags,
    write_templates,
)
from config.predecessor.people import import_contacts, import_leads
from config.predecessor.records import Document, Import, keep_times
from config.predecessor.report import Report
from core.ids import is_id
from core.types import JsonObject
from crm.contacts.models import Contact
from crm.leads.models import Lead
from crm.products.models import ProductService
from crm.records.models import CustomField
from crm.tags.models import ContactCategory, Tag
from outreach.messaging.email_templates.models import EmailTemplate

BATCH = 500
Write = Callable[[Import, Sequence[Document]], None]
WRITERS: dict[str, tuple[type[Model], Write]] = {
    "custom-field": (CustomField, write_fields),
    "tag": (Tag, write_tags),
    "contact-category": (ContactCategory, write_categories),
    "product-service": (ProductService, write_products),
    "contact": (Contact, import_contacts),
    "lead": (Lead, import_leads),
    "template": (EmailTemplate, write_templates),
}
"""Kind -> its model, and what writes new documents of it."""
COMPANY = ("company", "companyID", "companyId")


def companies_in(folder: Path) -> set[str]:
    """Return the companies that documents of the folder belong to."""
    companies = set()
    for path in collections_in(folder).values():
        for _, document in read_documents(path):
            if isinstance(document, dict) and (company := _company_of(document)):
                companies.add(company)
    return companies


def _company_of(document: Document) -> str:
    value = next((document[name] for name in COMPANY if document.get(name)), "")
    return str(value.get("_id", "") if isinstance(value, dict) else value)


def import_folder(folder: Path, *, actor_id: str, source_company: str = "") -> Report:
    """Import the folder's collections, in the order in which their references need them.

    A document whose _id is there already stays as it is, so that the import can be repeated. With `source_company`
    documents of other companies are left out.
    """
    run = Import(actor_id)
    for kind, path in collections_in(folder).items():
        pending = _documents(run, kind, path, source_company)
        while documents := list(islice(pending, BATCH)):
            _write(run, kind, documents)
    return run.report


def _write(run: Import, kind: str, documents: Sequence[Document]) -> None:
    model, write = WRITERS[kind]
    with transaction.atomic():
        new = run.new(kind, model, documents)
        write(run, new)
        keep_times(model, new)
    if kind == "custom-field":
        remember_keys(run, documents)


def _documents(run: Import, kind: str, path: Path, source_company: str) -> Iterator[JsonObject]:
    """Yield the documents that can be records, and count the others."""
    seen: set[str] = set()
    try:
        for number, document in read_documents(path):
            run.report.count(kind, "read")
            if not isinstance(document, dict):
                run.report.refuse(kind, f"document {number}", document)
            elif not is_id(document.get("_id")):
                run.report.refuse(kind, f"document {number}", "has no ObjectId as _id")
            elif source_company and _company_of(document) not in ("", source_company):
                run.report.count(kind, "others")
            elif document.get("isDeleted") is True:
                run.report.count(kind, "deleted")
            elif document["_id"] in seen:
                run.report.count(kind, "known")
            else:
                seen.add(document["_id"])
                yield document
    except (Unreadable, OSError) as error:
        run.report.refuse(kind, path.name, f"cannot be read on: {error}")
