from django.apps import AppConfig


class WorkflowsConfig(AppConfig):
    name = "workflows"

    def ready(self) -> None:
        from accounts.companies.overview import Measure, register_measure
        from core.access import RATES, count_usage, meter_usage
        from workflows.approvals.services import open_approvals_of
        from workflows.definitions import jobs as definitions  # noqa: F401  (register their work)
        from workflows.definitions.selectors import kept_workflows
        from workflows.engine import jobs as engine  # noqa: F401  (register their work)
        from workflows.engine.limits import limits
        from workflows.privacy import register_personal_data_tables
        from workflows.report_types import register_reports
        from workflows.runs import jobs as runs  # noqa: F401  (register their work)
        from workflows.schedules import jobs as schedules  # noqa: F401  (register their work)
        from workflows.triggers import jobs as triggers  # noqa: F401  (register their work)

        count_usage("workflow", kept_workflows)
        meter_usage(limits.RUNS_A_MONTH, limits.started_this_month)
        RATES.add(limits.STARTS_A_SECOND)
        register_measure(Measure("approvals", "workflow", open_approvals_of, own=True))
        register_reports()
        register_personal_data_tables()
