import core.fields
import core.ids
import django.core.validators
import django.db.models.deletion
import django.db.models.expressions
import django.utils.timezone
from django.db import migrations, models

from core.migration_operations import CreateTables

# Folded texts: searches and sorts ignore case and accents (core/text/folding.py, docs/decisions/0032). Texts in Latin, Greek and Cyrillic letters take a shorter way:
# of what it leaves, only й could be composed.
ACCENTS = r"[\u0300-\u0305\u0307-\u036F\u00AD\u200B\u2060\uFEFF]|(?<![Ии])\u0306"
BARE = f"""upper(regexp_replace(normalize(replace(content, '´', ''''), NFKD), '{ACCENTS}', '', 'g') COLLATE "default")"""
LATIN = "ŁØĐÐĦŦʹʻʼ`"
OTHERS = LATIN + "‘’‛′“”„‟‐‑‒–—―−"
TO_LATIN = "LODDHT''''''''"
TO_OTHERS = TO_LATIN + "''''''''" + '""""' + "-------"


def spelled_out(content: str) -> str:
    for letter, letters in (("ß", "SS"), ("ẞ", "SS"), ("Æ", "AE"), ("Œ", "OE"), ("Þ", "TH")):
        content = f"replace({content}, '{letter}', '{letters}')"
    return content


FOLD = f"""CASE
        WHEN octet_length(content) = length(content) THEN replace(upper(content COLLATE "default"), '`', '''')
        WHEN content ~ '^[\\u0001-\\u052F\\u1E00-\\u1FFF]*$'
        THEN replace({spelled_out(f"translate({BARE}, '{LATIN}', '{TO_LATIN}')")}, U&'\\0418\\0306', 'Й')
        ELSE normalize({spelled_out(f"translate({BARE}, '{OTHERS}', '{TO_OTHERS}')")}, NFC)
    END"""
# COST 1, as upper() has, so that plans stay what they were: the function is called for texts beyond ASCII alone.
SEARCH_FOLD = f"""
CREATE FUNCTION search_fold(content text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 1 AS $$
BEGIN
    RETURN {FOLD};
END
$$
"""
# PostgreSQL puts its body in place of the call, so that only functions of its own, which are LEAKPROOF, are in an index condition. That is why it
# is not STRICT. An index takes 2,700 bytes, and a character is up to four.
TEXT_SORT_KEY = f"""
CREATE FUNCTION text_sort_key(content text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT left({FOLD}, 100) || U&'\\0001' || left(content, 40)
$$
"""
# Text search (core/lists/search.py, docs/decisions/0009): the grams of a record, and those that a search asks for. Each gram is three bytes of the
# folded text, in UTF-8, behind ten bits of the seed's hash: hhhhhhhhhh 11111111 22222222 333333. Six bits of the third byte tell all
# capitals, digits and continuation bytes apart. No gram goes over the byte 1, which stands between the values of a record.
# hashtext is internal to PostgreSQL, and may be: both functions run in the same server.
# It runs for every record that is written: PL/pgSQL takes a third of the time that a query over generate_series takes, and to leave out
# repeated grams would cost more than to keep them, which the index does once anyway.
SEARCH_GRAMS = """
CREATE OR REPLACE FUNCTION {name}(seed text, content text) RETURNS integer[] LANGUAGE plpgsql {volatility} STRICT PARALLEL SAFE AS $$
DECLARE
    bytes bytea := convert_to({folded}, 'UTF8');
    head integer := hashtext(seed) << 22;
    grams integer[] := '{{}}';
    size integer := 0;
    first integer;
    second integer;
    third integer;
BEGIN
    {begin}
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
    RETURN {result};
END
$$
"""
FOLDED_GRAMS = SEARCH_GRAMS.format(
    name="search_grams", volatility="IMMUTABLE", folded="public.search_fold(content)", begin="", result="grams"
)
# The trigrams that a text has in records written before texts were folded, until crm.records.search_backfill has written them again. Null afterwards.
UNFOLDED_GRAMS = SEARCH_GRAMS.format(
    name="search_grams_unfolded",
    volatility="STABLE",
    folded='upper(content COLLATE "default")',
    begin="IF NOT EXISTS (SELECT FROM core_searchbackfill) THEN RETURN NULL; END IF;",
    result="nullif(grams, '{}')",
)
# The tables whose trigrams are still to be written again, and the place that each has come to.
BACKFILL = """
CREATE TABLE core_searchbackfill (table_name text PRIMARY KEY, place text[] NOT NULL DEFAULT '{}')
"""


