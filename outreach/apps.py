from django.apps import AppConfig


class OutreachConfig(AppConfig):
    name = "outreach"

    def ready(self) -> None:
        from core.access import count_usage
        from core.jobs import Work, register, register_job
        from outreach.api.export_lists import register_lists
        from outreach.models import GenieScheduler, LeadGeneration, SendJob
        from outreach.selectors import connected_apps, kept_runs
        from outreach.services.claims import has_due
        from outreach.services.lead_generation import run
        from outreach.services.notices import tell_ended
        from outreach.services.planning import plan
        from outreach.services.privacy import register_personal_data_tables
        from outreach.services.sending import drain

        count_usage("apps", connected_apps)
        count_usage("genie", kept_runs)
        count_usage("lead-gen-ai", LeadGeneration.objects.all)
        register_job("lead-generation", LeadGeneration, run, queue="bulk")
        register_job("genie", GenieScheduler, plan, queue="bulk", ended=tell_ended)
        register(Work("send", "send", drain, has_due, SendJob))
        register_lists()
        register_personal_data_tables()
