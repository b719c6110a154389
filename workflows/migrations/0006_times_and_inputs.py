import django.contrib.postgres.indexes
from django.db import migrations, models

import core.fields
from core.migration_operations import Additions


class Migration(migrations.Migration):

    dependencies = [
        ('workflows', '0005_calls'),
    ]

    operations = [
        migrations.RemoveConstraint(model_name='nodecount', name='nodecount_once'),
        Additions([
            migrations.AddField(
                model_name='nodecount',
                name='took',
                field=models.SmallIntegerField(help_text='How long each took, at most 2^(n/2) milliseconds; empty: not measured.', null=True),
            ),
            migrations.AddConstraint(
                model_name='nodecount',
                constraint=models.UniqueConstraint(condition=models.Q(('compact', True)), fields=('version', 'node', 'hour', 'outcome', 'took'), name='nodecount_by_time', nulls_distinct=False),
            ),
            migrations.AddField(
                model_name='runstep',
                name='input',
                field=core.fields.JSONField(help_text='The settings as rendered, of a step that has failed.', null=True),
            ),
            migrations.AddIndex(
                model_name='runapproval',
                index=django.contrib.postgres.indexes.GinIndex(fields=['members'], name='runapproval_members', opclasses=['jsonb_path_ops']),
            ),
            migrations.AddField(
                model_name='workflowsecret',
                name='last_used_at',
                field=models.DateTimeField(editable=False, help_text='When a call last sent it, to the minute.', null=True),
            ),
        ]),
    ]
