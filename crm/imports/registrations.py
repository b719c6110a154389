"""The registrations of imports."""

from __future__ import annotations

from functools import partial

from django.db.models import Value

from accounts.companies.overview import Measure, register_measure
from accounts.settings.notices import register_notice
from crm.bulk_jobs.under_way import Work, register_work
from crm.files.services import before_files_cleared
from crm.imports.notices import NOTICES
from crm.imports.services import imports_to_mend, readable_imports, refuse_files_in_use

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
