"""Back office pages of billing; each domain has its own. Panels appear on a page in this order."""

from django.apps import apps

from core.registrations import load

load(apps.get_app_config("billing"), "*admin")
