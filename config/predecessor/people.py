"""Contacts and leads of the predecessor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from config.predecessor.records import Document, Import, time_of
from core.text.addresses import BadAddress, read_phone
from core.types import JsonObject
from crm.contacts.models import Contact
from crm.contacts.schema import ContactRow, ContactSchema
from crm.contacts.writer import write_contacts
from crm.leads.references import missing_references
from crm.leads.schema import LeadRow, LeadSchema
from crm.leads.writes.writer import write_leads
from crm.products.models import ProductService
from crm.records.schema import RecordRow, RecordSchema
from crm.tags.services import missing_categories, missing_tags

CATEGORY = ("category", "contactCategory", "contactcategories")
OF_LEADS = ("contact", "productServices", "team", "teamMember", "tags")


def import_contacts(run: Import, documents: Sequence[Document]) -> None:
    """Make contacts. Map duplicates by the unique key to the existing contact, and keep unsubscriptions."""
    schema = ContactSchema.load()
    rows: list[ContactRow] = []
    for index, document in enumerate(documents):
        row = _read(run, "contact", schema, document, index, _form(run, document))
        if row is not None:
            row.tag_ids = run.references(document.get("tags") or [])
            row.category_id = next((run.reference(document[key]) for key in CATEGORY if document.get(key)), None)
            rows.append(row)
    _drop_missing(run, "contact", schema, rows, documents)
    written = write_contacts(schema, rows, actor_id=run.actor_id, automation=False)
    run.report.count("contact", "added", len(written.created))
    for collision in written.collided:
        id = documents[collision.index]["_id"]
        run.same[id] = collision.existing_id
        run.report.count("contact", "merged")
        run.report.note(
            "contact", id, f"the contact {collision.existing_id} has {collision.value} already", collision.field
        )
    _unsubscribe([documents[index] for index, _ in written.created])


def _form(run: Import, document: Document) -> JsonObject:
    """Return the values of a contact, its number from contactNumber where it has no other."""
    form = run.form(document, ("tags", *CATEGORY))
    whole = document.get("contactNumber")
    if isinstance(whole, str) and whole and not form.get("number"):
        try:
            phone = read_phone(None, whole)
        except BadAddress as error:
            run.report.note("contact", document["_id"], str(error), "contactNumber")
        else:
            form |= {"countryCode": phone.country_code, "number": phone.number}
    return form


def _unsubscribe(documents: Sequence[Document]) -> None:
    """Keep that contacts have unsubscribed, and when."""
    times = {
        document["_id"]: time_of(document, "unsubscribedAt") or time_of(document, "updatedAt")
        for document in documents
        if document.get("unsubscribed") or document.get("unsubscribedAt")
    }
    contacts = list(Contact.objects.filter(pk__in=times))
    for contact in contacts:
        contact.unsubscribed_at = times[contact.pk] or contact.created_at
    Contact.objects.bulk_update(contacts, ["unsubscribed_at"])


def import_leads(run: Import, documents: Sequence[Document]) -> None:
    """Make leads of contacts that are here. Teams and members that are not here are left out."""
    schema = LeadSchema.load()
    rows: list[LeadRow] = []
    for index, document in enumerate(documents):
        row = _read(run, "lead", schema, document, index, run.form(document, (*OF_LEADS, *CATEGORY)))
        if row is None:
            continue
        contact = run.reference(document.get("contact"))
        if contact is None:
            run.report.refuse("lead", document["_id"], "names no contact", "contact")
            continue
        row.contact = None
        row.system["contact_id"] = contact
        row.system["team_id"] = run.reference(document.get("team"))
        row.system["team_member_id"] = run.reference(document.get("teamMember"))
        row.tag_ids = run.references(document.get("tags") or [])
        row.product_ids = run.references(document.get("productServices") or [])
        rows.append(row)
    _drop_missing(run, "lead", schema, rows, documents)
    written = write_leads(schema, rows, actor_id=run.actor_id, automation=False)
    run.report.count("lead", "added", len(written.created))
    for index, there in written.collided:
        run.same[documents[index]["_id"]] = there
        run.report.count("lead", "merged")
    for index, problems in written.failed.items():
        run.report.refuse("lead", documents[index]["_id"], problems[0].text, problems[0].key)


def _read(run: Import, kind: str, schema: RecordSchema, document: Document, index: int, form: JsonObject) -> Any:
    """Return the row of a document, without values that are invalid. None for one that has nothing."""
    row, problems = schema.read(form, drop_invalid=True, exists=True, index=index)
    for problem in problems:
        run.report.note(kind, document["_id"], problem.text, problem.key)
    if row is None or (kind == "contact" and not row.system and not row.custom):
        run.report.refuse(kind, document["_id"], "has no value that can be kept")
        return None
    row.own_id = document["_id"]
    return row


def _drop_missing(
    run: Import, kind: str, schema: RecordSchema, rows: Sequence[Any], documents: Sequence[Document]
) -> None:
    """Drop references to what the company lacks, and note them."""

    def note(row: RecordRow, text: str, key: str) -> None:
        run.report.note(kind, documents[row.index]["_id"], text, key)

    no_tags = set(missing_tags(tag for row in rows for tag in row.tag_ids or ()))
    no_categories = set(missing_categories(row.category_id for row in rows))
    product_ids = {id for row in rows for id in getattr(row, "product_ids", None) or ()}
    live = ProductService.objects.filter(pk__in=product_ids, is_deleted=False)
    no_products = product_ids - set(live.values_list("pk", flat=True))
    for row in rows:
        for id in (id for id in row.tag_ids or () if id in no_tags):
            note(row, f"there is no tag {id}", "tags")
        row.tag_ids = [id for id in row.tag_ids or () if id not in no_tags]
        if row.category_id in no_categories:
            note(row, f"there is no contact category {row.category_id}", "category")
            row.category_id = None
        if kind == "lead":
            for id in (id for id in row.product_ids or () if id in no_products):
                note(row, f"there is no product or service {id}", "productServices")
            row.product_ids = [id for id in row.product_ids or () if id not in no_products]
    if kind == "lead":
        _drop_people(rows, note)
    for position, problems in schema.check_references(rows, drop_invalid=True).items():
        for problem in problems:
            note(rows[position], problem.text, problem.key)


def _drop_people(rows: Sequence[LeadRow], note: Any) -> None:
    """Drop teams and members that the company lacks."""
    columns = {"team": "team_id", "teamMember": "team_member_id"}
    for position, problems in missing_references(rows).items():
        for problem in problems:
            note(rows[position], problem.text, problem.key)
            if problem.key in columns:
                rows[position].system.pop(columns[problem.key], None)
