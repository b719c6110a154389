from django.db import migrations, models

import core.logs.context
from core.migration_operations import OneStepMigration


class Migration(OneStepMigration):

    dependencies = [
        ('outreach', '0025_booking'),
    ]

    operations = [
        migrations.AddField(
            model_name='cardscan',
            name='request_id',
            field=models.CharField(blank=True, db_default='', default=core.logs.context.request_id, editable=False, help_text='The request that began it: its X-Request-ID, which lines of the log about the job carry too.', max_length=24),
        ),
        migrations.AddField(
            model_name='crmchatmessage',
            name='request_id',
            field=models.CharField(blank=True, db_default='', default=core.logs.context.request_id, editable=False, help_text='The request that began it: its X-Request-ID, which lines of the log about the job carry too.', max_length=24),
        ),
        migrations.AddField(
            model_name='enrichment',
            name='request_id',
            field=models.CharField(blank=True, db_default='', default=core.logs.context.request_id, editable=False, help_text='The request that began it: its X-Request-ID, which lines of the log about the job carry too.', max_length=24),
        ),
        migrations.AddField(
            model_name='geniescheduler',
            name='request_id',
            field=models.CharField(blank=True, db_default='', default=core.logs.context.request_id, editable=False, help_text='The request that began it: its X-Request-ID, which lines of the log about the job carry too.', max_length=24),
        ),
        migrations.AddField(
            model_name='leadgeneration',
            name='request_id',
            field=models.CharField(blank=True, db_default='', default=core.logs.context.request_id, editable=False, help_text='The request that began it: its X-Request-ID, which lines of the log about the job carry too.', max_length=24),
        ),
        migrations.AddField(
            model_name='suppressionimport',
            name='request_id',
            field=models.CharField(blank=True, db_default='', default=core.logs.context.request_id, editable=False, help_text='The request that began it: its X-Request-ID, which lines of the log about the job carry too.', max_length=24),
        ),
    ]
