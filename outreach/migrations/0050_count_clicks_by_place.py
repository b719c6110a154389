from django.db import migrations, models

# Without places, two clicks of a visitor on links with the same address are one.
MERGE_REPEATS = """
    DELETE FROM outreach_trackingevent AS later USING outreach_trackingevent AS earlier
    WHERE later.company_id = earlier.company_id AND later.send_job_id = earlier.send_job_id
        AND later.kind = earlier.kind AND later.link = earlier.link AND later.visitor = earlier.visitor
        AND later.id > earlier.id
"""
BUILD = "CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS {name} ON outreach_trackingevent ({columns})"
COLUMNS = "company_id, send_job_id, kind, link, visitor"
# The index takes the name of the constraint.
SWAP = """
    ALTER TABLE outreach_trackingevent DROP CONSTRAINT trackingevent_once,
        ADD CONSTRAINT trackingevent_once UNIQUE USING INDEX {name}
"""


class Migration(migrations.Migration):
    # An index that is built while others write needs to be outside of a transaction.
    atomic = False

    dependencies = [("outreach", "0049_place_clicks_by_link")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(
                    BUILD.format(name="trackingevent_once_place", columns=f"{COLUMNS}, place"),
                    SWAP.format(name="trackingevent_once_before"),
                ),
                migrations.RunSQL(
                    SWAP.format(name="trackingevent_once_place"),
                    BUILD.format(name="trackingevent_once_before", columns=COLUMNS),
                ),
                migrations.RunSQL(migrations.RunSQL.noop, MERGE_REPEATS),
            ],
            state_operations=[
                migrations.RemoveConstraint(model_name="trackingevent", name="trackingevent_once"),
                migrations.AddConstraint(
                    model_name="trackingevent",
                    constraint=models.UniqueConstraint(
                        fields=("company", "send_job", "kind", "link", "visitor", "place"), name="trackingevent_once"
                    ),
                ),
            ],
        ),
    ]
