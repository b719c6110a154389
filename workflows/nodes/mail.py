"""The node that writes a mail from a template, or from its own text. It is sent as all messages of outreach are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from pydantic import Field, field_validator, model_validator
from pydantic_core import PydanticCustomError

from core.errors import ApiError, NamedError
from core.types import JsonObject
from crm.models import Contact
from outreach.messaging.delivery.attachments import describe_files
from outreach.messaging.email_templates.compiler import Compiled
from outreach.messaging.email_templates.models import EmailTemplate
from outreach.messaging.email_templates.rendering import Rendered, ValueReader, compile_template, render
from outreach.messaging.email_templates.services import compiled_of
from outreach.runs.genie.automated import Words
from workflows.expressions import Compiled as Expression
from workflows.expressions import compile_value
from workflows.expressions.compile import MAX_PARTS, references
from workflows.expressions.filters import text_value
from workflows.nodes import effects
from workflows.nodes.base import Item, NodeBatch, NodeType
from workflows.nodes.recipients import (
    HANDLES,
    RecipientConfig,
    check_senders,
    plan_batch,
    recipients,
    resume,
    senders_of,
)
from workflows.nodes.records import fail_by
from workflows.nodes.references import checked_ids

COMPOSER = "ai-offline"
"""The AI type of the node's run, which is never called: the text is complete."""

MAX_SUBJECT, MAX_MAIL = 500, 300_000
"""Characters of a subject, and bytes of text and HTML."""
TOO_LARGE = f"its values make the mail larger than {MAX_SUBJECT} characters of subject, or {MAX_MAIL:,} bytes"


class MailConfig(RecipientConfig):
    main = ("subject", "body", "senders", "template", "variables")

    template: str | None = Field(default=None, json_schema_extra={"x-widget": "template"})
    variables: JsonObject = Field(
        default={},
        max_length=100,
        description="Values of the template's variables; the others are fields of the contact.",
        json_schema_extra={"x-widget": "pairs", "x-show-if": {"template": True}},
    )
    subject: str = Field(
        default="", max_length=200, json_schema_extra={"x-widget": "expression", "x-show-if": {"template": None}}
    )
    body: str = Field(
        default="",
        max_length=30_000,
        description="Plain text, HTML or MJML.",
        json_schema_extra={"x-widget": "body", "x-show-if": {"template": None}},
    )

    @field_validator("template")
    @classmethod
    def _id(cls, id: str | None) -> str | None:
        return None if id is None else checked_ids([id])[0]

    @model_validator(mode="after")
    def _words(self) -> MailConfig:
        if self.template is not None and (self.subject or self.body):
            raise PydanticCustomError("twoTexts", "choose a template, or enter subject and text, not both")
        if self.template is None and not (self.subject and self.body):
            raise PydanticCustomError("noText", "choose a template, or enter subject and text")
        if self.variables and self.template is None:
            raise PydanticCustomError("onlyOfTemplate", "variables: belong to a template")
        return self


# Compiling MJML takes longer than all the rest of a mail, and all runs of a node share it.
@lru_cache(maxsize=256)
def own_words(subject: str, body: str) -> tuple[str, Compiled, Mapping[str, Expression]]:
    """Return the subject and the compiled body with a placeholder for each expression, and these by their names.

    Values then come into the mail as those of a template do: escaped in HTML, encoded in addresses, in one line in the
    subject. Raises InvalidEmailTemplate_400.
    """
    if sum(1 for part in (subject, body) for _ in references(part)) > MAX_PARTS:
        raise NamedError("InvalidEmailTemplate_400", f"has more than {MAX_PARTS} references", field="body")
    names: dict[str, str] = {}
    # Expressions are masked, since the compiler of templates would take their braces for its own.
    masked = [_mask(part, names) for part in (subject, body)]
    variables = [{"name": name, "required": False, "dateType": None} for name in names.values()]
    compiled = compile_template(masked[0], masked[1], variables)
    return masked[0], compiled, {name: compile_value(source) for source, name in names.items()}


def is_too_large(mail: Rendered) -> bool:
    """Return whether the values make a mail larger than a template may be."""
    return len(mail.subject) > MAX_SUBJECT or len(mail.text.encode()) + len(mail.html.encode()) > MAX_MAIL


