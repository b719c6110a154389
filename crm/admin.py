"""Back office pages of the CRM; each domain has its own. Panels appear on a page in this order."""

from django.apps import apps

from core.registrations import load
from crm import company_panels  # noqa: F401  (the first panel)

load(apps.get_app_config("crm"), "*admin")
