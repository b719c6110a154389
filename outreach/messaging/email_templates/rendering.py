"""Templates of mails: {{placeholders}} are replaced by values, once, and nothing else is ever evaluated.

Where a contact has no value, a placeholder becomes its fallback: {{contact.firstName | default: "there"}}.

A placeholder is a built-in name or one of the template's variables, whose value is the contact's field of that key or
name. Values are escaped in HTML and encoded in addresses, so that no value can add markup, a script or another host.
"""

from __future__ import annotations

import datetime as dt
import html
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any
from urllib.parse import quote
from zoneinfo import ZoneInfo

from accounts.models import Company
from core.errors import NamedError, shorten
from core.tenancy import company_id
from core.text.persons import first_name_of
from core.text.placeholders import PLACEHOLDER, has_stray_mark, names_in, parse_placeholder
from core.text.timezones import zone_of
from core.types import JsonObject, Values
from crm.imports.readers.synonyms import FIRST_NAME, SYNONYMS
from crm.imports.readers.words import normalise
from crm.models import Contact, CustomField
from crm.organizations.selectors import Employers
from outreach.connections.smtp.markup import sanitise_html
from outreach.connections.smtp.message import clean_line
from outreach.messaging.email_templates.compiler import Compiled, compile_body, is_html

BUILT_IN = (
    *("contact.name", "contact.firstName", "contact.email", "contact.number"),
    *("organization.name", "company.name", "company.website"),
)
DATE_TYPES = {"dd/mm/yyyy hh:mm a": "%d/%m/%Y %I:%M %p", "dd/mm/yyyy": "%d/%m/%Y"}
"""dateType of a variable -> strftime's pattern."""
VALUE_LENGTH = 2000
_STYLE = re.compile(r"<(/?)(?:mj-)?style\b", re.IGNORECASE)
_URL = re.compile(r"https?://(?:[^\s<>\"(){}]|\{\{[^{}]*\}\})+")
# Blanks are looked at once: from where they begin, or not at all.
_IN_TEXT = re.compile(
    r"(?P<before>(?<![ \t])[ \t]++|)(?P<open>\(?)\{\{(?P<name>[^{}]*)\}\}(?P<close>\)?)(?P<after>[ \t]*)"
)
_IN_HTML = re.compile(r'(?P<attribute> (?:href|src)=")(?P<address>[^"]*)"|\{\{(?P<name>[^{}]*)\}\}')


@dataclass(frozen=True)
class Rendered:
    """A mail from a template. `html` is empty for a plain text mail."""

    subject: str
    text: str
    html: str
    missing: tuple[str, ...]
    """Required variables without a value."""
    chat: Values | None = None
    """For a message by chat, its visible parts (outreach.chat.chat_templates.values.pieces)."""


def compile_template(subject: str, body: str, variables: Sequence[Values]) -> Compiled:
    """Check a template and return its compiled form.

    Raises InvalidVariables_400 for an invalid placeholder or variable. Raises InvalidEmailTemplate_400 for other
    template marks, for MJML or HTML that cannot be read, and for a body without text.
    """
    names = [variable["name"] for variable in variables]
    for place, name in enumerate(names):
        if name in names[:place] or name in BUILT_IN or not re.fullmatch(r"[\w. -]{1,100}", name):
            raise NamedError(
                "InvalidVariables_400", f"enter each name once; check {shorten(name)!r}", field="variables"
            )
    allowed = {*BUILT_IN, *names}
    is_markup = is_html(body)
    shown = without_styles(body) if is_markup else body
    for part, text, escaped in (("subject", subject, False), ("body", shown, is_markup)):
        for name in names_in(text, escaped=escaped):
            if name not in allowed:
                raise NamedError(
                    "InvalidVariables_400",
                    unknown_field(name, [*BUILT_IN, *names]),
                    field=part,
                    code="unknownField",
                    params={"name": shorten(name)},
                )
        if has_stray_mark(text):
            raise NamedError(
                "InvalidEmailTemplate_400", "has an incomplete placeholder. Enter it as {{name}}", field=part
            )
    compiled = compile_body(body)
    if not compiled.text.strip():
        raise NamedError("InvalidEmailTemplate_400", "enter a text", field="body")
    if compiled.html and (lost := set(names_in(shown, escaped=True)) - set(names_in(compiled.html, escaped=True))):
        where = f"{{{{{shorten(min(lost))}}}}} stands where mails show nothing, such as a style or a comment"
        raise NamedError("InvalidEmailTemplate_400", where, field="body")
    return compiled


