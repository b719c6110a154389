from django.apps import AppConfig


class OutreachConfig(AppConfig):
    name = "outreach"

    def ready(self) -> None:
        from core.access import count_usage
        from outreach.api.export_lists import register_lists
        from outreach.jobs import delivery, genie, lead_generation  # noqa: F401  (register their work)
        from outreach.models import LeadGeneration
        from outreach.selectors import connected_apps, kept_runs
        from outreach.services.privacy import register_personal_data_tables

        count_usage("apps", connected_apps)
        count_usage("genie", kept_runs)
        count_usage("lead-gen-ai", LeadGeneration.objects.all)
        register_lists()
        register_personal_data_tables()
