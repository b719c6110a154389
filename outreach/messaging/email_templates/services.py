"""Use cases of templates of mails. Their names are unique in the company, regardless of case."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, count
from typing import Any

from django.db import transaction

from core.access import reserve_quota
from core.errors import NamedError, shorten
from core.hooks import Hook
from core.lists import BulkSelection, in_batches
from core.types import JsonObject, Values
from crm.contacts.selectors import live_contacts
from crm.models import Contact
from crm.records.writes.unique_names import save_unique_name
from outreach.messaging.delivery.attachments import describe_files
from outreach.messaging.email_templates.compiler import Compiled
from outreach.messaging.email_templates.designs.blocks import read_design
from outreach.messaging.email_templates.designs.bodies import body_of, design_fields, with_body
from outreach.messaging.email_templates.designs.brands import brand_of_company
from outreach.messaging.email_templates.designs.ready import ready_template
from outreach.messaging.email_templates.models import EmailTemplate, EmailTemplateVersion
from outreach.messaging.email_templates.rendering import Rendered, ValueReader, compile_template, render

MODULE = "template"
TAKEN = "TemplateNameAlreadyExists_400"
KEPT_VERSIONS = 50
WORDS = ("subject", "body", "design", "variables", "attachments")
before_templates_deleted: Hook[[Sequence[str]], Iterable[str]] = Hook(
    __name__,
    "before_templates_deleted",
    "Before email templates (ids) are deleted, in that transaction. Returns the names of records that use one of them"
    " and have not started.",
)
EXAMPLE = {"contact.name": "Ann Example", "contact.firstName": "Ann", "organization.name": "Example Ltd"}
"""Values of the made-up contact of previews."""
NAMED = 5
MAX_NAME = 200
NOT_FOUND = "EmailTemplateNotFound_404"


def not_found(parameter: str = "id") -> NamedError:
    """Return the error for an id that belongs to no email template of the company."""
    return NamedError(NOT_FOUND, "there is no such email template in this company", field=parameter)


def get_template(id: str, parameter: str = "id") -> EmailTemplate:
    """Return the company's template with this id. Raises EmailTemplateNotFound_404."""
    template: EmailTemplate | None = EmailTemplate.objects.filter(pk=id).first()
    if template is None:
        raise not_found(parameter)
    return template


@transaction.atomic
def create_template(*, member_id: str, **values: Any) -> EmailTemplate:
    """Create a template.

    Raises TemplateNameAlreadyExists_400, InvalidVariables_400, InvalidEmailTemplate_400, FileNotFound_400 for an
    attachment or a picture, PlanLimitExceeded_403.
    """
    reserve_quota(MODULE)
    values = with_body(values)
    template = EmailTemplate(created_by_id=member_id, updated_by_id=member_id, **values)
    return _save(template, new_words=True, new_files=True)


def create_ready_template(*, member_id: str, ready: str) -> EmailTemplate:
    """Create a template from a ready one, under its name or the next free one.

    Raises InvalidEmailTemplate_400 for an unknown key, PlanLimitExceeded_403.
    """
    row = ready_template(ready)
    values = {name: row[name] for name in ("category", "subject", "design")}
    return create_template(member_id=member_id, name=free_name(row["name"]), variables=[], **values)


def preview_ready_template(key: str) -> tuple[Compiled, Rendered]:
    """Return a ready template and its mail for an example. Raises InvalidEmailTemplate_400 for an unknown key."""
    row = ready_template(key)
    brand = brand_of_company()
    compiled = compile_template(row["subject"], body_of(read_design(row["design"])), [])
    values = {**EXAMPLE, "company.name": brand.name, "company.website": brand.website}
    return compiled, render(row["subject"], compiled, [], values)


def duplicate_template(*, id: str, member_id: str) -> EmailTemplate:
    """Create a copy of a template, under the next free name.

    Raises EmailTemplateNotFound_404, and the errors of create_template.
    """
    template = get_template(id)
    values = {name: getattr(template, name) for name in ("category", *WORDS)}
    if template.design is not None:
        del values["body"]
    return create_template(member_id=member_id, name=free_name(template.name), **values)


def free_name(name: str) -> str:
    """Return the name, with a number behind it if another template has it."""
    stem = name[: MAX_NAME - len(" (1000)")]
    taken = {
        found.casefold()
        for found in EmailTemplate.objects.filter(name__istartswith=stem).values_list("name", flat=True)
    }
    numbered = (f"{stem} ({number})" for number in count(2))
    return next(text for text in chain((name,), numbered) if text.casefold() not in taken)


