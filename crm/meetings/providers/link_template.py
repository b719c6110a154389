"""Links by a template of the company, for any server of video calls that opens a meeting for each address."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from django.core.exceptions import ValidationError
from django.core.validators import URLValidator
from django.utils.crypto import get_random_string

from core.errors import ValidationFailed
from crm.meetings.models import VideoSettings
from crm.meetings.providers.base import VideoProvider

if TYPE_CHECKING:
    from crm.meetings.models import Meeting

MAX_LENGTH = 300
RANDOM_LENGTH = 16
_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
KNOWN = ("meeting", "random")
NO_TEMPLATE = "The company has no template of links yet; video calls have it in their settings."
_is_address = URLValidator(schemes=["https"])


class LinkTemplate(VideoProvider):
    key = "link-template"
    name = "Own video server"

    def refusal(self, organizer: str, settings: VideoSettings) -> str:
        return "" if settings.link_template else NO_TEMPLATE

    def link(self, meeting: Meeting) -> str:
        return fill(_template(), meeting.pk)


def fill(template: str, meeting: str) -> str:
    """Return the link of a meeting. Its random part cannot be guessed."""
    values = {"meeting": meeting, "random": get_random_string(RANDOM_LENGTH)}
    return _PLACEHOLDER.sub(lambda match: values[match[1]], template)


def check_template(text: str) -> str:
    """Return the template. Raises ValidationFailed for one that makes no https address, or the same for all."""
    where = "linkTemplate"
    if not text:
        return ""
    if len(text) > MAX_LENGTH:
        raise ValidationFailed(f"{where} is too long", f"enter at most {MAX_LENGTH} characters", field=where)
    unknown = [name for name in _PLACEHOLDER.findall(text) if name not in KNOWN]
    if unknown or "{" in _PLACEHOLDER.sub("", text) or "}" in _PLACEHOLDER.sub("", text):
        raise ValidationFailed(f"{where} is not valid", "use only {meeting} and {random} in braces", field=where)
    link = fill(text, "0" * 24)
    try:
        _is_address(link)
        parts = urlsplit(link)
    except (ValidationError, ValueError):
        raise ValidationFailed(
            f"{where} is not valid", "enter an address that begins with https://", field=where
        ) from None
    if parts.username or parts.password or "{" in urlsplit(text).netloc:
        raise ValidationFailed(
            f"{where} is not valid", "enter an address without a placeholder or password in its host", field=where
        )
    if not _PLACEHOLDER.search(text):
        text_for = "name {random} or {meeting} in it, or all meetings would share a room"
        raise ValidationFailed(f"{where} is not valid", text_for, field=where)
    return text


def _template() -> str:
    return VideoSettings.objects.values_list("link_template", flat=True).first() or ""
