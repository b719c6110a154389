import core.fields
import core.ids
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from core.migration_operations import CreateTables


class Migration(migrations.Migration):

    replaces = [
        ('billing', '0001_squashed_0002_access'),
        ('billing', '0002_say_when_access_ends'),
        ('billing', '0003_use_of_limits'),
    ]

    initial = True

    dependencies = [
        ('accounts', '0001_squashed_0006_where_sessions_are'),
    ]

    operations = [
        CreateTables([
            migrations.CreateModel(
                name='Currency',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('code', models.CharField(max_length=3, unique=True)),
                    ('name', models.CharField(max_length=100)),
                    ('symbol', models.CharField(max_length=10)),
                    ('decimals', models.PositiveSmallIntegerField(default=2)),
                    ('is_active', models.BooleanField(default=True)),
                ],
                options={
                    'verbose_name_plural': 'currencies',
                },
            ),
            migrations.CreateModel(
                name='Plan',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('name', models.CharField(max_length=100, unique=True)),
                    ('description', models.TextField(blank=True)),
                    ('modules', core.fields.JSONField(blank=True, help_text='Permission modules that are included; empty: all.', null=True)),
                    ('limits', core.fields.JSONField(blank=True, default=dict, help_text='Module -> number of records that may be there; an absent one is unlimited.')),
                    ('min_seats', models.PositiveIntegerField(default=1)),
                    ('max_seats', models.PositiveIntegerField(blank=True, help_text='Empty: no end.', null=True)),
                    ('is_trial', models.BooleanField(default=False, help_text='What new companies begin with; one plan is this.')),
                    ('trial_days', models.PositiveSmallIntegerField(default=14)),
                    ('is_public', models.BooleanField(default=True, help_text='Offered in GET /plans.')),
                    ('order', models.PositiveSmallIntegerField(default=0)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(condition=models.Q(('is_trial', True)), fields=('is_trial',), name='plan_one_trial'), models.CheckConstraint(condition=models.Q(('max_seats__isnull', True), ('max_seats__gte', models.F('min_seats')), _connector='OR'), name='plan_seats_in_order')],
                },
            ),
            migrations.CreateModel(
                name='Subscription',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('status', models.CharField(choices=[('trial', 'Trial'), ('active', 'Active'), ('past_due', 'Past Due'), ('cancelled', 'Cancelled'), ('expired', 'Expired')], default='active', max_length=10)),
                    ('is_primary', models.BooleanField(default=True)),
                    ('starts_at', models.DateTimeField()),
                    ('ends_at', models.DateTimeField(blank=True, help_text='When access ends; empty: it does not.', null=True)),
                    ('modules', core.fields.JSONField(blank=True, help_text="Modules of this subscription instead of its plan's; empty: as the plan says.", null=True)),
                    ('limits', core.fields.JSONField(blank=True, default=dict, help_text="Module -> number of records, over the plan's.")),
                    ('cancel_at_period_end', models.BooleanField(default=False)),
                    ('currency', models.CharField(blank=True, help_text='ISO 4217 code of what is paid in.', max_length=3)),
                    ('interval', models.CharField(blank=True, choices=[('month', 'Month'), ('year', 'Year')], max_length=5)),
                    ('look_at', models.DateTimeField(default=django.utils.timezone.now, editable=False, help_text='When the service looks at it next; empty: nothing lies ahead.', null=True)),
                    ('looked_at', models.DateTimeField(editable=False, help_text='Up to when reminders have been given.', null=True)),
                    ('period_day', models.PositiveSmallIntegerField(editable=False, help_text='Day of the month on which periods end, in months that have it.', null=True)),
                    ('period_end', models.DateTimeField(blank=True, help_text='Until when it is paid.', null=True)),
                    ('period_start', models.DateTimeField(blank=True, null=True)),
                    ('seats', models.PositiveIntegerField(blank=True, help_text='Members who may be there, owners included; empty: as the plan says.', null=True)),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('plan', models.ForeignKey(blank=True, help_text='Empty: everything.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='subscriptions', to='billing.plan')),
                    ('trial_user', models.ForeignKey(editable=False, help_text='Whose one trial this was.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('use_looked_at', models.DateTimeField(editable=False, help_text='When what is used of its limits was counted last.', null=True)),
                    ('use_told', core.fields.JSONField(db_default={}, default=dict, editable=False, help_text='What owners have been told: the period, and its limits, each with its number and the percent.')),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'indexes': [models.Index(condition=models.Q(('look_at__isnull', False)), fields=['look_at'], name='subscription_look')],
                    'constraints': [models.UniqueConstraint(condition=models.Q(('is_primary', True)), fields=('company',), name='subscription_one_primary'), models.UniqueConstraint(fields=('trial_user',), name='subscription_one_trial')],
                },
            ),
            migrations.CreateModel(
                name='SubscriptionChange',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('action', models.CharField(choices=[('started', 'Started'), ('granted', 'Granted'), ('extended', 'Extended'), ('changed', 'Changed'), ('renewed', 'Renewed'), ('past_due', 'Past Due'), ('cancelled', 'Cancelled'), ('expired', 'Expired')], max_length=10)),
                    ('before', core.fields.JSONField(default=dict)),
                    ('after', core.fields.JSONField(default=dict)),
                    ('note', models.CharField(blank=True, max_length=300)),
                    ('source', models.CharField(blank=True, help_text='The payment that brought it; one brings one change.', max_length=100)),
                    ('by', models.ForeignKey(help_text='Staff; empty: the service.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('subscription', core.fields.CompanyForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='changes', to='billing.subscription')),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'indexes': [models.Index(fields=['company', '-created_at', 'id'], name='subscriptionchange_newest')],
                    'constraints': [models.UniqueConstraint(condition=models.Q(('source', ''), _negated=True), fields=('company', 'source'), name='subscriptionchange_source_once')],
                },
            ),
            migrations.CreateModel(
                name='PlanPrice',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('interval', models.CharField(choices=[('month', 'Month'), ('year', 'Year')], max_length=5)),
                    ('amount', models.DecimalField(decimal_places=4, help_text="For the interval, with the plan's least number of seats.", max_digits=14)),
                    ('seat_amount', models.DecimalField(decimal_places=4, default=0, help_text='For each further seat.', max_digits=14)),
                    ('currency', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='billing.currency')),
                    ('plan', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='prices', to='billing.plan')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('plan', 'currency', 'interval'), name='planprice_once'), models.CheckConstraint(condition=models.Q(('amount__gte', 0), ('seat_amount__gte', 0)), name='planprice_is_not_negative')],
                },
            ),
        ]),
    ]
