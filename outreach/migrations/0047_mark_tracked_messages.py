"""Mark the messages that were tracked before each message kept it.

One visit shows that its run was sent with tracking, which is how the pages of runs read such messages too.
"""

from django.db import migrations

MARK = """
    UPDATE outreach_sendjob AS message SET {mark} = true
    FROM (
        SELECT DISTINCT company_id, run_id FROM outreach_sendjob
        WHERE {visits} > 0 AND NOT {mark} AND run_id IS NOT NULL
    ) AS visited
    WHERE message.company_id = visited.company_id AND message.run_id = visited.run_id
        AND message.sending_at IS NOT NULL AND NOT message.{mark}
"""


class Migration(migrations.Migration):
    dependencies = [("outreach", "0046_add_utm_tags")]

    operations = [
        migrations.RunSQL(MARK.format(mark="opens_tracked", visits="open_count"), migrations.RunSQL.noop),
        migrations.RunSQL(MARK.format(mark="clicks_tracked", visits="click_count"), migrations.RunSQL.noop),
    ]
