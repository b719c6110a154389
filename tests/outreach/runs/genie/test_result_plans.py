"""What runs have brought is counted from indexes alone, since the rows of messages are wide."""

from django.db import connection
from django.test.utils import CaptureQueriesContext

from core.tenancy import use_owner_role
from outreach.messaging.delivery.models import SendJob
from outreach.runs.genie.selectors import results
from tests.crm.contacts.helpers import form
from tests.kit.cast import Cast
from tests.outreach.helpers import Post, planned, work

OTHERS = [index.name for index in SendJob._meta.indexes if index.name not in ("sendjob_sent", "sendjob_visited")]


def test_results_read_indexes_alone(cast: Cast, post: Post) -> None:
    run = planned(cast, 2)
    work("send")
    # Without rows beside them, and figures of its own, the planner's choice hangs on when autovacuum came by last.
    cast.key.post("/contact/bulk", {"formData": [form(n) for n in range(300)]})
    with cast.scope(), connection.cursor() as cursor:
        with use_owner_role():
            cursor.execute("ANALYZE crm_contact")
            cursor.execute(f"DROP INDEX {', '.join(OTHERS)}")  # of so few messages any index would do as well
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            cursor.execute("ALTER TABLE outreach_sendjob DROP CONSTRAINT sendjob_once")
        for way in ("seqscan", "bitmapscan"):  # which so few rows would be read by
            cursor.execute(f"SET LOCAL enable_{way} = off")
        with CaptureQueriesContext(connection) as queries:
            assert results([run]) == {run: {"sent": 2, "answered": 0, "opened": 0, "clicked": 0}}
        statements = [one["sql"] for one in queries]
        assert len(statements) == 2
        read = (("sendjob_sent", "contact_replied"), ("sendjob_sent", "sendjob_visited"))
        for statement, indexes in zip(statements, read, strict=True):
            cursor.execute(f"EXPLAIN {statement}")
            plan = "\n".join(line for (line,) in cursor.fetchall())
            for index in indexes:
                assert f"Index Only Scan using {index}" in plan, plan
