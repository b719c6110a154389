import core.fields
import core.ids
import django.core.validators
import django.db.models.deletion
import django.db.models.expressions
import django.utils.timezone
from django.db import migrations, models

from core.migration_operations import CreateTables

# Text search (core/lists/search.py, docs/decisions/0009): the grams of a record, and those that a search asks for. Each gram is three bytes of the
# text in capitals, in UTF-8, behind ten bits of the seed's hash: hhhhhhhhhh 11111111 22222222 333333. Six bits of the third byte tell all
# capitals, digits and continuation bytes apart. No gram goes over the byte 1, which stands between the values of a record.
# hashtext is internal to PostgreSQL, and may be: both functions run in the same server.
# It runs for every record that is written: PL/pgSQL takes a third of the time that a query over generate_series takes, and to leave out
# repeated grams would cost more than to keep them, which the index does once anyway.
FUNCTION = """
CREATE FUNCTION {name}(seed text, content text) RETURNS integer[] LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    bytes bytea := convert_to(upper(content COLLATE "default"), 'UTF8');  -- the seed is an id, whose collation knows no capitals
    head integer := hashtext(seed) << 22;
    grams integer[] := '{{}}';
    size integer := 0;
    first integer;
    second integer;
    third integer;
BEGIN
    FOR i IN 0 .. octet_length(bytes) - 1 LOOP
        first := second;
        second := third;
        third := get_byte(bytes, i);
        IF third = 1 THEN
            second := NULL;
            third := NULL;
        ELSIF first IS NOT NULL THEN
            size := size + 1;
            grams[size] := head | (first << 14) | (second << 6) | (third & 63);
        END IF;
    END LOOP;
    RETURN grams;
END
$$
"""


class Migration(migrations.Migration):

    replaces = [
        ('core', '0001_squashed_0004_search'),
        ('core', '0002_task_schedule'),
        ('core', '0003_message_defaults'),
        ('core', '0004_event_kinds'),
    ]

    initial = True

    dependencies = [
        ('accounts', '0001_squashed_0006_where_sessions_are'),
    ]

    operations = [
        migrations.RunSQL('CREATE SEQUENCE core_event_sequence', 'DROP SEQUENCE core_event_sequence'),
        CreateTables([
            migrations.CreateModel(
                name='Event',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('sequence', models.BigIntegerField(db_default=django.db.models.expressions.RawSQL("nextval('core_event_sequence')", ()), editable=False, unique=True)),
                    ('kind', models.CharField(help_text='For example contact.created.', max_length=64)),
                    ('object_id', core.ids.ObjectIdField(db_collation='C', editable=False, max_length=24)),
                    ('payload', core.fields.JSONField(default=dict)),
                    ('actor_id', core.ids.ObjectIdField(db_collation='C', editable=False, help_text='The member that caused it.', max_length=24, null=True)),
                    ('automation', models.BooleanField(default=True, help_text='Off when the caller asked not to start workflows.')),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'indexes': [models.Index(fields=['company', 'kind', '-sequence'], name='event_company_kind')],
                },
            ),
            migrations.CreateModel(
                name='EventDelivery',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('consumer', models.CharField(max_length=64)),
                    ('status', models.CharField(choices=[('pending', 'Pending'), ('parked', 'Parked')], default='pending', max_length=16)),
                    ('due_at', models.DateTimeField()),
                    ('attempts', models.PositiveSmallIntegerField(default=0)),
                    ('error', models.TextField(blank=True)),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('event', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='core.event')),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'indexes': [models.Index(condition=models.Q(('status', 'pending')), fields=['due_at', 'id'], name='eventdelivery_due')],
                    'constraints': [models.UniqueConstraint(fields=('event', 'consumer'), name='eventdelivery_once')],
                },
            ),
            migrations.CreateModel(
                name='ResponseMessage',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('name', models.CharField(max_length=100, unique=True)),
                    ('status', models.PositiveSmallIntegerField(validators=[django.core.validators.MinValueValidator(200), django.core.validators.MaxValueValidator(599)])),
                    ('text', models.CharField(max_length=500)),
                    ('default_status', models.PositiveSmallIntegerField(editable=False, null=True)),
                    ('default_text', models.CharField(editable=False, max_length=500, null=True)),
                ],
                options={
                    'ordering': ('name',),
                    'constraints': [models.CheckConstraint(condition=models.Q(('status__gte', 200), ('status__lte', 599)), name='responsemessage_status')],
                },
            ),
            migrations.CreateModel(
                name='TaskSchedule',
                fields=[
                    ('name', models.CharField(max_length=64, primary_key=True, serialize=False)),
                    ('due_at', models.DateTimeField(default=django.utils.timezone.now)),
                    ('done_at', models.DateTimeField(null=True)),
                    ('error', models.TextField(blank=True)),
                ],
                options={
                    'db_table': 'core_chore',
                    'verbose_name': 'periodic task',
                },
            ),
        ]),
        migrations.RunSQL(FUNCTION.format(name='search_grams'), 'DROP FUNCTION search_grams(text, text)'),
    ]
