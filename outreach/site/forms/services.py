"""Use cases of forms: build, publish, pause, delete."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.crypto import get_random_string

from core.errors import NamedError, ValidationFailed, shorten
from core.lists import BulkSelection, in_batches
from core.text.addresses import BadAddress, read_country_code
from core.types import JsonObject, Values
from crm.leads.schema import LeadSchema
from crm.leads.sources import check_source
from crm.records.writes.unique_names import save_unique_name
from crm.tags.services import check_tags
from crm.teams.models import Team
from outreach.connections.social_apps.services import PAGE_ID, get_app, subscribe_page
from outreach.site.forms.kinds import CHOICES, CONSENT, HIDDEN, KEY
from outreach.site.forms.models import TOKEN_LENGTH, Form
from outreach.site.forms.targets import check_complete, check_identifies, check_mapping

MODULE = "lead"
NOT_FOUND = "FormNotFound_400"
TAKEN, NO_FIELDS = "FormNameAlreadyExists_400", "FormFieldsRequired_400"
FORM_ID, FORM_TOKEN = "FormIdRequired_400", "FormIdOrTokenRequired_400"  # noqa: S105
NOT_PUBLISHABLE = "InvalidRequest_400"
MAX_FORMS = 200
MAX_FIELDS = 60
"""Forms of a company, and fields of a form."""
EVERY = timedelta(days=1)
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
State, Source = Form.State, Form.Source
PLACE = frozenset({"source", "app", "page_id", "form_id"})


def not_found(parameter: str = "id") -> NamedError:
    """Return the error for an id that belongs to no form of the company."""
    return NamedError(NOT_FOUND, "there is no such form in this company", field=parameter)


def get_form(id: str, parameter: str = "id") -> Form:
    """Return the company's form with this id. Raises FormNotFound_400."""
    form: Form | None = Form.objects.filter(pk=id).first()
    if form is None:
        raise not_found(parameter)
    return form


def _lock_form(id: str) -> Form:
    form: Form | None = Form.objects.select_for_update(of=("self",)).filter(pk=id).first()
    if form is None:
        raise not_found()
    return form


@transaction.atomic
def create_form(*, member_id: str, **values: Any) -> Form:
    """Create a form, a draft.

    Raises FormNameAlreadyExists_400, InvalidMapping_400, FormIdRequired_400, PageIdRequired_400 and
    FormIdOrTokenRequired_400. Raises AppNotFound_400, TagNotFound_400, TeamNotFound_400 and ValidationFailed.
    """
    if Form.objects.count() >= MAX_FORMS:
        raise ValidationFailed("name: too many", f"a company has at most {MAX_FORMS} forms; delete one", field="name")
    form = Form(token=get_random_string(TOKEN_LENGTH), created_by_id=member_id, updated_by_id=member_id)
    _set(form, values)
    return _save(form)


@transaction.atomic
def update_form(*, id: str, member_id: str, **values: Any) -> Form:
    """Change a form; a published one shows the change at once. Raises FormNotFound_400 and those of `create_form`."""
    form = _lock_form(id)
    moved = sorted(name for name in PLACE & {*values} if _setting(form, name) != values[name])
    if moved and form.state != State.DRAFT:
        raise ValidationFailed(
            "source is fixed", "where its leads come from is fixed once it was published", field="source"
        )
    _set(form, values)
    if form.state == State.PUBLISHED:
        _check_publishable(form)
    form.updated_by_id = member_id
    return _save(form)


def _setting(form: Form, name: str) -> Any:
    return form.app_id if name == "app" else getattr(form, name)


def publish_form(*, id: str, member_id: str) -> Form:
    """Publish a form, so that it accepts answers. A page at the platform is subscribed first.

    Raises FormNotFound_400, FormFieldsRequired_400, InvalidMapping_400, WebhookSubscriptionFailed_500.
    """
    form = get_form(id)
    with transaction.atomic():
        _check_publishable(form)
    if form.source == Source.SOCIAL_A and form.app_id:
        subscribe_page(get_app(form.app_id, "app"), form.page_id)  # asks the platform
    with transaction.atomic():
        form = _lock_form(id)
        _check_publishable(form)
        form.state = State.PUBLISHED
        form.updated_by_id = member_id
        form.due_at = timezone.now()
        form.save()
    return form


@transaction.atomic
def pause_form(*, id: str, member_id: str) -> Form:
    """Pause a form, so that it accepts no answers. Raises FormNotFound_400, and InvalidRequest_400 for an inactive
    one."""
    form = _lock_form(id)
    if form.state != State.PUBLISHED:
        raise NamedError(NOT_PUBLISHABLE, f"the form is {form.state}; only a published one can be paused", field="id")
    form.state = State.PAUSED
    form.updated_by_id = member_id
    form.save()
    return form


@transaction.atomic
def delete_forms(*, selection: BulkSelection) -> int:
    """Delete forms with their submissions; the leads stay. Return their number. Raises FormNotFound_400."""
    deleted = 0
    for ids in in_batches(selection.apply(Form.objects.all()), lock=True):
        Form.objects.filter(pk__in=ids).delete()
        deleted += len(ids)
    if not deleted and not selection.everything:
        raise NamedError(NOT_FOUND, "none of them is a form of this company", field="ids")
    return deleted


