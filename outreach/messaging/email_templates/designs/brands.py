"""The look of a company's emails: its colours, logo, name, address and social links, from its settings."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.conf import settings

from accounts.models import Company
from accounts.settings.branding import mail_brand_of
from core.tenancy import company_id
from outreach.messaging.email_templates.designs.blocks import FONTS, Style

ACCENT = "#2f5bea"
BACKGROUND = "#f3f4f6"
SURFACE = "#ffffff"
TEXT = "#1f2937"
MUTED = "#6b7280"
LINE = "#d1d5db"
FONT = "arial"
ON_ACCENT = {True: "#ffffff", False: "#111827"}
"""Colour of words on a dark background, and on a light one."""
_LINEAR = 12.92, 0.04045
"""Slope and limit of the straight part of sRGB's curve."""


@dataclass(frozen=True)
class Brand:
    """The values that a design starts from."""

    name: str = ""
    address: str = ""
    website: str = ""
    accent: str = ACCENT
    background: str = BACKGROUND
    logo: str = ""
    """The public address of the logo."""
    links: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Look:
    """The look of one email."""

    font: str
    accent: str
    background: str
    surface: str
    text: str
    width: int

    @property
    def on_accent(self) -> str:
        """The colour of a button's words."""
        return ON_ACCENT[luminance(self.accent) < 0.4]

    @property
    def muted(self) -> str:
        """The colour of less important words."""
        return MUTED if luminance(self.surface) > 0.5 else self.text


def brand_of_company() -> Brand:
    """Return the look of the active company's emails."""
    company = Company.objects.get(pk=company_id())
    brand = mail_brand_of(company.pk)
    base = brand.look.base_url or settings.BASE_URL
    # Parts of an address are optional; no blank or comma stands for a missing one.
    city = " ".join(part for part in (company.postal_code, company.city) if part)
    return Brand(
        name=company.name,
        address=", ".join(part for part in (company.address, city, company.country) if part),
        website=company.website,
        accent=brand.look.accent or ACCENT,
        background=brand.background.get("color") or BACKGROUND,
        logo=f"{base}{brand.look.logo}" if brand.look.logo else "",
        links={network: url for network, url in brand.links.items() if url},
    )


def look_of(style: Style, brand: Brand) -> Look:
    """Return the look of an email: its own style, else the brand's."""
    return Look(
        font=FONTS[style.font or FONT],
        accent=style.accent or brand.accent,
        background=style.background or brand.background,
        surface=style.surface or SURFACE,
        text=style.text or TEXT,
        width=style.width,
    )


def luminance(color: str) -> float:
    """Return the relative luminance of a colour (WCAG 2.2), from 0 to 1."""
    slope, limit = _LINEAR
    # Contrast by WCAG, since light and dark by the mean of the channels misjudges yellow and blue.
    channels = (int(color[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (part / slope if part <= limit else ((part + 0.055) / 1.055) ** 2.4 for part in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
