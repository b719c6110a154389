import core.fields
import core.ids
import django.db.models.deletion
import django.db.models.expressions
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from core.migration_operations import CreateTables

# Triggers that protect the books: postings balance and never change; what is issued stays as it was. The owner of the schema alone
# (core.tenancy.use_owner_role, for migrations and commands of operators) may change them.
# The statement triggers look rows up by index, one for each row that was inserted: by a plan made while the tables were small they
# would read whole tables for each line. LATERAL with LIMIT keeps the order of the join, whatever the statistics say.
HOLD = """
CREATE FUNCTION billing_posting_balances() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE bad text;
BEGIN
    SELECT one.tx INTO bad FROM (SELECT DISTINCT company_id, tx FROM fresh) AS one, LATERAL (
        SELECT FROM billing_posting AS line WHERE line.company_id = one.company_id AND line.tx = one.tx
        GROUP BY line.currency HAVING sum(line.amount_minor) <> 0 LIMIT 1
    ) AS found LIMIT 1;
    IF bad IS NOT NULL THEN
        RAISE EXCEPTION 'the postings of % do not add up to zero', bad USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER billing_posting_balances AFTER INSERT ON billing_posting REFERENCING NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION billing_posting_balances();

CREATE FUNCTION billing_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('app.owner', true) = 'on' THEN
        RETURN coalesce(NEW, OLD);
    END IF;
    RAISE EXCEPTION '% is never changed', TG_TABLE_NAME USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER billing_posting_stays BEFORE UPDATE OR DELETE ON billing_posting
    FOR EACH ROW EXECUTE FUNCTION billing_stays();
CREATE TRIGGER billing_creditnote_stays BEFORE UPDATE OR DELETE ON billing_creditnote
    FOR EACH ROW EXECUTE FUNCTION billing_stays();

CREATE FUNCTION billing_invoice_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('app.owner', true) = 'on' THEN
        RETURN coalesce(NEW, OLD);
    END IF;
    IF TG_OP = 'DELETE' OR
        to_jsonb(OLD) - '{status,paid_at,updated_at}'::text[] <> to_jsonb(NEW) - '{status,paid_at,updated_at}'::text[]
    THEN
        RAISE EXCEPTION 'invoice % has been issued and stays as it is', OLD.number USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER billing_invoice_stays BEFORE UPDATE OR DELETE ON billing_invoice
    FOR EACH ROW WHEN (OLD.number IS NOT NULL) EXECUTE FUNCTION billing_invoice_stays();

CREATE FUNCTION billing_invoiceline_stays() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE line billing_invoiceline;
BEGIN
    line := CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
    IF current_setting('app.owner', true) = 'on' THEN
        RETURN line;
    END IF;
    IF EXISTS (SELECT FROM billing_invoice WHERE id = line.invoice_id AND number IS NOT NULL) THEN
        RAISE EXCEPTION 'a line of an issued invoice stays as it is' USING ERRCODE = 'check_violation';
    END IF;
    RETURN line;
END $$;
CREATE TRIGGER billing_invoiceline_stays BEFORE UPDATE OR DELETE ON billing_invoiceline
    FOR EACH ROW EXECUTE FUNCTION billing_invoiceline_stays();
CREATE FUNCTION billing_invoiceline_added() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
    IF current_setting('app.owner', true) = 'on' THEN
        RETURN NULL;
    END IF;
    IF EXISTS (
        SELECT FROM (SELECT DISTINCT invoice_id FROM fresh) AS one, LATERAL (
            SELECT FROM billing_invoice WHERE id = one.invoice_id AND number IS NOT NULL LIMIT 1
        ) AS issued
    ) THEN
        RAISE EXCEPTION 'a line of an issued invoice stays as it is' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER billing_invoiceline_added AFTER INSERT ON billing_invoiceline REFERENCING NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION billing_invoiceline_added();
"""
RELEASE = """
DROP FUNCTION billing_posting_balances, billing_stays, billing_invoice_stays, billing_invoiceline_stays, billing_invoiceline_added CASCADE;
"""