def _check_publishable(form: Form) -> None:
    if not form.fields:
        raise NamedError(NO_FIELDS, "add a field first", field="fields")
    if form.source == Source.SOCIAL_A and form.app_id is None:
        raise NamedError(FORM_TOKEN, "choose another social account; this one was removed", field="app")
    schema = LeadSchema.load()
    check_identifies(form.mapping, schema)
    # What an ad asks is up to the platform, where nobody can make it required here.
    check_complete([] if form.source == Source.SOCIAL_A else form.fields, form.mapping, schema)


def _set(form: Form, values: Values) -> None:
    """Set the values, and check those that depend on each other."""
    source = form.lead_source
    for name, value in values.items():
        setattr(form, {"team": "team_id", "category": "category_id", "app": "app_id"}.get(name, name), value)
    if form.source == Source.SOCIAL_A:
        _check_place(form)
    elif values.get("app"):
        get_app(form.app_id, "app")
    if "fields" in values:
        form.fields = _checked_fields(values["fields"], own=form.source == Source.OWN)
        kept = {field["key"] for field in form.fields if field["type"] != CONSENT}
        if "mapping" not in values:
            form.mapping = {key: target for key, target in form.mapping.items() if key in kept}
    if {"fields", "mapping"} & {*values}:
        check_mapping(form.fields, form.mapping, LeadSchema.load())
    if "tags" in values or values.get("category"):
        form.tags = list(dict.fromkeys(form.tags or []))
        check_tags(tag_ids=form.tags, category_ids=[form.category_id] if form.category_id else [])
    if form.lead_source != source:
        form.lead_source = check_source(form.lead_source)
    if values.get("team") and not Team.objects.filter(pk=form.team_id).exists():
        raise NamedError("TeamNotFound_400", f"there is no team {form.team_id} in this company", field="team")
    _check_look(form, values)


def _check_place(form: Form) -> None:
    """Raise the catalogue's errors for a form of the platform without app, page or form id."""
    if not form.app_id:
        raise NamedError(FORM_TOKEN, "choose a social account", field="app")
    get_app(form.app_id, "app")
    if not form.page_id:
        raise NamedError(PAGE_ID, "choose a page", field="pageId")
    if not form.form_id:
        raise NamedError(FORM_ID, "choose a form", field="formId")


def _check_look(form: Form, values: Values) -> None:
    if "colour" in values:
        form.colour = form.colour.lower()
        if not _COLOUR.fullmatch(form.colour):
            raise ValidationFailed("colour is none", "enter a color, such as #2f5bea", field="colour")
    if "country_code" in values and form.country_code:
        try:
            form.country_code = read_country_code(form.country_code)
        except BadAddress as error:
            raise ValidationFailed("countryCode is none", str(error), field="countryCode") from None
    if "allowed_origins" in values:
        form.allowed_origins = list(dict.fromkeys(map(_read_origin, form.allowed_origins)))
    leads_to = form.redirect_url if {"allowed_origins", "redirect_url"} & {*values} else ""
    if leads_to and origin_of(leads_to) not in form.allowed_origins:
        raise ValidationFailed(
            "redirectUrl is not allowed", "enter an address of one of the allowed sites", field="redirectUrl"
        )


def origin_of(url: str) -> str:
    """Return the origin of an address of the web, such as https://example.org; empty for any other text."""
    if not url.isascii() or not url.isprintable() or any(sign in url for sign in " \"'<>\\;,"):
        return ""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return ""
    if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc or "*" in parts.netloc:
        return ""
    standard = {"http": 80, "https": 443}[parts.scheme]
    return f"{parts.scheme}://{parts.hostname}{f':{port}' if port and port != standard else ''}"


def _read_origin(text: str) -> str:
    origin = origin_of(text.strip().rstrip("/"))
    if not origin or urlsplit(text.strip()).path.strip("/"):
        raise ValidationFailed(
            "allowedOrigins: no site",
            f"enter sites such as https://example.org, not {shorten(text, 60)!r}",
            field="allowedOrigins",
        )
    return origin


def _checked_fields(fields: Sequence[Values], *, own: bool) -> list[JsonObject]:
    """Return the fields in their stored form. Raises ValidationFailed, which names the field.

    The platform's keys are kept as they are: its leads contain the same keys.
    """
    seen: set[str] = set()
    checked = []
    for place, field in enumerate(fields):
        where = f"fields.{place}"
        if own and not KEY.fullmatch(field["key"]):
            raise ValidationFailed(
                f"{where}.key is none", "begin with a letter; use letters, digits, - and _", field=f"{where}.key"
            )
        if field["key"] in seen:
            raise ValidationFailed(
                f"{where}.key is taken", f"enter another key; {field['key']} is taken", field=f"{where}.key"
            )
        seen.add(field["key"])
        options = list(dict.fromkeys(field["options"]))
        if field["type"] in CHOICES and not options:
            raise ValidationFailed(
                f"{where}.options are missing", "enter at least one option", field=f"{where}.options"
            )
        kept = {"options": options if field["type"] in CHOICES else []}
        kept["required"] = field["required"] and field["type"] != HIDDEN
        checked.append({**field, **kept})
    return checked


def _save(form: Form) -> Form:
    try:
        with transaction.atomic():
            save_unique_name(form, TAKEN)
    except IntegrityError as error:
        if "form_social_once" not in str(error):
            raise
        raise NamedError(TAKEN, "choose another form; this one is already connected", field="formId") from None
    return form
