"""Checks of a template before it is sent to the vendor."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NoReturn

from core.errors import NamedError, shorten
from core.text.addresses import BadAddress, read_phone
from core.types import Values

INVALID = "InvalidChatAppTemplate_400"
VARIABLE = re.compile(r"\{\{\s*([^{}]*?)\s*\}\}")
MEDIA = ("IMAGE", "VIDEO", "DOCUMENT")
BODY_LENGTH = 1024
HEADER_LENGTH = 60
FOOTER_LENGTH = 60
BUTTON_LENGTH = 25
MAX_BUTTONS = 10
MAX_BUTTONS_BY_TYPE = {"URL": 2, "PHONE_NUMBER": 1, "COPY_CODE": 1}
BUTTON_TYPES = ("QUICK_REPLY", *MAX_BUTTONS_BY_TYPE)
PARTS = ("HEADER", "BODY", "FOOTER", "BUTTONS")
_NAME = re.compile(r"[a-z0-9_]{1,512}")
_CODES = (
    "af ar ar_EG ar_AE ar_LB ar_MA ar_QA az be_BY bg bn bn_IN ca cs da de de_AT de_CH el en en_AE en_AU en_CA",
    "en_GB en_GH en_IE en_IN en_JM en_MY en_NZ en_QA en_SG en_UG en_US en_ZA es es_AR es_CL es_CO es_CR es_DO",
    "es_EC es_ES es_HN es_MX es_PA es_PE es_UY et fa fi fil fr fr_BE fr_CA fr_CH fr_CI fr_MA ga gu ha he hi",
    "hr hu id it ja ka kk kn ko ky_KG lo lt lv mk ml mr ms nb nl nl_BE pa pl prs_AF ps_AF pt_BR pt_PT ro ru",
    "rw_RW si_LK sk sl sq sr sv sw ta te th tr uk ur uz vi zh_CN zh_HK zh_TW zu",
)
LANGUAGES = frozenset(code for line in _CODES for code in line.split())
"""The codes that the vendor lists; it refuses others."""
PHONE_LENGTH = 20
_KEYS = {
    "HEADER": {"type", "format", "text", "example"},
    "BODY": {"type", "text", "example", "add_security_recommendation"},
    "FOOTER": {"type", "text", "code_expiration_minutes"},
    "BUTTONS": {"type", "buttons"},
}


def refuse(where: str, hint: str, name: str = INVALID, *, operation: str = "") -> NoReturn:
    raise NamedError(name, hint, field=where, operation=operation)


def check_template(*, name: str, language: str, components: Sequence[Any]) -> None:
    """Raise InvalidChatAppTemplate_400, ButtonTextTooLong_400 or ButtonExampleRequired_400, which name the part."""
    if not _NAME.fullmatch(name):
        refuse("name", "use small letters a to z, digits and underscores")
    if language not in LANGUAGES:
        near = [code for code in sorted(LANGUAGES) if code[:2] == language[:2].lower()]
        hint = ", ".join(near) if near else "en or en_US"
        refuse("language", f"choose a language, such as {hint}")
    parts = parts_of(components)
    _check_body(*parts["BODY"]) if "BODY" in parts else refuse("components", "enter a text")
    for kind, check in (("HEADER", _check_header), ("FOOTER", _check_footer), ("BUTTONS", _check_buttons)):
        if kind in parts:
            check(*parts[kind])


def parts_of(components: Sequence[Any]) -> dict[str, tuple[Values, str]]:
    """Return type -> (component, its place). Raises for an unknown type, and for two components of a type."""
    parts: dict[str, tuple[Values, str]] = {}
    for place, component in enumerate(components):
        where = f"components[{place}]"
        kind = component.get("type") if isinstance(component, dict) else None
        if kind not in PARTS:
            refuse(where, f"an object whose type is one of {', '.join(PARTS)}")
        if kind in parts:
            refuse(where, f"there is another {kind}")
        for key in component:
            if key not in _KEYS[kind]:
                refuse(f"{where}.{shorten(key)}", f"unknown key; there is {', '.join(sorted(_KEYS[kind]))}")
        parts[kind] = (component, where)
    return parts


def variables_in(text: str) -> list[str]:
    """Return the variables of a text, in their order."""
    return VARIABLE.findall(text)


def _text(component: Values, where: str, most: int) -> str:
    text = component.get("text")
    if not isinstance(text, str) or not text.strip() or "\0" in text:
        refuse(f"{where}.text", "enter a text")
    if len(text) > most:
        refuse(f"{where}.text", f"enter at most {most:,} characters")
    if "{{" in VARIABLE.sub("", text) or "}}" in VARIABLE.sub("", text):
        refuse(f"{where}.text", "enter variables like {{1}}")
    return text


def _count_variables(text: str, where: str) -> int:
    """Return how many variables the text has; they are 1, 2 and so on, each once."""
    names = variables_in(text)
    if names != [str(number) for number in range(1, len(names) + 1)]:
        refuse(f"{where}.text", "number the variables {{1}}, {{2}} and so on, each once")
    return len(names)


def _check_body(component: Values, where: str) -> None:
    text = _text(component, where, BODY_LENGTH)
    count = _count_variables(text, where)
    if re.match(r"\s*\{\{", text) or re.search(r"\}\}\s*$", text):
        refuse(f"{where}.text", "enter words before the first and after the last variable")
    if re.search(r"\}\}\s*\{\{", text):
        refuse(f"{where}.text", "enter words between two variables")
    examples = _example(component, "body_text", where)
    row = examples[0] if examples else []
    if count and (len(examples) != 1 or not isinstance(row, list) or not _words(row, count)):
        refuse(f"{where}.example.body_text", f"enter an example for each of the {count} variables")


def _check_header(component: Values, where: str) -> None:
    format = component.get("format", "TEXT")
    if format in MEDIA:
        if not _words(_example(component, "header_handle", where), 1):
            refuse(f"{where}.example.header_handle", "upload a file first", operation="POST /template/chatapp/handle")
        return
    if format != "TEXT":
        refuse(f"{where}.format", f"one of TEXT, {', '.join(MEDIA)}")
    count = _count_variables(_text(component, where, HEADER_LENGTH), where)
    if count > 1:
        refuse(f"{where}.text", "use at most one variable")
    if count and not _words(_example(component, "header_text", where), 1):
        refuse(f"{where}.example.header_text", "enter an example of the variable")


def _check_footer(component: Values, where: str) -> None:
    if variables_in(_text(component, where, FOOTER_LENGTH)):
        refuse(f"{where}.text", "enter a text without variables")


def _example(component: Values, name: str, where: str) -> list[Any]:
    example = component.get("example", {})
    if not isinstance(example, dict):
        refuse(f"{where}.example", "must be an object")
    examples = example.get(name, [])
    return examples if isinstance(examples, list) else refuse(f"{where}.example.{name}", "must be an array")


def _words(texts: Sequence[Any], count: int) -> bool:
    return len(texts) == count and all(isinstance(text, str) and text.strip() for text in texts)


def _check_buttons(component: Values, where: str) -> None:
    buttons = component.get("buttons")
    if not isinstance(buttons, list) or not buttons:
        refuse(f"{where}.buttons", "at least one")
    if len(buttons) > MAX_BUTTONS:
        refuse(f"{where}.buttons", f"at most {MAX_BUTTONS}")
    for place, button in enumerate(buttons):
        if not isinstance(button, dict) or button.get("type") not in BUTTON_TYPES:
            refuse(f"{where}.buttons[{place}]", f"an object whose type is one of {', '.join(BUTTON_TYPES)}")
        _check_button(button, f"{where}.buttons[{place}]")
    kinds = [button["type"] for button in buttons]
    for kind, most in MAX_BUTTONS_BY_TYPE.items():
        if kinds.count(kind) > most:
            refuse(f"{where}.buttons", f"at most {most} of {kind}")
    replies = [kind == "QUICK_REPLY" for kind in kinds]
    if sum(before != after for before, after in zip(replies, replies[1:], strict=False)) > 1:
        refuse(f"{where}.buttons", "put quick replies together, before or after other buttons")


def _check_button(button: Values, where: str) -> None:
    kind = button["type"]
    text = button.get("text", "")
    if not isinstance(text, str) or (not text.strip() and kind != "COPY_CODE"):
        refuse(f"{where}.text", "enter a text")
    if len(text) > BUTTON_LENGTH:
        refuse(f"{where}.text", f"enter at most {BUTTON_LENGTH} characters", "ButtonTextTooLong_400")
    if kind == "PHONE_NUMBER":
        _check_number(button.get("phone_number"), f"{where}.phone_number")
    url = button.get("url")
    if kind == "URL" and (not isinstance(url, str) or not url.startswith("https://") or len(url) > 2000):
        refuse(f"{where}.url", "enter an address that begins with https://")
    names = variables_in(url) if kind == "URL" and isinstance(url, str) else []
    if names and (names != ["1"] or not str(url).endswith("}}")):
        refuse(f"{where}.url", "use at most one variable, {{1}}, at the end")
    if (names or kind == "COPY_CODE") and not _has_example(button.get("example")):
        refuse(
            f"{where}.example",
            "enter an example",
            "ButtonExampleRequired_400",
        )


def _check_number(raw_number: Any, where: str) -> None:
    if not isinstance(raw_number, str) or not raw_number.strip():
        refuse(where, "enter a phone number")
    try:
        number = read_phone(None, raw_number).e164
    except BadAddress as error:
        refuse(where, f"{error}"[:200])
    # The vendor gets the text as it is, and understands less of it.
    if len(raw_number) > PHONE_LENGTH or re.sub(r"[ ()./-]", "", raw_number) != number:
        refuse(where, f"enter a phone number of at most {PHONE_LENGTH} characters, such as +49 30 901820")


def _has_example(example: Any) -> bool:
    first = example[0] if isinstance(example, list) and example else example
    return isinstance(first, str) and bool(first.strip())
