import core.fields
import core.ids
import django.db.models.deletion
from django.db import migrations, models

from core.migration_operations import OneStepMigration


class Migration(OneStepMigration):

    dependencies = [
        ('accounts', '0011_require_lost_reasons'),
        ('crm', '0039_show_quotes_in_timelines'),
        ('outreach', '0047_mark_tracked_messages'),
    ]

    operations = [
        migrations.CreateModel(
            name='Quote',
            fields=[
                ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('updated_at', models.DateTimeField(auto_now=True)),
                ('number', models.CharField(editable=False, max_length=32)),
                ('version', models.PositiveSmallIntegerField(default=1, editable=False)),
                ('title', models.CharField(max_length=200)),
                ('status', models.CharField(choices=[('draft', 'Draft'), ('sent', 'Sent'), ('viewed', 'Viewed'), ('accepted', 'Accepted'), ('declined', 'Declined'), ('expired', 'Expired')], default='draft', max_length=8)),
                ('currency', models.CharField(help_text='ISO 4217 code.', max_length=3)),
                ('lines', core.fields.JSONField(default=list, help_text='name, quantity, unitPrice, discount, tax and amounts of each line.')),
                ('subtotal', models.DecimalField(decimal_places=4, default=0, help_text='Without discount and tax.', max_digits=18)),
                ('discount', models.DecimalField(decimal_places=4, default=0, max_digits=18)),
                ('net', models.DecimalField(decimal_places=4, default=0, max_digits=18)),
                ('tax', models.DecimalField(decimal_places=4, default=0, max_digits=18)),
                ('total', models.DecimalField(decimal_places=4, default=0, help_text='With tax.', max_digits=18)),
                ('valid_until', models.DateTimeField(help_text='The last moment at which it can be accepted.')),
                ('notes', models.TextField(blank=True, default='', help_text='Above the lines.')),
                ('terms', models.TextField(blank=True, default='', help_text='Below the lines.')),
                ('sent_at', models.DateTimeField(editable=False, null=True)),
                ('viewed_at', models.DateTimeField(editable=False, null=True)),
                ('answered_at', models.DateTimeField(editable=False, null=True)),
                ('accepted_name', models.CharField(blank=True, default='', help_text='The name that the customer entered.', max_length=200)),
                ('answered_from', models.GenericIPAddressField(editable=False, help_text='The IP address of the answer, without its last part.', null=True)),
                ('decline_reason', models.CharField(blank=True, default='', max_length=500)),
                ('deleted_at', models.DateTimeField(editable=False, null=True)),
                ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                ('contact', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, help_text="The lead's contact.", on_delete=django.db.models.deletion.CASCADE, related_name='quotes', to='crm.contact')),
                ('created_by', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member')),
                ('lead', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='quotes', to='crm.lead')),
                ('mail', core.fields.CompanyForeignKey(db_constraint=False, help_text='Its last email.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='outreach.personalmail')),
                ('owner', core.fields.CompanyForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member')),
                ('pdf', core.fields.CompanyForeignKey(db_constraint=False, help_text='The PDF that was sent.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='crm.file')),
                ('replaced_by', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, editable=False, help_text='The next version of the quote.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='replaces', to='outreach.quote')),
                ('updated_by', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member')),
            ],
            options={
                'verbose_name': 'quote',
                'abstract': False,
                'base_manager_name': 'objects',
                'indexes': [models.Index(fields=['company', 'created_at', 'id'], name='quote_newest'), models.Index(fields=['company', 'status', 'id'], name='quote_status'), models.Index(fields=['lead', 'created_at', 'id'], name='quote_lead'), models.Index(fields=['contact', 'created_at', 'id'], name='quote_contact'), models.Index(fields=['company', 'valid_until', 'id'], name='quote_valid'), models.Index(fields=['company', 'owner', 'id'], name='quote_owner'), models.Index(condition=models.Q(('replaced_by__isnull', False)), fields=['replaced_by'], name='quote_replaced'), models.Index(condition=models.Q(('deleted_at', None), ('status__in', ('sent', 'viewed'))), fields=['valid_until'], name='quote_open'), models.Index(condition=models.Q(('deleted_at__isnull', False)), fields=['deleted_at'], name='quote_deleted')],
                'constraints': [models.UniqueConstraint(fields=('company', 'number', 'version'), name='quote_number')],
            },
        ),
        migrations.CreateModel(
            name='QuoteSettings',
            fields=[
                ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('updated_at', models.DateTimeField(auto_now=True)),
                ('prefix', models.CharField(blank=True, default='Q-', help_text='Before the number of each quote.', max_length=20)),
                ('last_number', models.PositiveIntegerField(default=0, editable=False)),
                ('valid_days', models.PositiveSmallIntegerField(default=30, help_text='Days for which new quotes are valid.')),
                ('terms', models.TextField(blank=True, default='', help_text='The terms of new quotes.')),
                ('moves_accepted', models.BooleanField(default=True, help_text='An accepted quote moves its lead.')),
                ('accepted_stage', core.fields.CompanyForeignKey(blank=True, db_constraint=False, help_text='Leads of accepted quotes move here; empty: to the first won stage of their pipeline.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='crm.stage')),
                ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                ('declined_stage', core.fields.CompanyForeignKey(blank=True, db_constraint=False, help_text='Leads of declined quotes move here; empty: they stay.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='crm.stage')),
                ('updated_by', core.fields.CompanyForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member')),
            ],
            options={
                'verbose_name': 'quote settings',
                'verbose_name_plural': 'quote settings',
                'abstract': False,
                'base_manager_name': 'objects',
                'constraints': [models.UniqueConstraint(fields=('company',), name='quotesettings_once')],
            },
        ),
    ]
