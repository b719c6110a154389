"""The numbers of a company's records on its back office page."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.utils.safestring import SafeString

from accounts.models import Company
from core.backoffice.paginator import EXACT, capped_count
from core.backoffice.panels import register_panel, render_figures
from core.text.translation import gettext_lazy as _
from crm.contacts.models import Contact
from crm.files.models import File
from crm.imports.models import Import
from crm.leads.models import Lead
from crm.products.models import ProductService
from crm.records.models import CustomField
from crm.segments.models import Segment
from crm.teams.models import Team


def _shown(rows: QuerySet[Any]) -> str:
    number = capped_count(rows)
    return f"{number:,}" if number <= EXACT else f"more than {EXACT:,}"


@register_panel(Company, _("Use"))
def _use(company: Company) -> SafeString:
    return render_figures(
        [
            ("Contacts", _shown(Contact.objects.filter(company=company, is_deleted=False))),
            ("Leads", _shown(Lead.objects.filter(company=company, is_deleted=False))),
            ("Products and services", _shown(ProductService.objects.filter(company=company, is_deleted=False))),
            ("Teams", _shown(Team.objects.filter(company=company))),
            ("Segments", _shown(Segment.objects.filter(company=company))),
            ("Custom fields", _shown(CustomField.objects.filter(company=company, is_system=False))),
            ("Files", _shown(File.objects.filter(company=company, is_deleted=False))),
            ("Imports", _shown(Import.objects.filter(company=company, is_deleted=False))),
        ]
    )
