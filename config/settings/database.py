"""The database and its connections."""

from __future__ import annotations

from config.env import env
from config.servers import database_url

DATABASE_URL = database_url()
DATABASES = {
    "default": {**env.db_url_config(DATABASE_URL), "ENGINE": "core.tenancy.postgresql", "CONN_HEALTH_CHECKS": True}
}
# A server that is away for good is noticed after 25 s, and one that takes connections and does not answer after 10 s.
DATABASES["default"]["OPTIONS"] = {
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 25_000,
    **DATABASES["default"].get("OPTIONS", {}),
}
if pool_size := env.int("DATABASE_POOL", default=0):
    DATABASES["default"]["OPTIONS"]["pool"] = {"min_size": 1, "max_size": pool_size, "timeout": 30}
else:
    DATABASES["default"]["CONN_MAX_AGE"] = None
