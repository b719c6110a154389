import core.fields
import core.ids
import django.db.models.deletion
import django.db.models.functions.text
import django.utils.timezone
from django.db import migrations, models

from core.migration_operations import OneStepMigration


class Migration(OneStepMigration):

    dependencies = [
        ('accounts', '0001_squashed_0006_where_sessions_are'),
        ('crm', "0009_kinds_of_meetings"),
        ("outreach", "0024_direct_apps"),
    ]

    operations = [
        migrations.CreateModel(
            name='BookingPage',
            fields=[
                ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('updated_at', models.DateTimeField(auto_now=True)),
                ('name', models.CharField(max_length=200)),
                ('token', models.CharField(editable=False, help_text='In its public address.', max_length=32, unique=True)),
                ('is_active', models.BooleanField(default=True)),
                ('title', models.CharField(blank=True, default='', help_text='What visitors read; empty: its name.', max_length=200)),
                ('text', models.TextField(blank=True, default='')),
                ('colour', models.CharField(default='#2f5bea', max_length=7)),
                ('duration_minutes', models.PositiveSmallIntegerField(default=30)),
                ('step_minutes', models.PositiveSmallIntegerField(default=30, help_text='Between the times that are offered.')),
                ('buffer_before', models.PositiveSmallIntegerField(default=0, help_text='Minutes that stay free before it.')),
                ('buffer_after', models.PositiveSmallIntegerField(default=0, help_text='Minutes that stay free after it.')),
                ('notice_minutes', models.PositiveIntegerField(default=240, help_text='How long before it begins it can be booked.')),
                ('horizon_days', models.PositiveSmallIntegerField(default=30, help_text='How far ahead it can be booked.')),
                ('most_per_day', models.PositiveSmallIntegerField(blank=True, help_text='Bookings of a member in a day.', null=True)),
                ('timezone', models.CharField(blank=True, default='', help_text='Of its own hours.', max_length=64)),
                ('days', core.fields.JSONField(blank=True, default=list, help_text='Own hours; empty: those of its members.')),
                ('questions', core.fields.JSONField(blank=True, default=list, help_text='key, label, type, required, options, help of each.')),
                ('asks_phone', models.BooleanField(default=False)),
                ('kind', models.CharField(choices=[('online', 'Online'), ('offline', 'Offline')], default='online', max_length=7)),
                ('video_provider', models.CharField(blank=True, default='', help_text="Empty: the company's.", max_length=24)),
                ('place', models.CharField(blank=True, default='', max_length=500)),
                ('remind_minutes', models.PositiveIntegerField(blank=True, default=1440, help_text='Mail to the visitor.', null=True)),
                ('makes_lead', models.BooleanField(default=False)),
                ('lead_source', models.CharField(blank=True, default='', max_length=100)),
                ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                ('created_by', core.fields.CompanyForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member')),
                ('member', core.fields.CompanyForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.member')),
                ('team', core.fields.CompanyForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='crm.team')),
                ('updated_by', core.fields.CompanyForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member')),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'objects',
            },
        ),
        migrations.CreateModel(
            name='Booking',
            fields=[
                ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('updated_at', models.DateTimeField(auto_now=True)),
                ('sent_id', models.CharField(help_text='Of the page that was sent, so that one sent twice counts once.', max_length=24)),
                ('token', models.CharField(editable=False, help_text="In the visitor's address.", max_length=32, unique=True)),
                ('name', models.CharField(blank=True, max_length=300)),
                ('email', models.EmailField(blank=True, max_length=254)),
                ('phone', models.CharField(blank=True, default='', max_length=40)),
                ('answers', core.fields.JSONField(blank=True, default=dict)),
                ('timezone', models.CharField(blank=True, default='', help_text="The visitor's.", max_length=64)),
                ('buffer_before', models.PositiveSmallIntegerField(default=0)),
                ('buffer_after', models.PositiveSmallIntegerField(default=0)),
                ('cancelled_at', models.DateTimeField(editable=False, help_text='When the visitor has cancelled it.', null=True)),
                ('reason', models.CharField(blank=True, default='', help_text='What they said of it.', max_length=500)),
                ('remind_minutes', models.PositiveIntegerField(blank=True, null=True)),
                ('remind_at', models.DateTimeField(editable=False, null=True)),
                ('reminded_at', models.DateTimeField(editable=False, null=True)),
                ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                ('contact', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='crm.contact')),
                ('lead', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='crm.lead')),
                ('meeting', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='crm.meeting')),
                ('member', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.member')),
                ('page', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='outreach.bookingpage')),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'objects',
            },
        ),
        migrations.CreateModel(
            name='CalendarConnection',
            fields=[
                ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('updated_at', models.DateTimeField(auto_now=True)),
                ('due_at', models.DateTimeField(default=django.utils.timezone.now, help_text='Not before.')),
                ('lease', core.ids.ObjectIdField(db_collation='C', editable=False, help_text='Written anew by each claim; a write under another lease is refused.', max_length=24, null=True)),
                ('worker', models.IntegerField(editable=False, help_text='Lock number of the worker process that holds the lease.', null=True)),
                ('attempts', models.PositiveSmallIntegerField(default=0, editable=False)),
                ('error', models.TextField(blank=True, default='', help_text='What went wrong, for the person who reads it.')),
                ('deaths', models.PositiveSmallIntegerField(default=0, editable=False, help_text='Workers that died on it since its last progress.')),
                ('email', models.EmailField(blank=True, default='', max_length=254)),
                ('is_active', models.BooleanField(default=False, help_text='A member has logged in, and has not disconnected it.')),
                ('api_key', core.fields.EncryptedTextField(blank=True, default='', help_text='What new access tokens are asked for by.')),
                ('access_token', core.fields.EncryptedTextField(blank=True, default='')),
                ('access_ends_at', models.DateTimeField(editable=False, null=True)),
                ('renewing_until', models.DateTimeField(editable=False, null=True)),
                ('scopes', models.CharField(blank=True, default='', editable=False, max_length=500)),
                ('needs_login', models.BooleanField(default=False, editable=False, help_text='Google takes the log-in no more.')),
                ('state_hash', models.CharField(blank=True, default='', editable=False, help_text='Of a log-in begun.', max_length=64)),
                ('login_ends_at', models.DateTimeField(editable=False, null=True)),
                ('busy', core.fields.JSONField(blank=True, default=list, editable=False, help_text='Pairs of moments between which they are busy.')),
                ('busy_at', models.DateTimeField(editable=False, help_text='When Google has said so.', null=True)),
                ('status', models.CharField(choices=[('waiting', 'Waiting'), ('running', 'Running'), ('failed', 'Failed')], default='waiting', editable=False, max_length=8)),
                ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                ('member', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.member')),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'objects',
            },
        ),
        migrations.CreateModel(
            name='CalendarEvent',
            fields=[
                ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('updated_at', models.DateTimeField(auto_now=True)),
                ('due_at', models.DateTimeField(default=django.utils.timezone.now, help_text='Not before.')),
                ('lease', core.ids.ObjectIdField(db_collation='C', editable=False, help_text='Written anew by each claim; a write under another lease is refused.', max_length=24, null=True)),
                ('worker', models.IntegerField(editable=False, help_text='Lock number of the worker process that holds the lease.', null=True)),
                ('attempts', models.PositiveSmallIntegerField(default=0, editable=False)),
                ('error', models.TextField(blank=True, default='', help_text='What went wrong, for the person who reads it.')),
                ('deaths', models.PositiveSmallIntegerField(default=0, editable=False, help_text='Workers that died on it since its last progress.')),
                ('version', models.PositiveIntegerField(default=1, editable=False, help_text='Counts the changes of the meeting.')),
                ('written', models.CharField(blank=True, default='', editable=False, help_text='Hash of what is there.', max_length=64)),
                ('written_at', models.DateTimeField(editable=False, null=True)),
                ('link_asks', models.PositiveSmallIntegerField(default=0, editable=False, help_text='How often its link was not ready.')),
                ('status', models.CharField(choices=[('waiting', 'Waiting'), ('running', 'Running'), ('done', 'Done'), ('failed', 'Failed')], default='waiting', editable=False, max_length=8)),
                ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                ('connection', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='events', to='outreach.calendarconnection')),
                ('meeting', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='crm.meeting')),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'objects',
            },
        ),
        migrations.CreateModel(
            name='MemberHours',
            fields=[
                ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('updated_at', models.DateTimeField(auto_now=True)),
                ('timezone', models.CharField(blank=True, default='', help_text="Empty: the company's.", max_length=64)),
                ('days', core.fields.JSONField(blank=True, default=list, help_text='day (1 is Monday), from and to of each span.')),
                ('away', core.fields.JSONField(blank=True, default=list, help_text='from and to of each time away, both days included.')),
                ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                ('member', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.member')),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'objects',
            },
        ),
        migrations.AddIndex(
            model_name='bookingpage',
            index=models.Index(fields=['company', 'created_at', 'id'], name='bookingpage_newest'),
        ),
        migrations.AddConstraint(
            model_name='bookingpage',
            constraint=models.UniqueConstraint(models.F('company'), django.db.models.functions.text.Lower('name'), name='bookingpage_name_unique'),
        ),
        migrations.AddIndex(
            model_name='booking',
            index=models.Index(fields=['company', 'created_at', 'id'], name='booking_newest'),
        ),
        migrations.AddIndex(
            model_name='booking',
            index=models.Index(fields=['page', 'member', 'created_at'], name='booking_turn'),
        ),
        migrations.AddIndex(
            model_name='booking',
            index=models.Index(fields=['company', 'contact'], name='booking_contact'),
        ),
        migrations.AddIndex(
            model_name='booking',
            index=models.Index(fields=['company', 'lead'], name='booking_lead'),
        ),
        migrations.AddIndex(
            model_name='booking',
            index=models.Index(condition=models.Q(('remind_at__isnull', False), ('reminded_at__isnull', True)), fields=['remind_at'], name='booking_reminding'),
        ),
        migrations.AddConstraint(
            model_name='booking',
            constraint=models.UniqueConstraint(fields=('company', 'meeting'), name='booking_of_meeting'),
        ),
        migrations.AddConstraint(
            model_name='booking',
            constraint=models.UniqueConstraint(fields=('company', 'sent_id'), name='booking_once'),
        ),
        migrations.AddIndex(
            model_name='calendarconnection',
            index=models.Index(condition=models.Q(('is_active', True), ('status', 'waiting')), fields=['due_at'], name='calendarconnection_due'),
        ),
        migrations.AddIndex(
            model_name='calendarconnection',
            index=models.Index(condition=models.Q(('status', 'running')), fields=['status'], name='calendarconnection_running'),
        ),
        migrations.AddIndex(
            model_name='calendarconnection',
            index=models.Index(fields=['company', 'created_at', 'id'], name='calendarconnection_newest'),
        ),
        migrations.AddConstraint(
            model_name='calendarconnection',
            constraint=models.UniqueConstraint(fields=('company', 'member'), name='calendarconnection_once'),
        ),
        migrations.AddIndex(
            model_name='calendarevent',
            index=models.Index(fields=['connection'], name='calendarevent_connection'),
        ),
        migrations.AddIndex(
            model_name='calendarevent',
            index=models.Index(condition=models.Q(('status', 'waiting')), fields=['due_at'], name='calendarevent_due'),
        ),
        migrations.AddIndex(
            model_name='calendarevent',
            index=models.Index(condition=models.Q(('status', 'running')), fields=['status'], name='calendarevent_running'),
        ),
        migrations.AddIndex(
            model_name='calendarevent',
            index=models.Index(fields=['company', 'created_at', 'id'], name='calendarevent_newest'),
        ),
        migrations.AddConstraint(
            model_name='calendarevent',
            constraint=models.UniqueConstraint(fields=('company', 'meeting'), name='calendarevent_once'),
        ),
        migrations.AddConstraint(
            model_name='memberhours',
            constraint=models.UniqueConstraint(fields=('company', 'member'), name='memberhours_once'),
        ),
    ]
