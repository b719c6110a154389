import core.fields
import core.ids
import django.db.models.deletion
import django.db.models.functions.text
from django.db import migrations, models

from core.migration_operations import OneStepMigration


class Migration(OneStepMigration):

    dependencies = [
        ('accounts', '0001_squashed_0007_words'),
        ('crm', '0024_index_organizations'),
    ]

    operations = [
        migrations.CreateModel(
            name='StageChange',
            fields=[
                ('pk', models.CompositePrimaryKey('lead_id', 'changed_at', blank=True, editable=False, primary_key=True, serialize=False)),
                ('changed_at', models.DateTimeField()),
                ('entered_at', models.DateTimeField(help_text='The time since which the lead was in the stage that it left.')),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'objects',
            },
        ),
        migrations.AddField(
            model_name='lead',
            name='expected_close_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.CreateModel(
            name='LostReason',
            fields=[
                ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('updated_at', models.DateTimeField(auto_now=True)),
                ('name', models.CharField(max_length=200)),
                ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                ('created_by', core.fields.CompanyForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member')),
                ('updated_by', core.fields.CompanyForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member')),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'objects',
            },
        ),
        migrations.AddField(
            model_name='lead',
            name='lost_reason',
            field=core.fields.CompanyForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='leads', to='crm.lostreason'),
        ),
        migrations.CreateModel(
            name='Pipeline',
            fields=[
                ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('updated_at', models.DateTimeField(auto_now=True)),
                ('name', models.CharField(max_length=200)),
                ('is_default', models.BooleanField(default=False, editable=False, help_text="Its stages are the options of the leads' system field status.")),
                ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                ('created_by', core.fields.CompanyForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member')),
                ('updated_by', core.fields.CompanyForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member')),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'objects',
            },
        ),
        migrations.AddField(
            model_name='lead',
            name='pipeline',
            field=core.fields.CompanyForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='leads', to='crm.pipeline'),
        ),
        migrations.CreateModel(
            name='Stage',
            fields=[
                ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('updated_at', models.DateTimeField(auto_now=True)),
                ('name', models.CharField(max_length=200)),
                ('position', models.PositiveSmallIntegerField()),
                ('kind', models.CharField(choices=[('open', 'Open'), ('won', 'Won'), ('lost', 'Lost')], default='open', max_length=4)),
                ('probability', models.PositiveSmallIntegerField(help_text='Percent; 100 of a won stage, 0 of a lost one.')),
                ('status', models.CharField(help_text='The status of its leads, in the default pipeline; null in others.', max_length=100, null=True)),
                ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                ('pipeline', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='stages', to='crm.pipeline')),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'objects',
            },
        ),
        migrations.AddField(
            model_name='lead',
            name='stage',
            field=core.fields.CompanyForeignKey(blank=True, db_constraint=False, db_index=False, help_text='Null where the status is no option any more.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='leads', to='crm.stage'),
        ),
        migrations.AddField(
            model_name='stagechange',
            name='company',
            field=models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company'),
        ),
        migrations.AddField(
            model_name='stagechange',
            name='from_stage',
            field=core.fields.CompanyForeignKey(db_constraint=False, db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='moves_out', to='crm.stage'),
        ),
        migrations.AddField(
            model_name='stagechange',
            name='lead',
            field=core.fields.CompanyForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='stage_changes', to='crm.lead'),
        ),
        migrations.AddField(
            model_name='stagechange',
            name='member',
            field=core.fields.CompanyForeignKey(db_constraint=False, db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member'),
        ),
        migrations.AddField(
            model_name='stagechange',
            name='to_stage',
            field=core.fields.CompanyForeignKey(db_constraint=False, db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='moves_in', to='crm.stage'),
        ),
        migrations.AddConstraint(
            model_name='lostreason',
            constraint=models.UniqueConstraint(models.F('company'), django.db.models.functions.text.Lower('name'), name='lostreason_name_unique'),
        ),
        migrations.AddConstraint(
            model_name='pipeline',
            constraint=models.UniqueConstraint(models.F('company'), django.db.models.functions.text.Lower('name'), name='pipeline_name_unique'),
        ),
        migrations.AddConstraint(
            model_name='pipeline',
            constraint=models.UniqueConstraint(condition=models.Q(('is_default', True)), fields=('company',), name='pipeline_one_default'),
        ),
        migrations.AddIndex(
            model_name='stage',
            index=models.Index(fields=['company', 'pipeline', 'position'], name='stage_order'),
        ),
        migrations.AddConstraint(
            model_name='stage',
            constraint=models.UniqueConstraint(fields=('company', 'status'), name='stage_status_unique'),
        ),
        migrations.AddConstraint(
            model_name='stage',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('kind', 'won'), ('probability', 100)), models.Q(('kind', 'lost'), ('probability', 0)), models.Q(('kind', 'open'), ('probability__lte', 100)), _connector='OR'), name='stage_probability'),
        ),
        migrations.AddIndex(
            model_name='stagechange',
            index=models.Index(fields=['company', 'changed_at'], name='stagechange_time'),
        ),
        migrations.AddIndex(
            model_name='stagechange',
            index=models.Index(fields=['company', 'from_stage', 'changed_at'], name='stagechange_from'),
        ),
        migrations.AddIndex(
            model_name='stagechange',
            index=models.Index(fields=['company', 'to_stage'], name='stagechange_to'),
        ),
        migrations.AddIndex(
            model_name='stagechange',
            index=models.Index(fields=['company', 'member'], name='stagechange_member'),
        ),
    ]
