from django.db import migrations, models

# Without places, two clicks of a visitor on links with the same address are one.
MERGE_REPEATS = """
    DELETE FROM outreach_trackingevent AS later USING outreach_trackingevent AS earlier
    WHERE later.company_id = earlier.company_id AND later.send_job_id = earlier.send_job_id
        AND later.kind = earlier.kind AND later.link = earlier.link AND later.visitor = earlier.visitor
        AND later.id > earlier.id
"""


class Migration(migrations.Migration):
    dependencies = [("outreach", "0048_add_quotes")]

    operations = [
        migrations.RemoveConstraint(model_name="trackingevent", name="trackingevent_once"),
        migrations.RunSQL(migrations.RunSQL.noop, MERGE_REPEATS),
        migrations.AddField(
            model_name="trackingevent",
            name="of_places",
            field=models.PositiveSmallIntegerField(
                db_default=0,
                default=0,
                help_text="How many links the message has, with repeats and untracked ones.",
            ),
        ),
        migrations.AddField(
            model_name="trackingevent",
            name="place",
            field=models.PositiveSmallIntegerField(
                db_default=0,
                default=0,
                help_text="Place of the link among all links of the message, from 1; 0: not known.",
            ),
        ),
        migrations.AddConstraint(
            model_name="trackingevent",
            constraint=models.UniqueConstraint(
                fields=("company", "send_job", "kind", "link", "visitor", "place"), name="trackingevent_once"
            ),
        ),
    ]
