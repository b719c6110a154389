"""The catcher's page alone, for its tests."""

from django.urls import include, path

urlpatterns = [path("mails/", include("config.local.mail_catcher.urls"))]
