from django.db import migrations, models

import core.logs.context
from core.migration_operations import OneStepMigration


class Migration(OneStepMigration):

    dependencies = [
        ('crm', '0009_kinds_of_meetings'),
    ]

    operations = [
        migrations.AddField(
            model_name='bulkjob',
            name='request_id',
            field=models.CharField(blank=True, db_default='', default=core.logs.context.request_id, editable=False, help_text='The request that began it: its X-Request-ID, which lines of the log about the job carry too.', max_length=24),
        ),
        migrations.AddField(
            model_name='export',
            name='request_id',
            field=models.CharField(blank=True, db_default='', default=core.logs.context.request_id, editable=False, help_text='The request that began it: its X-Request-ID, which lines of the log about the job carry too.', max_length=24),
        ),
        migrations.AddField(
            model_name='import',
            name='request_id',
            field=models.CharField(blank=True, db_default='', default=core.logs.context.request_id, editable=False, help_text='The request that began it: its X-Request-ID, which lines of the log about the job carry too.', max_length=24),
        ),
    ]
