from django.apps import AppConfig


class OutreachConfig(AppConfig):
    name = "outreach"

    def ready(self) -> None:
        from accounts.mails.recipients import register_unwanted
        from core.access import count_usage
        from outreach.connected_app_list import register_apps
        from outreach.connected_apps.selectors import counted_apps
        from outreach.delivery import jobs as delivery  # noqa: F401  (register their work)
        from outreach.export_lists import register_lists
        from outreach.genie import jobs as genie  # noqa: F401  (register their work)
        from outreach.genie.selectors import kept_runs
        from outreach.lead_generation import jobs as lead_generation  # noqa: F401  (register their work)
        from outreach.lead_generation.models import LeadGeneration
        from outreach.privacy import register_personal_data_tables
        from outreach.suppression.selectors import suppressed_addresses

        register_apps()
        register_unwanted(suppressed_addresses)
        count_usage("apps", counted_apps)
        count_usage("genie", kept_runs)
        count_usage("lead-gen-ai", LeadGeneration.objects.all)
        register_lists()
        register_personal_data_tables()