def unknown_field(name: str, known: Sequence[str]) -> str:
    """Return the text about a placeholder that names no field, with the field that is most like it."""
    words = {word: field for field in known for word in (field.casefold(), field.rpartition(".")[2].casefold())}
    sought = (name.casefold(), name.rpartition(".")[2].casefold())
    near = next((words[word] for text in sought for word in get_close_matches(text, words, n=1)), "")
    advice = f"did you mean {{{{{near}}}}}?" if near else "choose a field from the list"
    return f"the field {{{{{shorten(name, 60)}}}}} is unknown; {advice}"


def without_styles(body: str) -> str:
    """Return a body without its style elements, whose braces are no placeholders."""
    kept = []
    at = 0
    inside = False
    for match in _STYLE.finditer(body):
        if match[1] and inside:
            at, inside = match.start(), False
        elif not match[1] and not inside:
            kept.append(body[at : match.start()])
            inside = True
    return "".join(kept if inside else [*kept, body[at:]])


def render(subject: str, compiled: Compiled, variables: Iterable[Values], values: Mapping[str, str] | None) -> Rendered:
    """Return the mail with the values, by the names of the placeholders. Without values they stay as they are."""
    if values is None:
        return Rendered(clean_line(subject)[:200], compiled.text, compiled.html, ())
    required = [variable["name"] for variable in variables if variable["required"]]
    missing = tuple(name for name in required if not values.get(name, "").strip())

    def value(inner: str, *, escaped: bool = False) -> str:
        name, fallback = parse_placeholder(inner, escaped=escaped)
        known = values.get(name, "")[:VALUE_LENGTH]
        return known if known.strip() else fallback

    def plain(words: str) -> str:
        in_urls = _URL.sub(lambda url: PLACEHOLDER.sub(lambda found: quote(value(found[1]), safe=""), url[0]), words)
        return _IN_TEXT.sub(lambda found: _in_text(found, value(found["name"])), in_urls)

    def in_address(found: re.Match[str]) -> str:
        # A value that an address begins with is one itself; further on it is a part of it.
        text = value(found[1], escaped=True)
        return html.escape(text if found.start() == 0 else quote(text, safe=""))

    def in_html(found: re.Match[str]) -> str:
        if found["name"] is not None:
            return html.escape(value(found["name"], escaped=True))
        return f'{found["attribute"]}{PLACEHOLDER.sub(in_address, found["address"])}"'

    # Sanitised again: an address that is a value may have any scheme.
    rich = sanitise_html(_IN_HTML.sub(in_html, compiled.html)) if compiled.html else ""
    return Rendered(clean_line(plain(subject))[:200], plain(compiled.text), rich, missing)


def _in_text(match: re.Match[str], value: str) -> str:
    """Return the text that replaces a placeholder in plain text, with the spaces and brackets around it.

    A placeholder without a value leaves no brackets, and at most one space between words.
    """
    if value:
        return f"{match['before']}{match['open']}{value}{match['close']}{match['after']}"
    if bool(match["open"]) != bool(match["close"]):
        return match["before"] + match["open"] + match["close"] + match["after"]
    text = match.string
    at = match.start()
    end = match.end()
    begins, ends = at == 0 or text[at - 1] == "\n", end == len(text) or text[end] == "\n"
    if begins or ends or text[end] in ".,;:!?)":
        return ""
    return (match["before"] or match["after"])[:1]


