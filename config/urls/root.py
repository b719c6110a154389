"""The root of all addresses: a URL conf per authentication path, and web for everything but the API."""

from __future__ import annotations

from django.urls import include, path

urlpatterns = [
    path("", include("billing.payments.hooks")),
    path("", include("billing.methods.returned")),
    path("api/key/protected/", include("config.urls.key")),
    path("api/protected/", include("config.urls.session")),
    path("api/private/", include("config.urls.private")),
    path("api/public/", include("config.urls.public")),
    path("", include("outreach.messaging.mail_events.hooks")),
    path("", include("outreach.chat.chat_events.hooks")),
    path("", include("outreach.chat.chat_events.direct_hooks")),
    path("", include("outreach.site.forms.hooks")),
    path("", include("outreach.site.forms.public")),
    path("", include("outreach.site.booking.public")),
    path("", include("outreach.site.quotes.public")),
    path("", include("outreach.connections.calendars.callbacks")),
    path("", include("outreach.connections.mail_vendors.callbacks")),
    path("", include("outreach.messaging.delivery.tracking.views")),
    path("", include("outreach.chat.widgets.script")),
    path("", include("outreach.site.white_label.public")),
    path("", include("config.urls.web")),
]

handler400 = "core.api.handler.bad_request"
handler403 = "core.api.handler.forbidden"
handler404 = "core.api.handler.not_found"
handler500 = "core.api.handler.server_error"
