"""The registrations of imports."""

from __future__ import annotations

from functools import partial

from django.db.models import Value

from accounts.companies.overview import Measure, register_measure
from accounts.settings.notices import register_notice
from core.api.routes import protected
from core.jobs import JobWork, register
from crm.bulk_jobs.under_way import Work, register_work
from crm.files.services import before_files_cleared
from crm.imports.models import Import
from crm.imports.notices import NOTICES, notify_ended
from crm.imports.services import imports_to_mend, readable_imports, refuse_files_in_use
from crm.imports.views import ContactImportViewSet, LeadImportViewSet, OrganizationImportViewSet
from crm.imports.worker import run

protected.register("contact/import", ContactImportViewSet)
protected.register("lead/import", LeadImportViewSet)
protected.register("organization/import", OrganizationImportViewSet)
register(
    JobWork("import", run, model=Import, queue="import", task="crm.run_import", ended=notify_ended, while_held=True)
)
for notice in NOTICES.values():
    register_notice(notice)
before_files_cleared.connect(refuse_files_in_use)
register_work(
    Work("organization/import", "contact", partial(readable_imports, "organization"), "file__name", Value("contact"))
)
for place, module in enumerate(("contact", "lead"), 40):
    failed = partial(imports_to_mend, module)
    register_measure(Measure(f"{module}ImportsToMend", module, failed, "created_at", place=place))
    register_work(Work(f"{module}/import", module, partial(readable_imports, module), "file__name", Value(module)))