@dataclass(frozen=True)
class ValueReader:
    """Reads the values of contacts for a company's templates."""

    company: Mapping[str, str]
    fields: Mapping[str, str]
    """Name of a custom field, in lower case, or its key -> its key."""
    zone: ZoneInfo | dt.tzinfo
    employers: Employers
    first_names: tuple[str, ...] = ()
    """Keys of custom fields that hold first names."""

    @classmethod
    def load(cls) -> ValueReader:
        """Load the active company's name, fields and time zone."""
        company = Company.objects.get(pk=company_id())
        custom_fields = CustomField.objects.filter(panel=CustomField.Panel.CONTACT, is_system=False)
        rows = list(custom_fields.order_by("pk").values_list("unique_field_id", "name", "field_type", "value_type"))
        fields: dict[str, str] = {}
        first_names = []
        for key, name, *_ in rows:
            if normalise(name) in SYNONYMS[FIRST_NAME]:
                first_names.append(key)
            fields |= {name.casefold(): key}
            fields.setdefault(key, key)
        company_values = {"company.name": company.name, "company.website": company.website}
        zone = zone_of(company.timezone)
        return cls(company_values, fields, zone, Employers.of_fields(rows), tuple(first_names))

    def of(self, contact: Contact, variables: Iterable[Values]) -> dict[str, str]:
        """Return the values of the built-in names and of the variables for a contact."""
        values = {
            **self.company,
            "contact.name": contact.name,
            "contact.firstName": self._first_name(contact),
            "contact.email": contact.email or "",
            "contact.number": contact.contact_number or "",
            "organization.name": self.employers.name_of(contact.organization_id, contact.custom),
        }
        custom = self.employers.custom_of(contact.organization_id, contact.custom)
        for variable in variables:
            key = self.fields.get(variable["name"]) or self.fields.get(variable["name"].casefold(), "")
            values[variable["name"]] = self._text(custom.get(key), variable.get("dateType") or "")
        return values

    def _first_name(self, contact: Contact) -> str:
        """Return the first name: of a field of its own, else of the contact's name."""
        written = (self._text(contact.custom.get(key), "").strip() for key in self.first_names)
        return next((name for name in written if name), "") or first_name_of(contact.name)

    def _text(self, value: Any, date_type: str) -> str:
        if value is None or isinstance(value, dict):
            return ""
        if isinstance(value, list):
            return ", ".join(self._text(part, date_type) for part in value)
        if isinstance(value, bool):
            return "yes" if value else "no"
        return self._date(str(value), DATE_TYPES[date_type]) if date_type else str(value)

    def _date(self, stored: str, pattern: str) -> str:
        try:
            if len(stored) == 10:
                return dt.datetime.combine(dt.date.fromisoformat(stored), dt.time()).strftime(pattern)
            return dt.datetime.fromisoformat(stored).astimezone(self.zone).strftime(pattern)
        except ValueError:
            return stored


def compile_words(
    subject: str, body: str, reader: ValueReader, required: Collection[str] = ()
) -> tuple[Compiled, list[JsonObject]]:
    """Return words that belong to no template in compiled form, and the variables that they name.

    Raises InvalidVariables_400 for a placeholder that is neither a built-in one nor a field of contacts. Raises
    InvalidEmailTemplate_400 as compile_template.
    """
    names_of_body = names_in(without_styles(body), escaped=is_html(body))
    names = dict.fromkeys([*names_in(subject), *names_of_body])
    variables: list[JsonObject] = [
        {"name": name, "required": name in required, "dateType": None} for name in names if name not in BUILT_IN
    ]
    for variable in variables:
        name = variable["name"]
        if name not in reader.fields and str(name).casefold() not in reader.fields:
            part = "subject" if name in names_in(subject) else "body"
            text = unknown_field(name, [*BUILT_IN, *reader.fields])
            raise NamedError(
                "InvalidVariables_400", text, field=part, code="unknownField", params={"name": shorten(name)}
            )
    return compile_template(subject, body, variables), variables
