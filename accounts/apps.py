from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "accounts"

    def ready(self) -> None:
        from accounts import openapi  # noqa: F401  (describes the doors in the schema)
        from accounts.services import mail_worker, rewards, sessions  # noqa: F401  (register their work and chores)