@transaction.atomic
def update_template(*, id: str, member_id: str, check_files: bool = True, **values: Any) -> EmailTemplate:
    """Change the given values. Started runs keep the version with which they started.

    Raises EmailTemplateNotFound_404, and the errors of create_template.
    """
    template = EmailTemplate.objects.select_for_update(of=("self",)).filter(pk=id).first()
    if template is None:
        raise not_found()
    values = with_body(values, template)
    new_words = any(getattr(template, name) != values[name] for name in WORDS if name in values)
    for name, value in values.items():
        setattr(template, name, value)
    template.version += new_words
    template.updated_by_id = member_id
    return _save(template, new_words=new_words, new_files=check_files and "attachments" in values)


def restore_version(*, id: str, member_id: str, number: int) -> EmailTemplate:
    """Restore an earlier version of a template, as a new version.

    Raises EmailTemplateNotFound_404 when there is no such template or version, and the errors of update_template.
    """
    version = EmailTemplateVersion.objects.filter(template_id=id, number=number).values(*WORDS).first()
    if version is None:
        get_template(id)
        raise NamedError(NOT_FOUND, "the template has no such version, or it is too old to be kept", field="version")
    if version["design"] is not None:
        del version["body"]
    # Deleted files are reported by the preview, and when the template is sent.
    return update_template(id=id, member_id=member_id, check_files=False, **version)


def _save(template: EmailTemplate, *, new_words: bool, new_files: bool = False) -> EmailTemplate:
    if new_files:
        template.attachments = [file["id"] for file in describe_files(template.attachments)]
    with design_fields(template.design):
        compiled = compile_template(template.subject, template.body, template.variables)
    template.html = compiled.html
    template.text = compiled.text
    template.links = list(compiled.links)
    save_unique_name(template, TAKEN)
    if new_words:
        texts = {name: getattr(template, name) for name in WORDS}
        versions = EmailTemplateVersion.objects.filter(template=template)
        versions.filter(number__lte=template.version - KEPT_VERSIONS).delete()
        versions.create(template=template, number=template.version, created_by_id=template.updated_by_id, **texts)
    return template


def compiled_of(template: EmailTemplate) -> Compiled:
    """Return the stored result of compiling a template."""
    return Compiled(template.html, template.text, tuple(template.links))


@transaction.atomic
def delete_templates(*, selection: BulkSelection) -> tuple[int, str]:
    """Delete the selected templates. Started runs keep their version.

    Returns how many, and the names of the records that use them and have not started. Raises EmailTemplateNotFound_404
    when ids name none.
    """
    deleted, losing = 0, dict[str, None]()
    for ids in in_batches(selection.apply(EmailTemplate.objects.all()), lock=True):
        losing |= dict.fromkeys(name for names in before_templates_deleted.send(ids) for name in names)
        EmailTemplate.objects.filter(pk__in=ids).delete()
        deleted += len(ids)
    if not deleted and not selection.everything:
        raise NamedError(NOT_FOUND, "none of them is an email template of this company", field="ids")
    return deleted, ", ".join(shorten(name, 60) for name in [*losing][:NAMED])


def preview_template(*, id: str, contact_id: str | None) -> tuple[EmailTemplate, Rendered]:
    """Return a template and the mail that it makes for a contact; without one its placeholders stay.

    Raises EmailTemplateNotFound_404 and ContactNotFound_400.
    """
    template = get_template(id, "templateId")
    values = values_of(contact_id, template.variables)
    return template, render(template.subject, compiled_of(template), template.variables, values)


def preview_words(
    *,
    subject: str,
    variables: Sequence[Values],
    contact_id: str | None,
    body: str = "",
    design: JsonObject | None = None,
) -> tuple[Compiled, Rendered]:
    """Return the mail that results from an unsaved template, which has a body or a design.

    Raises InvalidVariables_400, InvalidEmailTemplate_400, FileNotFound_400 for a picture and ContactNotFound_400.
    """
    values = with_body({"body": body, "design": design} if body else {"design": design})
    with design_fields(values.get("design")):
        compiled = compile_template(subject, values.get("body", ""), variables)
    return compiled, render(subject, compiled, variables, values_of(contact_id, variables))


def values_of(contact_id: str | None, variables: Sequence[Values]) -> dict[str, str] | None:
    """Return the values of a contact; None without one. Raises ContactNotFound_400."""
    return None if contact_id is None else ValueReader.load().of(contact_of(contact_id), variables)


def contact_of(id: str) -> Contact:
    """Return the live contact whose values a preview has. Raises ContactNotFound_400."""
    contact: Contact | None = live_contacts().filter(pk=id).first()
    if contact is None:
        raise NamedError("ContactNotFound_400", "there is no such contact in this company", field="contactId")
    return contact
