"""Installation of templates: a workflow with the email templates that it sends, made by one request."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from django.db import transaction

from core.access import Actor
from core.errors import NamedError, PermissionLacking
from core.tenancy import company_id
from core.types import JsonObject, Values
from crm.contacts.filters import CONTACT_FIELDS
from crm.records.models import CustomField
from crm.segments.models import Segment
from outreach.messaging.delivery.senders import choose_sender, find_sender
from outreach.messaging.delivery.settings.models import GenieSettings
from outreach.messaging.email_templates.models import EmailTemplate
from outreach.messaging.email_templates.rendering import compile_template
from outreach.messaging.email_templates.services import create_template
from workflows.definitions import publishing, services
from workflows.definitions.choices import MAX_CHOICES, SENDERS, choices_for
from workflows.definitions.starters import DRAFT, body_of, draft_from, find_template, get_template
from workflows.graphs.models import Workflow
from workflows.graphs.rights import May

CATEGORY = "Workflows"
"""Category of the email templates that an installation makes."""
ADDED = "createdAt"
"""The date of every contact, which stands for a birthday where the company has no such field."""
BIRTHDAYS = ("birthday", "birth date", "birthdate", "date of birth", "geburtstag", "geburtsdatum", "anniversaire")
MAX_DAYS = 3650
OPENS = "opens"
OPENS_OFF = "opensOff"
SENDER_MISSING = "senderMissing"


@dataclass(frozen=True)
class Installed:
    """The result of an installation."""

    workflow: Workflow
    templates: list[JsonObject]
    """_id and name of each email template."""


def template_detail(key: str, actor: Actor) -> JsonObject:
    """Return a template with its emails as they look, its settings with their choices, what it lacks, and its workflows
    that are on.

    Raises NotFound_404.
    """
    template = find_template(key)
    settings = template.get("settings", {})
    choices = _choices(actor)
    setting_rows = [
        {"name": name, "kind": kind_of(name, default), "default": _default(name, default), "choices": choices.get(name)}
        for name, default in settings.items()
    ]
    emails = []
    for email in template.get("emails", ()):
        body = body_of(email)
        compiled = compile_template(email["subject"], body, email["variables"])
        texts = {"body": body, "html": compiled.html, "text": compiled.text}
        emails.append({**{name: email[name] for name in ("key", "name", "subject")}, **texts})
    return {
        "key": key,
        **template,
        **_shown_draft(template, {setting["name"]: setting["default"] for setting in setting_rows}),
        "settings": setting_rows,
        "emails": emails,
        "missing": missing_requirements(template),
        "running": _running(template),
    }


def _running(template: Values) -> list[JsonObject]:
    """Return _id and name of the published workflows that have the template's name, with or without a number."""
    names = re.compile(rf"{re.escape(template['name'])}( \(\d+\))?", re.IGNORECASE)
    rows = Workflow.objects.filter(
        is_deleted=False, status=Workflow.Status.PUBLISHED, name__istartswith=template["name"]
    )
    named = rows.order_by("pk").values_list("pk", "name")
    return [_choice(pk, name) for pk, name in named if names.fullmatch(name)][:MAX_CHOICES]


def _shown_draft(template: Values, defaults: Values) -> JsonObject:
    """Return the graph with the defaults of its settings. The marks of the member and of emails stay."""
    marks = {"me": "@me", **{f"email:{email['key']}": f"@email:{email['key']}" for email in template.get("emails", ())}}
    draft = draft_from(template, {**marks, **defaults})
    return {name: draft[column] for name, column in DRAFT.items()}


def kind_of(name: str, default: object) -> str:
    """Return the kind of a setting: sender, segment, field or days."""
    return "days" if isinstance(default, int) else name


def missing_requirements(template: Values) -> list[str]:
    """Return what a template lacks to run: senderMissing, opensOff."""
    problems = []
    if template.get("emails"):
        try:
            choose_sender(None)
        except NamedError:
            problems.append(SENDER_MISSING)
    if OPENS in template.get("needs", ()) and not _tracks_opens():
        problems.append(OPENS_OFF)
    return problems


def _tracks_opens() -> bool:
    return bool(GenieSettings.objects.values_list("track_opens", flat=True).first())


def _choices(actor: Actor) -> JsonObject:
    """Return setting -> its choices, _id and name of each; None for those that the actor may not read."""

    def may_read(module: str) -> bool:
        return actor.is_unbounded or actor.may(module, "GET")

    segments = Segment.objects.filter(panel="contact").order_by("name", "pk").values_list("pk", "name")[:MAX_CHOICES]
    return {
        "sender": choices_for(may_read)[SENDERS],
        "segment": [_choice(*row) for row in segments] if may_read("segment") else None,
        "field": [_choice(ADDED, ""), *(_choice(*row) for row in _dates())],
    }


def _choice(id: str, name: str) -> JsonObject:
    return {"_id": id, "name": name}


def _dates() -> list[tuple[str, str]]:
    """Return the key and name of each date of contacts that the company has itself."""
    fields = CustomField.objects.filter(panel="contact", is_system=False, hide=False, value_type="date")
    return list(fields.order_by("order", "pk").values_list("unique_field_id", "name"))