def _mask(source: str, names: dict[str, str]) -> str:
    """Return a text with a placeholder for each expression, and add its name."""
    parts = []
    place = 0
    for start, end in references(source):
        parts += [source[place:start], f"{{{{{names.setdefault(source[start:end], f'v{len(names)}')}}}}}"]
        place = end
    return "".join([*parts, source[place:]])


def _mail(batch: NodeBatch) -> None:
    config: MailConfig = batch.config
    pairs = recipients(batch)
    if not pairs:
        return
    write = _by_template if config.template else _by_words
    mails = write(batch, pairs)
    plan_batch(batch, mails, senders=senders_of(config.senders), ai_type=COMPOSER)


def _by_words(batch: NodeBatch, pairs: Sequence[tuple[Item, Contact]]) -> list[tuple[Item, Contact, Words | None]]:
    subject, compiled, values = own_words(batch.config.subject, batch.config.body)
    mails: list[tuple[Item, Contact, Words | None]] = []
    for item, contact in pairs:
        mail = render(
            subject,
            compiled,
            (),
            {name: text_value(expression.read(item.scope)) for name, expression in values.items()},
        )
        if is_too_large(mail):
            item.fail("tooLarge", TOO_LARGE)
        elif mail.subject.strip() and mail.text.strip():
            mails.append((item, contact, Words(mail.subject, mail.text, mail.html)))
        else:
            item.fail("badValue", "the expressions leave no words", field="body" if mail.subject.strip() else "subject")
    return mails


def _by_template(batch: NodeBatch, pairs: Sequence[tuple[Item, Contact]]) -> list[tuple[Item, Contact, Words | None]]:
    # Read now and not at publication: the template's present text is what its authors expect to go.
    template = EmailTemplate.objects.filter(pk=batch.config.template).first()
    if template is None:
        for item, _ in pairs:
            item.fail("templateMissing", "there is no such email template in this company", field="template")
        return []
    try:
        files = describe_files(template.attachments)
        compiled = compiled_of(template)
        reader = ValueReader.load()
    except ApiError as error:
        for item, _ in pairs:
            fail_by(item, error)
        return []
    mails: list[tuple[Item, Contact, Words | None]] = []
    for item, contact in pairs:
        own = {name: text_value(value) for name, value in batch.render("variables", item).items()}
        values = {**reader.of(contact, template.variables), **own}
        mail = render(template.subject, compiled, template.variables, values)
        if is_too_large(mail):
            item.fail("tooLarge", TOO_LARGE)
        elif mail.missing:
            item.fail("templateVariable", "the contact has no value", field=", ".join(mail.missing))
        else:
            mails.append((item, contact, Words(mail.subject, mail.text, mail.html, files)))
    return mails


def _problems(config: MailConfig) -> list[tuple[str, str, str]]:
    problems = check_senders(config.senders)
    if config.template is None:
        try:
            own_words(config.subject, config.body)
        except NamedError as error:
            problems.extend(("badValue", field, error.reason) for field in error.fields)
        return problems
    template = EmailTemplate.objects.filter(pk=config.template).first()
    if template is None:
        return [*problems, ("templateMissing", "template", "there is no such email template in this company")]
    fields = ValueReader.load().fields
    names = {variable["name"] for variable in template.variables}
    lacks = [
        variable["name"]
        for variable in template.variables
        if variable["required"]
        and variable["name"] not in config.variables
        and not {variable["name"], variable["name"].casefold()} & {*fields}
    ]
    problems += [
        ("templateVariable", "variables", f"the template needs {name}, which is no field of contacts") for name in lacks
    ]
    return problems + [
        ("templateVariable", f"variables.{name}", f"the template has no variable {name}")
        for name in config.variables
        if name not in names
    ]


MAIL = NodeType(
    "mail",
    "messages",
    "Email",
    "Writes an email to the contact of the run. It goes within the limits and hours of all outreach, and to nobody who"
    " is suppressed or has unsubscribed.",
    MailConfig,
    _mail,
    resume=resume,
    handles=lambda config: HANDLES,
    needs=lambda config: ("genie.POST", "contact.GET"),
    icon="mail",
    templates=("to", "variables", "subject", "body"),
    check=_problems,
    writes=True,
    outputs={"id": "id", "status": "text", "reason": "text"},
    effect=effects.of_mail(effects.of_words),
)
TYPES = (MAIL,)
