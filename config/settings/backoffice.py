"""The look of the back office (django-unfold)."""

from __future__ import annotations

from core.text.translation import gettext_lazy as _

UNFOLD = {
    "SITE_TITLE": "Leadwright",
    "SITE_HEADER": "Leadwright",
    "SITE_SUBHEADER": _("Back office"),
    "SITE_SYMBOL": "outgoing_mail",
    "SITE_URL": None,
    "SITE_FAVICONS": [{"rel": "icon", "type": "image/svg+xml", "href": "core.backoffice.site.icon"}],
    "SHOW_HISTORY": True,
    "SHOW_VIEW_ON_SITE": False,
    "STYLES": ["core.backoffice.site.style"],
    "SCRIPTS": ["core.backoffice.site.times"],
    "SIDEBAR": {"show_search": True, "navigation": "config.backoffice.menu.navigation"},
    "ENVIRONMENT": "config.backoffice.menu.environment",
    "DASHBOARD_CALLBACK": "config.backoffice.overview.dashboard",
    "LOGIN": {"form": "accounts.auth.staff.login.StaffLoginForm"},
    "ACCOUNT": {"navigation": "accounts.auth.staff.second_factor_pages.account_links"},
    "COLORS": {
        "primary": {
            "50": "oklch(97.5% .013 250)",
            "100": "oklch(94% .03 250)",
            "200": "oklch(88% .06 250)",
            "300": "oklch(80% .1 250)",
            "400": "oklch(70% .15 252)",
            "500": "oklch(61% .18 254)",
            "600": "oklch(54% .19 257)",
            "700": "oklch(47% .18 259)",
            "800": "oklch(41% .15 261)",
            "900": "oklch(36% .12 262)",
            "950": "oklch(27% .09 264)",
        }
    },
}
