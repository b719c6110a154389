"""GET /oauth/google-calendar/callback: the address to which Google redirects browsers after a log-in for a calendar.

The state names the company, whose page continues (outreach.calendars.pages). Nothing is read or written here.
"""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.views.decorators.http import require_safe

from outreach.connections.calendars.google import KEY
from outreach.connections.mail_vendors.callbacks import lead_on


@require_safe
def oauth_callback(request: HttpRequest) -> HttpResponse:
    """Lead on to the page of the company that the log-in is for."""
    return lead_on(request, "web:calendar-return")


urlpatterns = [path(f"oauth/{KEY}/callback", oauth_callback, name="calendar-login-callback")]