class Migration(migrations.Migration):

    replaces = [
        ('core', '0001_squashed_0004_event_kinds'),
        ('core', '0002_event_cause'),
        ('core', '0003_feed_of_events'),
        ('core', '0004_idempotency_keys'),
        ('core', '0005_words'),
        ('core', '0006_hold'),
        ('core', '0007_fold_search'),
    ]

    # Migrations that were folded earlier. Databases have them recorded.
    replaced_before = [
        ('core', '0001_initial'),
        ('core', '0002_access'),
        ('core', '0003_event_batches'),
        ('core', '0004_search'),
        ('core', '0001_squashed_0004_search'),
        ('core', '0002_task_schedule'),
        ('core', '0003_message_defaults'),
        ('core', '0004_event_kinds'),
    ]

    initial = True

    dependencies = [
        ('accounts', '0001_squashed_0007_words'),
    ]

    operations = [
        migrations.RunSQL('CREATE SEQUENCE core_event_sequence', 'DROP SEQUENCE core_event_sequence'),
        # Cursors of the feed carry its value.
        migrations.RunSQL('CREATE SEQUENCE core_event_epoch', 'DROP SEQUENCE core_event_epoch'),
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
                    ('cause', core.fields.JSONField(help_text='What caused it, if a workflow did: workflow, and depth in a chain of them.', null=True)),
                    ('object_sequence', models.PositiveIntegerField(db_default=1, editable=False, help_text='Counts the events of the object, without gaps.')),
                    ('tx', core.fields.TransactionIdField(help_text='The transaction that wrote it; the feed reads behind those that still run.')),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'indexes': [models.Index(fields=['company', 'kind', '-sequence'], name='event_company_kind'), models.Index(fields=['company', 'tx', 'sequence'], name='event_feed'), models.Index(fields=['company', 'object_id', 'sequence'], name='event_object')],
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
                    'verbose_name': 'waiting event',
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
                    'verbose_name': 'API message',
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
            migrations.CreateModel(
                name='ObjectSequence',
                fields=[
                    ('object_id', core.ids.ObjectIdField(db_collation='C', editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('number', models.PositiveIntegerField()),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                },
            ),
            migrations.CreateModel(
                name='IdempotencyKey',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('caller', core.ids.ObjectIdField(db_collation='C', editable=False, help_text='The API key or the member that has sent it.', max_length=24)),
                    ('key', models.CharField(help_text="The header's value.", max_length=255)),
                    ('request', models.CharField(help_text='SHA-256 of the method, the path, the query and the body.', max_length=64)),
                    ('operation', models.CharField(help_text='The method and the path.', max_length=300)),
                    ('status', models.PositiveSmallIntegerField(help_text="The answer's; empty: the request is under way, or was cut off.", null=True)),
                    ('answer', core.fields.EncryptedTextField(blank=True, help_text='The body, compressed. Too long a one is not kept.')),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                ],
                options={
                    'verbose_name': 'remembered request',
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'constraints': [models.UniqueConstraint(fields=('company', 'caller', 'key'), name='idempotencykey_once')],
                },
            ),
            migrations.CreateModel(
                name='Hold',
                fields=[
                    ('id', models.PositiveSmallIntegerField(default=1, editable=False, primary_key=True, serialize=False)),
                    ('since', models.DateTimeField(default=django.utils.timezone.now)),
                    ('reason', models.CharField(max_length=300)),
                ],
                options={
                    'constraints': [models.CheckConstraint(condition=models.Q(('id', 1)), name='hold_once')],
                },
            ),
        ]),
        migrations.RunSQL(BACKFILL, 'DROP TABLE core_searchbackfill'),
        migrations.RunSQL(SEARCH_FOLD, 'DROP FUNCTION search_fold(text)'),
        migrations.RunSQL(TEXT_SORT_KEY, 'DROP FUNCTION text_sort_key(text)'),
        migrations.RunSQL(FOLDED_GRAMS, 'DROP FUNCTION search_grams(text, text)'),
        migrations.RunSQL(UNFOLDED_GRAMS, 'DROP FUNCTION search_grams_unfolded(text, text)'),
    ]