class Migration(migrations.Migration):

    replaces = [
        ('billing', '0001_squashed_0003_use_of_limits'),
        ('billing', '0002_payments'),
        ('billing', '0003_books_hold'),
        ('billing', '0004_renewals'),
        ('billing', '0005_meters_and_add_ons'),
        ('billing', '0006_money'),
        ('billing', '0007_tax'),
        ('billing', '0008_debts_and_caps'),
        ('billing', '0009_words'),
        ('billing', '0010_lapsing_holds'),
        ('billing', '0011_dunning_notices'),
    ]

    # Migrations that were folded earlier. Databases have them recorded.
    replaced_before = [
        ('billing', '0001_initial'),
        ('billing', '0002_access'),
        ('billing', '0001_squashed_0002_access'),
        ('billing', '0002_say_when_access_ends'),
        ('billing', '0003_use_of_limits'),
    ]

    initial = True

    dependencies = [
        ('accounts', '0001_squashed_0007_words'),
        ('crm', '0001_squashed_0018_webhook_notice_count'),
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
                    ('pause_months', models.PositiveSmallIntegerField(default=0, help_text='For how many months a subscription may be paused; 0: it may not be.')),
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
                    ('status', models.CharField(choices=[('trial', 'Trial'), ('active', 'Active'), ('past_due', 'Past Due'), ('paused', 'Paused'), ('cancelled', 'Cancelled'), ('expired', 'Expired')], default='active', max_length=10)),
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
                    ('scheduled', core.fields.JSONField(editable=False, help_text='What the next period is bought with: plan, interval, seats.', null=True)),
                    ('bill_at', models.DateTimeField(editable=False, help_text='When the next period is billed; empty: none is (billing.renewals).', null=True)),
                    ('paused_at', models.DateTimeField(editable=False, null=True)),
                    ('paused_until', models.DateTimeField(editable=False, help_text='When it goes on by itself.', null=True)),
                    ('extras', core.fields.JSONField(db_default={}, default=dict, editable=False, help_text='What its add-ons add to the plan: modules and limits.')),
                    ('version_told_at', models.DateTimeField(editable=False, help_text='When its owners were told that these terms end.', null=True)),
                    ('version', models.ForeignKey(editable=False, help_text="The plan's terms as they were when it was bought; empty: as they are.", null=True, on_delete=django.db.models.deletion.PROTECT, related_name='subscriptions', to='billing.planversion')),
                    ('overage', core.fields.JSONField(blank=True, db_default={}, default=dict, help_text='Meter -> how many units a month it may have beyond those included; absent: any number.')),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'indexes': [models.Index(condition=models.Q(('look_at__isnull', False)), fields=['look_at'], name='subscription_look'), models.Index(condition=models.Q(('bill_at__isnull', False)), fields=['bill_at', 'id'], name='subscription_bill')],
                    'constraints': [models.UniqueConstraint(condition=models.Q(('is_primary', True)), fields=('company',), name='subscription_one_primary'), models.UniqueConstraint(fields=('trial_user',), name='subscription_one_trial')],
                    'permissions': [('override_subscription', "Can give other modules and limits than the plan's")],
                },
            ),
            migrations.CreateModel(
                name='SubscriptionChange',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('action', models.CharField(choices=[('started', 'Started'), ('granted', 'Granted'), ('extended', 'Extended'), ('changed', 'Changed'), ('billed', 'Billed'), ('renewed', 'Renewed'), ('past_due', 'Past Due'), ('paused', 'Paused'), ('resumed', 'Resumed'), ('cancelled', 'Cancelled'), ('expired', 'Expired')], max_length=10)),
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
                    'verbose_name': 'change of a subscription',
                    'verbose_name_plural': 'changes of subscriptions',
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
            migrations.CreateModel(
                name='GatewayAccount',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('letter', models.CharField(choices=[('a', 'gateway-a'), ('b', 'gateway-b'), ('c', 'gateway-c'), ('d', 'gateway-d'), ('e', 'gateway-e')], max_length=1, unique=True)),
                    ('adapter', models.CharField(help_text='The gateway behind the letter.', max_length=16)),
                    ('mode', models.CharField(choices=[('test', 'Test'), ('live', 'Live')], default='test', max_length=4)),
                    ('state', models.CharField(choices=[('on', 'On'), ('off', 'Off'), ('misconfigured', 'Misconfigured')], default='off', max_length=13)),
                    ('currencies', core.fields.JSONField(blank=True, default=list, help_text='ISO 4217 codes on offer; empty: all that it takes.')),
                    ('key_id', models.CharField(blank=True, help_text="PayPal's client id, Razorpay's key id.", max_length=200)),
                    ('secret_key', core.fields.EncryptedTextField(blank=True, bound_to=('adapter', 'base_url'), default='')),
                    ('webhook_secret', core.fields.EncryptedTextField(blank=True, bound_to=('adapter',), default='')),
                    ('base_url', models.CharField(blank=True, help_text='Of a test account: another server.', max_length=200)),
                    ('error', models.TextField(blank=True, default='', editable=False, help_text='Why it is misconfigured.')),
                    ('checked_at', models.DateTimeField(editable=False, null=True)),
                    ('failed_at', models.DateTimeField(editable=False, help_text='When it failed to answer.', null=True)),
                    ('failure', models.CharField(blank=True, db_default='', default='', editable=False, max_length=300)),
                    ('failures', models.PositiveIntegerField(db_default=0, default=0, editable=False, help_text='Failures since it last answered.')),
                    ('former_secret', core.fields.EncryptedTextField(blank=True, bound_to=('adapter',), db_default='', default='', help_text='What webhooks were signed with before.')),
                    ('former_until', models.DateTimeField(editable=False, help_text='Until when the former secret is good.', null=True)),
                    ('good_at', models.DateTimeField(editable=False, help_text='When it answered as it should, to the minute.', null=True)),
                    ('hook_at', models.DateTimeField(editable=False, help_text='When a webhook came, to the minute.', null=True)),
                    ('reconciled_until', models.DateTimeField(editable=False, help_text='Up to when its money has been compared with the books.', null=True)),
                ],
                options={
                    'abstract': False,
                    'verbose_name': 'payment gateway',
                },
            ),
            migrations.CreateModel(
                name='InvoiceSeries',
                fields=[
                    ('name', models.CharField(max_length=16, primary_key=True, serialize=False)),
                    ('last', models.PositiveIntegerField(default=0)),
                ],
                options={
                    'verbose_name_plural': 'invoice series',
                },
            ),
            migrations.CreateModel(
                name='Coupon',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('code', models.CharField(help_text='Written in capitals.', max_length=40, unique=True)),
                    ('name', models.CharField(blank=True, help_text='As invoices call it; empty: the code.', max_length=100)),
                    ('percent', models.DecimalField(blank=True, decimal_places=3, max_digits=6, null=True)),
                    ('amount', models.DecimalField(blank=True, decimal_places=4, help_text='Or percent.', max_digits=14, null=True)),
                    ('currency', models.CharField(blank=True, help_text='Of the amount; with percent: only in this one.', max_length=3)),
                    ('max_redemptions', models.PositiveIntegerField(blank=True, help_text='Of all companies; empty: no end.', null=True)),
                    ('used', models.PositiveIntegerField(default=0, editable=False)),
                    ('first_time_only', models.BooleanField(default=False, help_text='For companies that have not paid yet.')),
                    ('starts_at', models.DateTimeField(blank=True, null=True)),
                    ('ends_at', models.DateTimeField(blank=True, null=True)),
                    ('is_active', models.BooleanField(default=True)),
                    ('offered_to', models.ForeignKey(blank=True, help_text='Only for it.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('plans', models.ManyToManyField(blank=True, help_text='Only for these; none: for all.', related_name='+', to='billing.plan')),
                ],
                options={
                    'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('amount__isnull', True), ('percent__gt', 0), ('percent__lte', 100)), models.Q(('amount__gt', 0), ('percent__isnull', True), models.Q(('currency', ''), _negated=True)), _connector='OR'), name='coupon_percent_or_amount'), models.CheckConstraint(condition=models.Q(('max_redemptions__isnull', True), ('used__lte', models.F('max_redemptions')), _connector='OR'), name='coupon_not_over')],
                },
            ),
            migrations.CreateModel(
                name='GatewayEvent',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('event_id', models.CharField(help_text="The gateway's id of it, or the SHA-256 of its body.", max_length=255)),
                    ('hints', core.fields.JSONField(default=list, help_text="What to look at: our references and the gateway's ids.")),
                    ('found', models.PositiveSmallIntegerField(default=0, help_text='Attempts that it made us look at.')),
                    ('account', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='events', to='billing.gatewayaccount')),
                ],
                options={
                    'indexes': [models.Index(fields=['created_at'], name='gatewayevent_age')],
                    'constraints': [models.UniqueConstraint(fields=('account', 'event_id'), name='gatewayevent_once')],
                    'verbose_name': 'webhook of a gateway',
                    'verbose_name_plural': 'webhooks of gateways',
                },
            ),
            migrations.CreateModel(
                name='Invoice',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('kind', models.CharField(choices=[('cycle', 'a period'), ('seats', 'seats for the rest of a period'), ('addons', 'add-ons for the rest of a period')], default='cycle', max_length=8)),
                    ('status', models.CharField(choices=[('draft', 'Draft'), ('issued', 'Issued'), ('paid', 'Paid'), ('void', 'dropped before it was issued'), ('credited', 'taken back by a credit note'), ('uncollectible', 'written off')], default='draft', max_length=13)),
                    ('number', models.CharField(max_length=24, null=True, unique=True)),
                    ('currency', models.CharField(max_length=3)),
                    ('decimals', models.PositiveSmallIntegerField(help_text='Of the currency, as they were.')),
                    ('subtotal_minor', models.BigIntegerField()),
                    ('discount_minor', models.BigIntegerField(default=0)),
                    ('tax_minor', models.BigIntegerField(default=0)),
                    ('total_minor', models.BigIntegerField()),
                    ('buyer', core.fields.JSONField(default=dict, help_text='Billing details as they were.')),
                    ('seller', core.fields.JSONField(default=dict)),
                    ('period_start', models.DateTimeField(null=True)),
                    ('period_end', models.DateTimeField(null=True)),
                    ('issued_on', models.DateField(help_text="The day in the seller's time zone.", null=True)),
                    ('issued_at', models.DateTimeField(null=True)),
                    ('due_at', models.DateTimeField(null=True)),
                    ('paid_at', models.DateTimeField(null=True)),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('subscription', core.fields.CompanyForeignKey(db_constraint=False, on_delete=django.db.models.deletion.PROTECT, related_name='invoices', to='billing.subscription')),
                    ('tax_basis', core.fields.JSONField(default=dict, help_text='Which tax it is and why: rule, country, percent, note.')),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'indexes': [models.Index(fields=['company', '-created_at', '-id'], name='invoice_newest')],
                    'constraints': [models.CheckConstraint(condition=models.Q(('total_minor', django.db.models.expressions.CombinedExpression(django.db.models.expressions.CombinedExpression(models.F('subtotal_minor'), '-', models.F('discount_minor')), '+', models.F('tax_minor')))), name='invoice_adds_up'), models.CheckConstraint(condition=models.Q(('total_minor__gte', 0)), name='invoice_not_negative'), models.CheckConstraint(condition=models.Q(('number__isnull', True), ('status__in', ('issued', 'paid', 'credited', 'uncollectible')), _connector='XOR'), name='invoice_number_when_issued')],
                },
            ),
            migrations.CreateModel(
                name='CreditNote',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('number', models.CharField(max_length=24, unique=True)),
                    ('amount_minor', models.BigIntegerField(help_text='Tax included.')),
                    ('tax_minor', models.BigIntegerField(default=0)),
                    ('currency', models.CharField(max_length=3)),
                    ('reason', models.CharField(max_length=300)),
                    ('issued_on', models.DateField()),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('invoice', core.fields.CompanyForeignKey(db_constraint=False, on_delete=django.db.models.deletion.PROTECT, related_name='credit_notes', to='billing.invoice')),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'indexes': [models.Index(fields=['company', 'invoice'], name='creditnote_invoice'), models.Index(fields=['company', '-created_at', '-id'], name='creditnote_newest')],
                },
            ),
            migrations.CreateModel(
                name='InvoiceLine',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('position', models.PositiveSmallIntegerField()),
                    ('text', models.CharField(max_length=300)),
                    ('quantity', models.PositiveIntegerField(default=1)),
                    ('unit_minor', models.BigIntegerField()),
                    ('amount_minor', models.BigIntegerField()),
                    ('discount_minor', models.BigIntegerField(default=0)),
                    ('tax_percent', models.DecimalField(decimal_places=3, default=0, max_digits=6)),
                    ('tax_minor', models.BigIntegerField(default=0)),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('invoice', core.fields.CompanyForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='lines', to='billing.invoice')),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'constraints': [models.UniqueConstraint(fields=('company', 'invoice', 'position'), name='invoiceline_place')],
                },
            ),
            migrations.CreateModel(
                name='Payment',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('number', models.CharField(help_text='What a bank transfer says.', max_length=12)),
                    ('status', models.CharField(choices=[('open', 'Open'), ('paid', 'Paid'), ('cancelled', 'Cancelled')], default='open', max_length=9)),
                    ('amount_minor', models.BigIntegerField(help_text="To be paid: the invoice's total less what the balance covers.")),
                    ('credit_minor', models.BigIntegerField(default=0, help_text="What the company's balance covers.")),
                    ('currency', models.CharField(max_length=3)),
                    ('interval', models.CharField(blank=True, choices=[('month', 'Month'), ('year', 'Year')], max_length=5)),
                    ('seats', models.PositiveIntegerField(null=True)),
                    ('from_now', models.BooleanField(default=False, help_text='The period begins when it is paid.')),
                    ('basis', core.fields.JSONField(default=dict, help_text='What its amount was reckoned from, so that it can be reckoned again.')),
                    ('expires_at', models.DateTimeField()),
                    ('paid_at', models.DateTimeField(null=True)),
                    ('bank_state', models.CharField(blank=True, choices=[('', 'None'), ('awaiting', 'Awaiting'), ('submitted', 'Submitted'), ('approved', 'Approved'), ('rejected', 'Rejected'), ('expired', 'Expired')], default='', max_length=9)),
                    ('proof', models.CharField(blank=True, help_text="A file's id, or what the payer says.", max_length=2048)),
                    ('reference', models.CharField(blank=True, max_length=200)),
                    ('transferred_on', models.DateField(null=True)),
                    ('note', models.CharField(blank=True, max_length=1000)),
                    ('decided_at', models.DateTimeField(null=True)),
                    ('decision', models.CharField(blank=True, help_text='Why it was rejected.', max_length=300)),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('created_by', core.fields.CompanyForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member')),
                    ('decided_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('invoice', core.fields.CompanyForeignKey(db_constraint=False, on_delete=django.db.models.deletion.PROTECT, related_name='payments', to='billing.invoice')),
                    ('plan', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='billing.plan')),
                    ('proof_file', core.fields.CompanyForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='crm.file')),
                    ('subscription', core.fields.CompanyForeignKey(db_constraint=False, on_delete=django.db.models.deletion.PROTECT, related_name='payments', to='billing.subscription')),
                    ('renews', models.DateTimeField(help_text='Of a renewal, whose invoice is issued already: when the period that it pays begins.', null=True)),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'indexes': [models.Index(fields=['company', '-created_at', '-id'], name='payment_newest'), models.Index(condition=models.Q(('status', 'open')), fields=['expires_at'], name='payment_expires'), models.Index(condition=models.Q(('bank_state', 'submitted')), fields=['created_at'], name='payment_submitted')],
                    'constraints': [models.UniqueConstraint(condition=models.Q(('status', 'open')), fields=('company',), name='payment_one_open'), models.UniqueConstraint(fields=('company', 'number'), name='payment_number'), models.CheckConstraint(condition=models.Q(('amount_minor__gte', 0), ('credit_minor__gte', 0)), name='payment_not_negative'), models.UniqueConstraint(condition=models.Q(('status__in', ('open', 'paid'))), fields=('company', 'subscription', 'renews'), name='payment_renews_once')],
                },
            ),
            migrations.CreateModel(
                name='PaymentMethod',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('letter', models.CharField(max_length=1)),
                    ('adapter', models.CharField(max_length=16)),
                    ('token', core.fields.EncryptedTextField()),
                    ('customer', models.CharField(blank=True, max_length=255)),
                    ('token_hash', models.CharField(editable=False, max_length=64)),
                    ('label', models.CharField(help_text='Such as Visa 4242.', max_length=60)),
                    ('is_default', models.BooleanField(default=False)),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('brand', models.CharField(blank=True, db_default='', default='', max_length=30)),
                    ('expires_on', models.DateField(help_text='The last day on which a card is good.', null=True)),
                    ('last4', models.CharField(blank=True, db_default='', default='', max_length=4)),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'constraints': [models.UniqueConstraint(fields=('company', 'token_hash'), name='paymentmethod_once'), models.UniqueConstraint(condition=models.Q(('is_default', True)), fields=('company',), name='paymentmethod_one_default')],
                },
            ),
            migrations.CreateModel(
                name='Attempt',
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
                    ('kind', models.CharField(choices=[('hosted', "on the gateway's page"), ('charge', 'by a saved method')], default='hosted', max_length=6)),
                    ('status', models.CharField(choices=[('due', 'waits to be looked at'), ('working', 'Working'), ('paid', 'Paid'), ('failed', 'Failed'), ('wrong', 'parked: the gateway says something else than the order'), ('unknown', 'parked: the gateway does not say what became of it')], default='due', max_length=8)),
                    ('letter', models.CharField(max_length=1)),
                    ('adapter', models.CharField(max_length=16)),
                    ('save_method', models.BooleanField(default=True)),
                    ('gateway_id', models.CharField(blank=True, help_text="The gateway's id of it.", max_length=255)),
                    ('payment_ref', models.CharField(blank=True, help_text="The gateway's id of the money.", max_length=255)),
                    ('url', models.CharField(blank=True, help_text="The gateway's page.", max_length=2048)),
                    ('looks', models.PositiveSmallIntegerField(default=0, help_text='Looks in a row that brought nothing new.')),
                    ('reason', models.CharField(blank=True, help_text='Why it failed, or what is wrong.', max_length=300)),
                    ('seen', core.fields.JSONField(default=dict, help_text='What the gateway said last.')),
                    ('left_at', models.DateTimeField(help_text='Its order was left; it is looked at in case money comes.', null=True)),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('payment', core.fields.CompanyForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='attempts', to='billing.payment')),
                    ('method', core.fields.CompanyForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='billing.paymentmethod')),
                    ('disputed_minor', models.BigIntegerField(db_default=0, default=0, help_text='What banks hold or have taken back of it, by disputes.')),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'indexes': [models.Index(condition=models.Q(('status', 'due')), fields=['due_at', 'id'], name='attempt_due'), models.Index(condition=models.Q(('status', 'working')), fields=['status'], name='attempt_working'), models.Index(fields=['company', 'payment'], name='attempt_payment'), models.Index(fields=['adapter', 'gateway_id'], name='attempt_gateway_id'), models.Index(condition=models.Q(('status__in', ('wrong', 'unknown'))), fields=['updated_at'], name='attempt_parked'), models.Index(condition=models.Q(('payment_ref', ''), _negated=True), fields=['adapter', 'payment_ref'], name='attempt_payment_ref')],
                    'constraints': [models.UniqueConstraint(condition=models.Q(('left_at__isnull', True), ('status__in', ('due', 'working', 'wrong', 'unknown'))), fields=('company', 'payment'), name='attempt_one_open')],
                    'verbose_name': 'attempt to pay',
                    'verbose_name_plural': 'attempts to pay',
                },
            ),
            migrations.CreateModel(
                name='Posting',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('tx', models.CharField(help_text='What happened: inv:<id>, pay:<id>, ref:<id>, bal:<id>, note:<id>.', max_length=60)),
                    ('leg', models.PositiveSmallIntegerField()),
                    ('account', models.CharField(max_length=40)),
                    ('amount_minor', models.BigIntegerField(help_text='Debit above zero, credit below.')),
                    ('currency', models.CharField(max_length=3)),
                    ('about', models.CharField(blank=True, default='', help_text='The invoice that it is about.', max_length=24)),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'indexes': [models.Index(fields=['company', 'account', 'currency'], name='posting_account'), models.Index(condition=models.Q(('account__startswith', 'cash:')), fields=['account', 'created_at', 'id'], name='posting_cash')],
                    'constraints': [models.UniqueConstraint(fields=('company', 'tx', 'leg'), name='posting_once'), models.CheckConstraint(condition=models.Q(('amount_minor', 0), _negated=True), name='posting_moves_something')],
                    'verbose_name': 'ledger entry',
                    'verbose_name_plural': 'ledger entries',
                },
            ),
            migrations.CreateModel(
                name='Redemption',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('state', models.CharField(choices=[('held', 'Held'), ('redeemed', 'Redeemed'), ('released', 'Released')], default='held', max_length=8)),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('coupon', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='redemptions', to='billing.coupon')),
                    ('payment', core.fields.CompanyForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='redemptions', to='billing.payment')),
                    ('held_until', models.DateTimeField(help_text='The hold is over then; null: when the order is decided.', null=True)),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'indexes': [models.Index(fields=['company', 'payment'], name='redemption_payment'), models.Index(condition=models.Q(('state', 'held')), fields=['held_until', 'id'], name='redemption_lapsing')],
                    'constraints': [models.UniqueConstraint(condition=models.Q(('state', 'released'), _negated=True), fields=('company', 'coupon'), name='redemption_once_a_company')],
                    'verbose_name': 'use of a coupon',
                    'verbose_name_plural': 'uses of coupons',
                },
            ),
            migrations.CreateModel(
                name='Refund',
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
                    ('status', models.CharField(choices=[('asked', 'waits for a second person'), ('rejected', 'Rejected'), ('due', 'Due'), ('working', 'Working'), ('done', 'Done'), ('failed', 'Failed'), ('unknown', 'Unknown')], default='due', max_length=8)),
                    ('amount_minor', models.BigIntegerField()),
                    ('currency', models.CharField(max_length=3)),
                    ('gateway_id', models.CharField(blank=True, max_length=255)),
                    ('attempt', core.fields.CompanyForeignKey(db_constraint=False, on_delete=django.db.models.deletion.PROTECT, related_name='refunds', to='billing.attempt')),
                    ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('credit_note', core.fields.CompanyForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='refunds', to='billing.creditnote')),
                    ('decided_at', models.DateTimeField(null=True)),
                    ('decided_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('decision', models.CharField(blank=True, db_default='', default='', help_text='Why it was rejected.', max_length=300)),
                    ('reason', models.CharField(blank=True, db_default='', default='', max_length=300)),
                    ('to', models.CharField(choices=[('gateway', 'back by the gateway'), ('balance', "to the company's balance")], db_default='gateway', default='gateway', max_length=7)),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'indexes': [models.Index(condition=models.Q(('status', 'due')), fields=['due_at', 'id'], name='refund_due'), models.Index(condition=models.Q(('status', 'working')), fields=['status'], name='refund_working'), models.Index(fields=['company', 'attempt'], name='refund_attempt'), models.Index(condition=models.Q(('status', 'asked')), fields=['created_at'], name='refund_asked')],
                    'constraints': [models.CheckConstraint(condition=models.Q(('amount_minor__gt', 0)), name='refund_above_zero')],
                },
            ),
            migrations.CreateModel(
                name='Seller',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('name', models.CharField(max_length=200)),
                    ('address', models.TextField(blank=True, max_length=500)),
                    ('country', models.CharField(blank=True, help_text='ISO 3166 code.', max_length=2)),
                    ('vat_id', models.CharField(blank=True, max_length=30)),
                    ('email', models.EmailField(blank=True, max_length=254)),
                    ('timezone', models.CharField(default='UTC', help_text='Of the days on invoices.', max_length=64)),
                    ('bank_instructions', models.TextField(blank=True, help_text='Account and IBAN for bank transfers; empty: none are taken.', max_length=1000)),
                    ('only', models.BooleanField(default=True, editable=False, unique=True)),
                    ('oss', models.BooleanField(default=False, help_text="Consumers in other countries of the EU pay their own country's rate; else the seller's.", verbose_name='one stop shop')),
                ],
                options={
                    'constraints': [models.CheckConstraint(condition=models.Q(('only', True)), name='seller_is_one')],
                },
            ),
            migrations.CreateModel(
                name='TaxRate',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('name', models.CharField(help_text='As invoices call it, such as VAT.', max_length=60)),
                    ('country', models.CharField(help_text="ISO 3166 code of the buyer's country.", max_length=2)),
                    ('percent', models.DecimalField(decimal_places=3, max_digits=6)),
                    ('valid_from', models.DateField()),
                    ('valid_until', models.DateField(blank=True, help_text='The last day; empty: no end.', null=True)),
                ],
                options={
                    'constraints': [models.CheckConstraint(condition=models.Q(('percent__gte', 0), ('percent__lte', 100)), name='taxrate_percent'), models.UniqueConstraint(fields=('country', 'valid_from'), name='taxrate_once')],
                },
            ),
            migrations.CreateModel(
                name='Transaction',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('kind', models.CharField(choices=[('payment', 'Payment'), ('refund', 'Refund'), ('credit', 'to the balance'), ('chargeback', 'taken back by the bank'), ('reversal', 'a chargeback that was won')], max_length=10)),
                    ('amount_minor', models.BigIntegerField()),
                    ('currency', models.CharField(max_length=3)),
                    ('by', models.CharField(help_text='gateway-a to gateway-e, bank or balance.', max_length=9)),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('invoice', core.fields.CompanyForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='transactions', to='billing.invoice')),
                    ('payment', core.fields.CompanyForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='transactions', to='billing.payment')),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'indexes': [models.Index(fields=['company', '-created_at', '-id'], name='transaction_newest')],
                },
            ),
            migrations.CreateModel(
                name='BillingDetails',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('name', models.CharField(blank=True, max_length=200)),
                    ('address', models.TextField(blank=True, max_length=500)),
                    ('country', models.CharField(blank=True, help_text='ISO 3166 code.', max_length=2)),
                    ('vat_id', models.CharField(blank=True, max_length=30)),
                    ('email', models.EmailField(blank=True, max_length=254)),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('vat_look_at', models.DateTimeField(editable=False, help_text='When VIES is asked about the VAT id next; empty: it is not.', null=True)),
                    ('vat_evidence', core.fields.JSONField(default=dict, editable=False, help_text='What VIES said of the VAT id, and when.')),
                ],
                options={
                    'verbose_name_plural': 'billing details',
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'constraints': [models.UniqueConstraint(fields=('company',), name='billingdetails_one')],
                    'indexes': [models.Index(condition=models.Q(('vat_look_at__isnull', False)), fields=['vat_look_at'], name='billingdetails_vat_look')],
                },
            ),
            migrations.CreateModel(
                name='Dunning',
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
                    ('status', models.CharField(choices=[('due', 'goes on'), ('working', 'Working'), ('done', 'Done'), ('failed', 'parked: workers died on it')], default='due', max_length=7)),
                    ('since', models.DateTimeField(help_text='When it was first refused or asked for.', null=True)),
                    ('tries', models.PositiveSmallIntegerField(default=0, help_text='Charges that were begun.')),
                    ('next_try_at', models.DateTimeField(help_text='When it is charged again; empty: it is not.', null=True)),
                    ('reason', models.CharField(blank=True, help_text='Why the last charge failed.', max_length=300)),
                    ('notices', core.fields.JSONField(db_column='told', default=dict, help_text='The notices sent to the company, with times.')),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('method', core.fields.CompanyForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='billing.paymentmethod')),
                    ('payment', core.fields.CompanyForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='dunnings', to='billing.payment')),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'indexes': [models.Index(condition=models.Q(('status', 'due')), fields=['due_at', 'id'], name='dunning_due'), models.Index(condition=models.Q(('status', 'working')), fields=['status'], name='dunning_working')],
                    'constraints': [models.UniqueConstraint(fields=('company', 'payment'), name='dunning_once')],
                    'verbose_name': 'overdue payment',
                },
            ),
            migrations.CreateModel(
                name='AddOn',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('name', models.CharField(max_length=100, unique=True)),
                    ('description', models.TextField(blank=True)),
                    ('modules', core.fields.JSONField(blank=True, default=list, help_text='Permission modules that it adds.')),
                    ('limits', core.fields.JSONField(blank=True, default=dict, help_text="Limit or meter -> what each one adds to the plan's.")),
                    ('is_public', models.BooleanField(default=True, help_text='Offered in GET /plans.')),
                    ('order', models.PositiveSmallIntegerField(default=0)),
                ],
                options={
                    'verbose_name': 'add-on',
                },
            ),
            migrations.CreateModel(
                name='MeterPeriod',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('meter', models.CharField(max_length=32)),
                    ('starts_at', models.DateTimeField()),
                    ('ends_at', models.DateTimeField()),
                    ('allowed', models.BigIntegerField(help_text='What the subscription includes for a whole month.')),
                    ('included', models.BigIntegerField(help_text='What is included in this one: its share, when that changed within it.')),
                    ('used', models.BigIntegerField(default=0)),
                    ('reserved', models.BigIntegerField(default=0, help_text='By what is under way.')),
                    ('billed', models.BigIntegerField(default=0, help_text='Units beyond those included that have been charged.')),
                    ('terms', models.CharField(help_text='Plan, version and currency that the price is of.', max_length=64)),
                    ('is_trial', models.BooleanField(default=False)),
                    ('unit_amount', models.DecimalField(decimal_places=6, help_text='Price of a unit beyond those included; empty: none go.', max_digits=16, null=True)),
                    ('currency', models.CharField(blank=True, max_length=3)),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('subscription', core.fields.CompanyForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='meter_periods', to='billing.subscription')),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'indexes': [models.Index(condition=models.Q(('unit_amount__isnull', False), ('used__gt', django.db.models.expressions.CombinedExpression(models.F('included'), '+', models.F('billed')))), fields=['ends_at'], name='meterperiod_overage')],
                    'constraints': [models.UniqueConstraint(fields=('company', 'meter', 'starts_at'), name='meterperiod_once'), models.CheckConstraint(condition=models.Q(('reserved__gte', 0), ('used__gte', 0)), name='meterperiod_counts')],
                    'verbose_name': 'month of use',
                    'verbose_name_plural': 'months of use',
                },
            ),
            migrations.CreateModel(
                name='MeterPrice',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('meter', models.CharField(help_text='Name of the meter, such as messages.', max_length=32)),
                    ('amount', models.DecimalField(decimal_places=6, help_text='For one unit.', max_digits=16)),
                    ('currency', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='billing.currency')),
                    ('plan', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='meter_prices', to='billing.plan')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('plan', 'meter', 'currency'), name='meterprice_once'), models.CheckConstraint(condition=models.Q(('amount__gte', 0)), name='meterprice_is_not_negative')],
                },
            ),
            migrations.CreateModel(
                name='PlanVersion',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('modules', core.fields.JSONField(null=True)),
                    ('limits', core.fields.JSONField(default=dict)),
                    ('min_seats', models.PositiveIntegerField()),
                    ('max_seats', models.PositiveIntegerField(null=True)),
                    ('prices', core.fields.JSONField(default=dict, help_text='Currency -> interval -> amount and seat_amount.')),
                    ('meter_prices', core.fields.JSONField(default=dict, help_text='Meter -> currency -> amount of a unit.')),
                    ('ends_on', models.DateField(help_text="From this day on subscriptions move to the plan's present terms with their next period.", null=True)),
                    ('plan', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='versions', to='billing.plan')),
                ],
                options={
                    'abstract': False,
                    'verbose_name': 'former terms of a plan',
                    'verbose_name_plural': 'former terms of plans',
                },
            ),
            migrations.CreateModel(
                name='SubscriptionItem',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('quantity', models.PositiveIntegerField()),
                    ('unit_amount', models.DecimalField(decimal_places=4, help_text="For the subscription's interval.", max_digits=14)),
                    ('modules', core.fields.JSONField(default=list)),
                    ('limits', core.fields.JSONField(default=dict)),
                    ('add_on', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='billing.addon')),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('subscription', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='items', to='billing.subscription')),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'indexes': [models.Index(fields=['subscription'], name='subscriptionitem_of')],
                    'constraints': [models.UniqueConstraint(fields=('company', 'subscription', 'add_on'), name='subscriptionitem_once'), models.CheckConstraint(condition=models.Q(('quantity__gt', 0)), name='subscriptionitem_quantity')],
                    'verbose_name': 'add-on of a subscription',
                    'verbose_name_plural': 'add-ons of subscriptions',
                },
            ),
            migrations.CreateModel(
                name='UsageEvent',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('meter', models.CharField(max_length=32)),
                    ('source', models.CharField(help_text='The message, or the call of an AI model, by id.', max_length=64)),
                    ('quantity', models.PositiveIntegerField(default=1)),
                    ('status', models.CharField(choices=[('reserved', 'Reserved'), ('settled', 'Settled')], default='reserved', max_length=8)),
                    ('expires_at', models.DateTimeField(help_text='When the outcome of a reservation is looked up.', null=True)),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('period', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='events', to='billing.meterperiod')),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'indexes': [models.Index(condition=models.Q(('status', 'reserved')), fields=['expires_at'], name='usageevent_expires'), models.Index(fields=['company', 'created_at'], include=('meter', 'quantity'), name='usageevent_days'), models.Index(fields=['period'], name='usageevent_period')],
                    'constraints': [models.UniqueConstraint(fields=('company', 'meter', 'source'), name='usageevent_once')],
                    'verbose_name': 'counted use',
                },
            ),
            migrations.CreateModel(
                name='AddOnPrice',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('interval', models.CharField(choices=[('month', 'Month'), ('year', 'Year')], max_length=5)),
                    ('amount', models.DecimalField(decimal_places=4, max_digits=14)),
                    ('add_on', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='prices', to='billing.addon')),
                    ('currency', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='billing.currency')),
                ],
                options={
                    'verbose_name': 'price of an add-on',
                    'verbose_name_plural': 'prices of add-ons',
                    'constraints': [models.UniqueConstraint(fields=('add_on', 'currency', 'interval'), name='addonprice_once'), models.CheckConstraint(condition=models.Q(('amount__gte', 0)), name='addonprice_is_not_negative')],
                },
            ),
            migrations.CreateModel(
                name='Charge',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('kind', models.CharField(choices=[('cycle', 'a period'), ('proration', 'a part of a period'), ('seats', 'Seats'), ('metered', 'use beyond what is included'), ('manual', 'by staff')], max_length=9)),
                    ('starts_at', models.DateTimeField(null=True)),
                    ('ends_at', models.DateTimeField(null=True)),
                    ('description', models.CharField(max_length=300)),
                    ('quantity', models.PositiveBigIntegerField(default=1)),
                    ('amount_minor', models.BigIntegerField(help_text='Before tax.')),
                    ('currency', models.CharField(max_length=3)),
                    ('source', models.CharField(help_text='What it is for, once.', max_length=100)),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('invoice', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, help_text='Empty until it is billed.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='charges', to='billing.invoice')),
                    ('subscription', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='charges', to='billing.subscription')),
                    ('given_up_at', models.DateTimeField(editable=False, help_text='When it was given up: its subscription had ended for long.', null=True)),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'indexes': [models.Index(condition=models.Q(('invoice__isnull', False)), fields=['invoice'], name='charge_invoice'), models.Index(fields=['company', '-created_at', '-id'], name='charge_newest'), models.Index(condition=models.Q(('given_up_at__isnull', True), ('invoice__isnull', True)), fields=['subscription'], name='charge_pending')],
                    'constraints': [models.UniqueConstraint(fields=('company', 'source'), name='charge_source_once')],
                },
            ),
            migrations.CreateModel(
                name='Difference',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('kind', models.CharField(choices=[('settled', 'paid there, and not known here: settled by now'), ('wrong', 'another amount or currency: the attempt is parked'), ('twice', 'paid twice for one order'), ('strange', 'money there that nothing here asked for'), ('missing', 'booked here, and not paid there'), ('unclear', 'the gateway does not say what became of it')], max_length=7)),
                    ('what', models.CharField(help_text='payment or refund', max_length=7)),
                    ('gateway_ref', models.CharField(blank=True, help_text="The gateway's id of the money.", max_length=255)),
                    ('reference', models.CharField(blank=True, help_text='Ours: the attempt or refund.', max_length=255)),
                    ('amount_there', models.BigIntegerField(help_text='In minor units.', null=True)),
                    ('amount_here', models.BigIntegerField(help_text='In minor units.', null=True)),
                    ('currency', models.CharField(max_length=3)),
                    ('cleared_at', models.DateTimeField(help_text='When staff had seen to it.', null=True)),
                    ('note', models.CharField(blank=True, max_length=300)),
                    ('account', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='differences', to='billing.gatewayaccount')),
                    ('cleared_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('payer', models.ForeignKey(help_text='Whose record it is.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.company')),
                    ('reconciliation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='found', to='billing.reconciliation')),
                ],
                options={
                    'indexes': [models.Index(condition=models.Q(('cleared_at', None)), fields=['-created_at'], name='difference_open')],
                    'constraints': [models.UniqueConstraint(fields=('account', 'kind', 'what', 'gateway_ref', 'reference'), name='difference_once')],
                    'verbose_name': 'difference from a gateway',
                    'verbose_name_plural': 'differences from gateways',
                },
            ),
            migrations.CreateModel(
                name='Dispute',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('gateway_id', models.CharField(max_length=255)),
                    ('status', models.CharField(choices=[('open', 'to be answered'), ('won', 'won: the money stays'), ('lost', 'lost: the money is gone')], default='open', max_length=4)),
                    ('amount_minor', models.BigIntegerField()),
                    ('currency', models.CharField(max_length=3)),
                    ('reason', models.CharField(blank=True, help_text='As the gateway says it.', max_length=300)),
                    ('evidence_due_at', models.DateTimeField(help_text='Until when the gateway takes evidence.', null=True)),
                    ('closed_at', models.DateTimeField(null=True)),
                    ('attempt', core.fields.CompanyForeignKey(db_constraint=False, on_delete=django.db.models.deletion.PROTECT, related_name='disputes', to='billing.attempt')),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'indexes': [models.Index(condition=models.Q(('status', 'open')), fields=['evidence_due_at'], name='dispute_open')],
                    'constraints': [models.UniqueConstraint(fields=('company', 'attempt', 'gateway_id'), name='dispute_once'), models.CheckConstraint(condition=models.Q(('amount_minor__gt', 0)), name='dispute_above_zero')],
                },
            ),
            migrations.CreateModel(
                name='DisputeWatch',
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
                    ('status', models.CharField(choices=[('due', 'Due'), ('working', 'Working'), ('idle', 'Idle'), ('unknown', 'parked: the gateway does not say')], default='due', max_length=7)),
                    ('attempt', core.fields.CompanyForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='watches', to='billing.attempt')),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                ],
                options={
                    'verbose_name_plural': 'watches for disputes',
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'indexes': [models.Index(condition=models.Q(('status', 'due')), fields=['due_at', 'id'], name='disputewatch_due'), models.Index(condition=models.Q(('status', 'working')), fields=['status'], name='disputewatch_working')],
                    'constraints': [models.UniqueConstraint(fields=('company', 'attempt'), name='disputewatch_once')],
                    'verbose_name': 'watch for disputes',
                },
            ),
            migrations.CreateModel(
                name='MethodSetup',
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
                    ('letter', models.CharField(max_length=1)),
                    ('adapter', models.CharField(max_length=16)),
                    ('status', models.CharField(choices=[('due', 'waits to be looked at'), ('working', 'Working'), ('saved', 'Saved'), ('failed', 'Failed')], default='due', max_length=7)),
                    ('currency', models.CharField(max_length=3)),
                    ('email', models.EmailField(blank=True, help_text='What the gateway is told.', max_length=254)),
                    ('gateway_id', models.CharField(blank=True, max_length=255)),
                    ('url', models.CharField(blank=True, help_text="The gateway's page.", max_length=2048)),
                    ('looks', models.PositiveSmallIntegerField(default=0, help_text='Looks in a row that brought nothing new.')),
                    ('reason', models.CharField(blank=True, help_text='Why it failed.', max_length=300)),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('method', core.fields.CompanyForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='setups', to='billing.paymentmethod')),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'indexes': [models.Index(condition=models.Q(('status', 'due')), fields=['due_at', 'id'], name='methodsetup_due'), models.Index(condition=models.Q(('status', 'working')), fields=['status'], name='methodsetup_working'), models.Index(fields=['adapter', 'gateway_id'], name='methodsetup_gateway_id')],
                    'constraints': [models.UniqueConstraint(condition=models.Q(('status__in', ('due', 'working'))), fields=('company', 'letter'), name='methodsetup_one_open')],
                    'verbose_name': 'set-up of a payment method',
                    'verbose_name_plural': 'set-ups of payment methods',
                },
            ),
            migrations.CreateModel(
                name='Reconciliation',
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
                    ('status', models.CharField(choices=[('due', 'Due'), ('working', 'Working'), ('done', 'Done'), ('failed', 'Failed')], default='due', max_length=7)),
                    ('since', models.DateTimeField()),
                    ('until', models.DateTimeField()),
                    ('done_at', models.DateTimeField(null=True)),
                    ('payments', models.PositiveIntegerField(default=0, help_text='Payments that the gateway lists.')),
                    ('refunds', models.PositiveIntegerField(default=0, help_text='Refunds that it lists.')),
                    ('differences', models.PositiveIntegerField(default=0)),
                    ('account', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='reconciliations', to='billing.gatewayaccount')),
                    ('asked_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'indexes': [models.Index(condition=models.Q(('status', 'due')), fields=['due_at', 'id'], name='reconciliation_due'), models.Index(fields=['account', '-created_at'], name='reconciliation_newest')],
                    'constraints': [models.UniqueConstraint(condition=models.Q(('status__in', ('due', 'working'))), fields=('account',), name='reconciliation_one_open')],
                },
            ),
        ]),
        migrations.RunSQL(HOLD, RELEASE),
    ]
