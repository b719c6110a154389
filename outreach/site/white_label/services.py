"""Use cases of a company's brand: change it, and preview it."""

from __future__ import annotations

import re

from django.db import transaction

from core.access import Actor
from core.errors import NamedError, PermissionLacking, ValidationFailed
from core.events import emit
from core.text.links import HOST, holds_link
from core.types import JsonObject, Values
from crm.files.models import File
from crm.files.stores import ContentUnavailable, open_content
from outreach.messaging.domain_tracking.services import get_domain
from outreach.site.white_label.brands import forget
from outreach.site.white_label.colors import COLOR, DARK, LEAST, LIGHT, lighten_color, worst
from outreach.site.white_label.images import MAX_BYTES, Drawn, reencode_image
from outreach.site.white_label.models import BrandImage, WhiteLabel

MODULE = "white-label-options"
MAX_IMAGES = 20
"""Pictures of a kind that a company keeps: mails that went out show the logo of their time."""
BARE_HOST = re.compile(rf"\s*{HOST}\s*", re.IGNORECASE)
"""A name that consists only of a host name. Node.js in a longer name is not one."""
TEXTS = ("product_name", "accent", "accent_dark", "sender_name")


def current_brand() -> WhiteLabel:
    """Return the company's brand, or an empty, unsaved one."""
    brands = WhiteLabel.objects.select_related("domain", "updated_by")
    return brands.first() or WhiteLabel()


def check_colors(accent: str, accent_dark: str) -> None:
    """Raise ValidationFailed for a colour that cannot be read on the pages: it names the contrast."""
    for field, color, backgrounds, when in (
        ("accent", accent, LIGHT, "light"),
        ("accentDark", accent_dark, DARK, "dark"),
    ):
        if not color:
            continue
        if not COLOR.fullmatch(color):
            raise ValidationFailed(f"{field}: is no colour", "enter a color, such as #2f5bea", field=field)
        ratio, background = worst(color, backgrounds)
        if ratio < LEAST:
            raise ValidationFailed(
                f"{field}: cannot be read",
                f"{color} has a contrast of {ratio:.2f} with {background}, a background of {when} pages;"
                f" people need {LEAST} (WCAG AA). Choose a {'darker' if when == 'light' else 'lighter'} one",
                field=field,
            )
    if accent_dark and not accent:
        raise ValidationFailed("accent: is missing", "choose both colors, for light and dark", field="accent")


def color_contrasts(accent: str, accent_dark: str) -> JsonObject:
    """Return the colours that pages have, and how well they can be read."""
    dark = accent_dark or (lighten_color(accent) if accent else "")
    return {
        "accentDarkShown": dark,
        "contrast": round(worst(accent, LIGHT)[0], 2) if accent else None,
        "contrastDark": round(worst(dark, DARK)[0], 2) if dark else None,
    }


def change_brand(*, actor: Actor, values: Values) -> None:
    """Change the given values of the company's brand.

    Raises ValidationFailed, FileNotFound_400, DomainTrackingNotFound_400, and UnauthorizedAction_403 for a picture of
    files that the role does not read.
    """
    drawn = {
        kind: _picture(actor, values[f"{kind}_file"], kind)
        for kind in ("logo", "favicon")
        if values.get(f"{kind}_file")
    }
    with transaction.atomic():
        # A row must exist to be locked; two first edits at once create one.
        WhiteLabel.objects.bulk_create([WhiteLabel()], ignore_conflicts=True)
        brand = WhiteLabel.objects.select_for_update(of=("self",)).get()
        for name, field in (("product_name", "productName"), ("sender_name", "senderName")):
            _check_name(field, values.get(name, ""))
        for name in TEXTS:
            if name in values:
                setattr(brand, name, values[name].strip())
        check_colors(brand.accent, brand.accent_dark)
        for kind in ("logo", "favicon"):
            if f"{kind}_file" in values:
                setattr(brand, kind, _store_image(kind, drawn[kind]) if kind in drawn else None)
        if "domain" in values:
            brand.domain = get_domain(values["domain"]) if values["domain"] else None
        brand.updated_by_id = actor.member_id
        brand.save()
        emit("white-label-options.updated", [brand.pk])
    forget(brand.company_id)


def _check_name(field: str, text: str) -> None:
    """Raise ValidationFailed for a name that is an address, or that mail programs convert into one.

    It would mislead people, and mail servers filter such mail out.
    """
    if holds_link(text) or BARE_HOST.fullmatch(text):
        raise ValidationFailed(f"{field}: is an address", "enter a name without web or email addresses", field=field)


def _picture(actor: Actor, file_id: str, kind: str) -> Drawn:
    """Return an uploaded file as a picture of the brand. It becomes public."""
    field = f"{kind}File"
    if not actor.may("file", "GET"):
        raise PermissionLacking("file.GET", field=field)
    file = File.objects.filter(pk=file_id, is_deleted=False, trashed_at=None).select_related("bucket").first()
    if file is None:
        raise NamedError("FileNotFound_400", "there is no such file in this company", field=field)
    try:
        with open_content(file) as content:
            return reencode_image(content.read(MAX_BYTES + 1), kind, field)
    except ContentUnavailable as error:
        raise NamedError("FileNotFound_400", str(error), field=field) from None


def _store_image(kind: str, drawn: Drawn) -> BrandImage:
    image = BrandImage.objects.create(kind=kind, content=drawn.content, width=drawn.width, height=drawn.height)
    old = BrandImage.objects.filter(kind=kind).order_by("-pk").values_list("pk", flat=True)[MAX_IMAGES:]
    BrandImage.objects.filter(pk__in=list(old)).delete()
    return image
