from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "accounts"

    def ready(self) -> None:
        from accounts.api_keys.models import ApiKey
        from accounts.auth import jobs as sessions  # noqa: F401  (register their work)
        from accounts.companies.first_steps import FirstStep, register_first_step
        from accounts.login_log import jobs as login_log  # noqa: F401  (register their work)
        from accounts.mails import jobs as mails  # noqa: F401  (register their work)
        from accounts.members import jobs as invites  # noqa: F401  (register their work)
        from accounts.members.selectors import colleagues, seats
        from accounts.notifications import jobs as notifications  # noqa: F401  (register their work)
        from accounts.programs import jobs as programs  # noqa: F401  (register their work)
        from accounts.request_log import jobs as request_log  # noqa: F401  (register their work)
        from accounts.roles.models import Role
        from accounts.roles.services import seed_roles
        from accounts.search_kinds import register_kinds
        from accounts.settings.notices import Notice, register_notice
        from accounts.settings.services import make_settings
        from core.access import count_usage
        from core.tenancy.provisioning import company_created

        company_created.connect(seed_roles)
        company_created.connect(make_settings)
        count_usage("member", seats, error="PlanMaxUsers_400")
        count_usage("role", Role.objects.all)
        count_usage("api", ApiKey.objects.all)
        register_kinds()
        register_first_step(FirstStep("members", colleagues, 3))
        register_notice(Notice("member.joined", "Somebody accepted an invite", "notice_member_joined"))

        from accounts.auth.staff import sessions as staff_sessions  # noqa: F401  (ends staff's sessions)
        from accounts.auth.staff.second_factor import gate
        from core.backoffice.site import page_requested

        page_requested.connect(gate)

        from accounts.members.readers import Browsers
        from core.web.readers import set_source

        set_source(Browsers())

        from accounts.settings.branding import error_brand
        from core.api.handler import set_error_brand

        set_error_brand(error_brand)

        from accounts.auth import openapi  # noqa: F401  (describes the authentication paths in the schema)
        from accounts.staff_visits import services as visits  # noqa: F401  (registers its notice)
