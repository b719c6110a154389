from django.db import migrations

# Meetings with a link of a video call are online; those that have been made without one are at a place.
ONLINE = """
SELECT set_config('app.owner', 'on', true);
UPDATE crm_meeting SET kind = 'online' WHERE link <> '';
"""


class Migration(migrations.Migration):
    dependencies = [("crm", "0008_video_calls")]

    operations = [migrations.RunSQL(ONLINE, migrations.RunSQL.noop)]
