"""The demo's log-in page, to be included at the root before the service's own."""

from __future__ import annotations

from django.urls import path

from config.local.demo import pages

urlpatterns = [
    path("login", pages.DemoLogin.as_view()),
    path("demo/enter", pages.Enter.as_view(), name="demo-enter"),
    path("demo/website", pages.Website.as_view(), name="demo-website"),
]
