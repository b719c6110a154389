"""Custom fields, tags, categories, products and email templates of the predecessor: each has a name of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.db import transaction

from config.predecessor.records import Document, Import
from core.api.input import Input, read
from core.errors import ApiError
from core.types import JsonObject
from crm.custom_fields.serializers import FieldCreate
from crm.custom_fields.services import RESERVED_KEYS, create_field
from crm.products.models import ProductService
from crm.products.services import create_product
from crm.records.models import CustomField
from crm.tags.models import ContactCategory, Tag
from crm.tags.serializers import NamedModelCreate
from crm.tags.services import create_tag
from outreach.messaging.email_templates.models import EmailTemplate
from outreach.messaging.email_templates.serializers import TemplateCreate
from outreach.messaging.email_templates.services import create_template

Make = Callable[[Document], object]


def write_fields(run: Import, documents: Sequence[Document]) -> None:
    """Create custom fields, or map them to system fields and existing fields of the same name."""
    rows = CustomField.objects.filter(is_system=False).values_list("panel", "name", "unique_field_id")
    here = {(panel, name.lower()): key for panel, name, key in rows}
    own = []
    for document in documents:
        panel, key = str(document.get("panel") or "contact"), _key(document)
        there = here.get((panel, _name(document)))
        if key in RESERVED_KEYS.get(panel, ()):
            run.report.count("custom-field", "merged")
        elif there is not None:
            run.keys[key] = run.keys[document["_id"]] = there
            run.report.count("custom-field", "merged")
        else:
            own.append(document)

    def make(document: Document) -> None:
        values = read(FieldCreate, _body(FieldCreate, document, without=("section",)))
        create_field(actor_id=run.actor_id, values={"id": document["_id"], **values})

    _create_each(run, "custom-field", own, make)


def remember_keys(run: Import, documents: Sequence[Document]) -> None:
    """Let values stand below the field's _id too, which is not its key if it has a uniqueFieldID."""
    for document in documents:
        run.keys.setdefault(document["_id"], _key(document))


def _key(document: Document) -> str:
    return str(document.get("uniqueFieldID") or document["_id"])


def write_tags(run: Import, documents: Sequence[Document]) -> None:
    """Make tags; references to those that are here by name go to these."""
    _write_named(run, "tag", Tag, documents)


def write_categories(run: Import, documents: Sequence[Document]) -> None:
    """Make contact categories, as tags."""
    _write_named(run, "contact-category", ContactCategory, documents)


def _write_named(run: Import, kind: str, model: type[Tag | ContactCategory], documents: Sequence[Document]) -> None:
    def make(document: Document) -> None:
        values = read(NamedModelCreate, _body(NamedModelCreate, document))
        create_tag(model, actor_id=run.actor_id, values={"id": document["_id"], **values})

    names = {name.lower(): id for id, name in model.objects.values_list("pk", "name")}
    _create_each(run, kind, _without_known(run, kind, documents, names), make)


def write_products(run: Import, documents: Sequence[Document]) -> None:
    """Make products and services; references to those that are here by name go to these."""

    def make(document: Document) -> None:
        saved = create_product(
            actor_id=run.actor_id,
            form_data=run.form(document),
            drop_invalid=True,
            automation=False,
            own_id=document["_id"],
        )
        for problem in saved.left_out:
            run.report.note("product-service", document["_id"], problem.text, problem.key)

    live = ProductService.objects.filter(is_deleted=False).values_list("pk", "name")
    named = [{**document, "name": run.form(document).get("name")} for document in documents]
    kept = _without_known(run, "product-service", named, {name.lower(): id for id, name in live})
    _create_each(run, "product-service", kept, make)


def write_templates(run: Import, documents: Sequence[Document]) -> None:
    """Make email templates. Their attachments are left out, since files are not imported."""

    def make(document: Document) -> None:
        values = read(TemplateCreate, _body(TemplateCreate, document, without=("attachments",)))
        create_template(id=document["_id"], member_id=run.actor_id, **values)
        if document.get("attachments"):
            run.report.note("template", document["_id"], "files are not imported", "attachments")

    names = {name.lower(): id for id, name in EmailTemplate.objects.values_list("pk", "name")}
    _create_each(run, "template", _without_known(run, "template", documents, names), make)


def _create_each(run: Import, kind: str, documents: Sequence[Document], make: Make) -> None:
    """Make a record of each document on its own. One that is refused takes nothing of the others with it."""
    for document in documents:
        try:
            with transaction.atomic():
                make(document)
        except ApiError as error:
            run.report.refuse(kind, document["_id"], error.detail or error.message)
        else:
            run.report.count(kind, "added")


def _without_known(run: Import, kind: str, documents: Sequence[Document], names: Mapping[str, str]) -> list[Document]:
    """Return the documents that are not here by name."""
    new = []
    for document in documents:
        there = names.get(_name(document))
        if there is None:
            new.append(document)
        else:
            run.same[document["_id"]] = there
            run.report.count(kind, "merged")
    return new


def _name(document: Document) -> str:
    return str(document.get("name") or "").strip().lower()


def _body(schema: type[Input], document: Document, without: Sequence[str] = ()) -> JsonObject:
    """Return what a body of the API would have of the document, without empty values and ids of nested objects."""
    names = schema().fields.keys() - set(without)
    return {name: _bare(document[name]) for name in names if document.get(name) not in (None, "")}


def _bare(value: Any) -> Any:
    if isinstance(value, list):
        return [_bare(item) for item in value]
    if isinstance(value, dict):
        return {key: _bare(item) for key, item in value.items() if key != "_id" and item is not None}
    return value