def _default(name: str, default: object) -> object:
    if name != "field":
        return default
    return next((key for key, label in _dates() if label.strip().casefold() in BIRTHDAYS), ADDED)


@transaction.atomic
def install_template(
    *,
    key: str,
    member_id: str,
    may: May,
    settings: Values | None = None,
    publish: bool = False,
    request_id: str = "",
    **values: Any,
) -> Installed:
    """Create a template's email templates and its workflow, which runs if `publish` is true. Names that are taken get
    a suffix.

    A repeated `request_id` of the member installs nothing and returns what it has installed. Other `values` take the
    places of the template's.

    Raises NotFound_404 for an unknown template. Raises InvalidInput_400 for an unknown setting, and for a `request_id`
    whose workflow is deleted. Raises UnauthorizedAction_403, PlanLimitExceeded_403, and
    ValidationError_400 where it cannot be published.
    """
    template = get_template(key) if settings is None else find_template(key)
    services.lock_names()
    id = _id_of(member_id, key, request_id) if request_id else ""
    former = Workflow.objects.filter(pk=id).first() if id else None
    if former is not None and former.is_deleted:
        # A form that a browser sends again would otherwise bring back what somebody has removed.
        raise NamedError(
            "InvalidInput_400", "its workflow was installed and deleted; enter another one", field="requestId"
        )
    if former is not None:
        return Installed(former, _templates_of(former))
    chosen_values = _read_settings(template.get("settings", {}), settings or {})
    created = _create_emails(template, member_id, may)
    emails = {f"email:{email_key}": row.pk for email_key, row in created.items()}
    draft = {**draft_from(template, {"me": member_id, **chosen_values, **emails}), **values}
    workflow = services.create_workflow(member_id=member_id, **({"id": id} if id else {}), **draft)
    if publish:
        if OPENS_OFF in missing_requirements(template):
            text = "switch on the tracking of opens first: without it everybody would count as silent"
            raise NamedError("ValidationError_400", text, field="publish", code=OPENS_OFF)
        publishing.publish_workflow(id=workflow.pk, member_id=member_id, may=may)
        workflow.refresh_from_db()
    return Installed(workflow, [_choice(row.pk, row.name) for row in created.values()])


def _id_of(member_id: str, key: str, request_id: str) -> str:
    # The company is in it, so that a request of one company never meets a workflow of another.
    return sha256(f"{company_id()} {member_id} {key} {request_id}".encode()).hexdigest()[:24]


def _templates_of(workflow: Workflow) -> list[JsonObject]:
    """Return the email templates that the steps of a workflow name."""
    configs = [node.get("data", {}).get("config") or {} for node in workflow.nodes]
    ids = [config["template"] for config in configs if config.get("template")]
    rows = EmailTemplate.objects.filter(pk__in=ids).order_by("pk")
    return [_choice(*row) for row in rows.values_list("pk", "name")]


def _create_emails(template: Values, member_id: str, may: May) -> dict[str, EmailTemplate]:
    """Create the email templates of a template: key -> template."""
    emails = template.get("emails", ())
    if emails and not may("template", "POST"):
        raise PermissionLacking("template.POST", ", since the workflow has emails of its own", field="template")
    created = {}
    for email in emails:
        created[email["key"]] = create_template(
            member_id=member_id,
            name=_free_email_name(f"{template['name']}: {email['name']}"),
            category=CATEGORY,
            subject=email["subject"],
            body=body_of(email),
            variables=email["variables"],
        )
    return created


def _free_email_name(name: str) -> str:
    names = EmailTemplate.objects.filter(name__istartswith=name).values_list("name", flat=True)
    return services.free_name(name, names)


def _read_settings(known: Values, given: Values) -> JsonObject:
    """Return the values of all settings. Raises InvalidInput_400 for one that is unknown or does not fit."""
    for name in given:
        if name not in known:
            names = ", ".join(known) or "none"
            raise NamedError("InvalidInput_400", f"is no setting; the template has {names}", field=f"settings.{name}")
    values = {}
    for name, default in known.items():
        value = given.get(name)
        if value in (None, ""):
            value = _default(name, default)
        if value is not None:
            READ[kind_of(name, default)](value, f"settings.{name}")
        values[name] = value
    return values


def _check_sender(value: object, field: str) -> None:
    if not isinstance(value, str) or find_sender(value) is None:
        raise NamedError("InvalidInput_400", "there is no such sender in this company", field=field)


def _check_segment(value: object, field: str) -> None:
    if not isinstance(value, str) or not Segment.objects.filter(pk=value, panel="contact").exists():
        raise NamedError("InvalidInput_400", "there is no such segment of contacts in this company", field=field)


def _check_date(value: object, field: str) -> None:
    if CONTACT_FIELDS.filterable(str(value), field).type != "date":
        raise NamedError("InvalidInput_400", "choose a date of contacts", field=field)


def _check_days(value: object, field: str) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= MAX_DAYS:
        raise NamedError("InvalidInput_400", f"enter a whole number of days from 1 to {MAX_DAYS}", field=field)


READ: dict[str, Callable[[object, str], None]] = {
    "sender": _check_sender,
    "segment": _check_segment,
    "field": _check_date,
    "days": _check_days,
}
"""Kind of a setting -> the check of its value."""
