from django.apps import AppConfig


class WorkflowsConfig(AppConfig):
    name = "workflows"

    def ready(self) -> None:
        from core.access import count_usage
        from workflows.definitions.selectors import kept_workflows
        from workflows.engine import jobs as engine  # noqa: F401  (register their work)
        from workflows.privacy import register_personal_data_tables
        from workflows.runs import jobs as runs  # noqa: F401  (register their work)
        from workflows.schedules import jobs as schedules  # noqa: F401  (register their work)
        from workflows.triggers import jobs as triggers  # noqa: F401  (register their work)

        count_usage("workflow", kept_workflows)
        register_personal_data_tables()
