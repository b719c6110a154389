import core.fields
import core.ids
import django.db.models.deletion
from django.db import migrations, models

from core.migration_operations import OneStepMigration


class Migration(OneStepMigration):

    dependencies = [
        ('accounts', '0011_require_lost_reasons'),
        ('crm', '0029_index_changes_of_organizations'),
    ]

    operations = [
        migrations.AddField(
            model_name='followup',
            name='contact',
            field=core.fields.CompanyForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='tasks', to='crm.contact'),
        ),
        migrations.AddField(
            model_name='followup',
            name='next_task',
            field=core.ids.ObjectIdField(db_collation='C', editable=False, help_text='The next occurrence, which was created when this one was completed.', max_length=24, null=True),
        ),
        migrations.AddField(
            model_name='followup',
            name='notice_at',
            field=models.DateTimeField(editable=False, help_text='When the assignee is told that it is overdue; empty: told, or nobody is.', null=True),
        ),
        migrations.AddField(
            model_name='followup',
            name='organization',
            field=core.fields.CompanyForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='tasks', to='crm.organization'),
        ),
        migrations.AddField(
            model_name='followup',
            name='priority',
            field=models.CharField(choices=[('low', 'Low'), ('normal', 'Normal'), ('high', 'High')], db_default='normal', default='normal', max_length=6),
        ),
        migrations.AddField(
            model_name='followup',
            name='recurrence',
            field=models.CharField(blank=True, choices=[('daily', 'Daily'), ('weekdays', 'Weekdays'), ('weekly', 'Weekly'), ('monthly', 'Monthly'), ('yearly', 'Yearly')], max_length=8, null=True),
        ),
        migrations.AddField(
            model_name='followup',
            name='recurrence_start',
            field=models.CharField(editable=False, help_text='The local time of the first occurrence, such as 2026-01-31T02:30: day and time repeat.', max_length=16, null=True),
        ),
        migrations.AddField(
            model_name='followup',
            name='type',
            field=models.CharField(choices=[('todo', 'Todo'), ('call', 'Call'), ('email', 'Email'), ('meeting', 'Meeting')], db_default='todo', default='todo', max_length=7),
        ),
        migrations.AlterField(
            model_name='followup',
            name='lead',
            field=core.fields.CompanyForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='follow_ups', to='crm.lead'),
        ),
    ]
