from django.db import migrations, models

from core.migration_operations import OneStepMigration


class Migration(OneStepMigration):

    dependencies = [
        ('outreach', '0011_gmail_and_follow_ups'),
    ]

    operations = [
        migrations.AddField(
            model_name='aiusage',
            name='error',
            field=models.TextField(blank=True, db_default='', default='', help_text='Why the answer could not be used; empty: it was.'),
        ),
        migrations.AddField(
            model_name='leadgeneration',
            name='judge_error',
            field=models.TextField(blank=True, db_default='', default='', help_text='Why the AI app has not judged all who were found; empty: it has.'),
        ),
    ]
