from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "accounts"

    def ready(self) -> None:
        from accounts.jobs import invites, mails, programs, request_log, sessions  # noqa: F401  (register their work)
        from accounts.models import ApiKey, Role
        from accounts.notices import Notice, register_notice
        from accounts.selectors import seats
        from accounts.services.roles import seed_roles
        from accounts.services.settings import make_settings
        from core.access import count_usage
        from core.companies import on_company_created

        on_company_created(seed_roles)
        on_company_created(make_settings)
        count_usage("member", seats, error="PlanMaxUsers_400")
        count_usage("role", Role.objects.all)
        count_usage("api", ApiKey.objects.all)
        register_notice(Notice("member.joined", "Somebody accepted an invite", "notice_member_joined"))

        from accounts import openapi  # noqa: F401  (describes the authentication paths in the schema)
        from accounts.services import visits  # noqa: F401  (registers its notice)
