import core.fields
import core.ids
import core.logs.context
import core.text.folding
import django.db.models.deletion
import django.db.models.functions.text
import django.utils.timezone
from django.db import migrations, models

from core.migration_operations import CreateTables

# A custom field's value says which field it is of. Without knowing that, PostgreSQL expects a fraction of the rows that a filter finds, and
# sorts all of them where walking the sort's index would do (measured on 500,000 contacts: 285 ms against 50 ms).
STATISTICS_COLUMNS = ("text", "number", "time")

# A lead has any number of products, and a list sorted by their names wants an index of one name a lead. Triggers keep it, whoever writes:
# links come and go with leads, imports, merges and their undoing, and a product may be renamed. Each runs once a statement.
FIRST = """
    UPDATE crm_lead l SET first_product = found.name
    FROM (
        SELECT touched.lead_id, min(p.name) AS name FROM ({touched}) AS touched
        LEFT JOIN crm_leadproduct x ON x.lead_id = touched.lead_id LEFT JOIN crm_productservice p ON p.id = x.product_service_id
        GROUP BY touched.lead_id
    ) AS found
    WHERE l.id = found.lead_id AND l.first_product IS DISTINCT FROM found.name;
"""
TRIGGERS = {
    "lead_product_added": ("crm_leadproduct", "INSERT", "NEW TABLE AS new_rows", "SELECT DISTINCT lead_id FROM new_rows"),
    "lead_product_removed": ("crm_leadproduct", "DELETE", "OLD TABLE AS old_rows", "SELECT DISTINCT lead_id FROM old_rows"),
    "lead_product_moved": (
        "crm_leadproduct",
        "UPDATE",
        "NEW TABLE AS new_rows OLD TABLE AS old_rows",
        "SELECT lead_id FROM new_rows UNION SELECT lead_id FROM old_rows",
    ),
    "product_renamed": (
        "crm_productservice",
        "UPDATE",
        "NEW TABLE AS new_rows OLD TABLE AS old_rows",
        "SELECT DISTINCT x.lead_id FROM new_rows n JOIN old_rows o ON o.id = n.id AND o.name <> n.name"
        " JOIN crm_leadproduct x ON x.product_service_id = n.id",
    ),
}


def trigger(name: str) -> str:
    table, event, tables, touched = TRIGGERS[name]
    return f"""
        CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {FIRST.format(touched=touched)} RETURN NULL; END $$;
        CREATE TRIGGER {name} AFTER {event} ON {table} REFERENCING {tables} FOR EACH STATEMENT EXECUTE FUNCTION {name}();
    """


# The grams that texts are searched by (docs/decisions/0009). A generated column is right whatever writes: requests, imports by COPY, repairs by hand.
SEPARATED = " || chr(1) || "
SEARCHED_TABLES = {
    "crm_contact": ("company_id", ("name", "email", "country_code", "number", "contact_number")),
    "crm_lead": ("company_id", ("status", "source", "notes")),
    "crm_productservice": ("company_id", ("name", "sku", "category", "description")),
    "crm_customfieldvalue": ("field_id", ("text",)),
    "crm_leadvalue": ("field_id", ("text",)),
    "crm_productservicevalue": ("field_id", ("text",)),
}


def search_column(table: str) -> str:
    seed, columns = SEARCHED_TABLES[table]
    content = columns[0] if len(columns) == 1 else SEPARATED.join(f"coalesce({column}, '')" for column in columns)
    present = " WHERE search IS NOT NULL" if len(columns) == 1 else ""
    return f"""
        ALTER TABLE {table} ADD COLUMN search integer[] GENERATED ALWAYS AS (search_grams({seed}, {content})) STORED;
        CREATE INDEX {table.removeprefix("crm_")}_search ON {table} USING gin (search){present};
    """


# The sort key of names: "Ångström" next to "angstrom", and null for a name of blanks. Letters that are no base with
# an accent (ø, ł, đ, ı, æ, œ) are spelled out.
NAME_SORT_KEY = """
CREATE FUNCTION name_sort_key(name text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT left(nullif(btrim(replace(replace(translate(
        regexp_replace(normalize(casefold(name COLLATE pg_unicode_fast), NFKD), U&'[\\0300-\\036F]', '', 'g'),
        U&'\\00F8\\0142\\0111\\0131', 'oldi'), U&'\\00E6', 'ae'), U&'\\0153', 'oe')), ''), 300)
$$
"""
# A trigger, since a generated column would have made installed databases write the whole table anew under a lock.
KEEP_SORT_NAME = """
CREATE FUNCTION contact_sort_name() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.sort_name := name_sort_key(NEW.name);
    RETURN NEW;
END
$$;
CREATE TRIGGER contact_sort_name BEFORE INSERT OR UPDATE OF name, sort_name ON crm_contact
    FOR EACH ROW EXECUTE FUNCTION contact_sort_name();
"""
# Functions keep their plans, so that a statement which reads custom values is planned as fast as without them. STABLE
# ones see what the statement sees.
PENDING_VALUES = """
CREATE FUNCTION custom_pending() RETURNS boolean LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    RETURN EXISTS (SELECT FROM crm_customfield WHERE pending);
END
$$;
CREATE FUNCTION custom_present(company text, record text, custom jsonb) RETURNS jsonb LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    RETURN coalesce((
        SELECT (custom - array_agg(f.unique_field_id::text))
            || coalesce(jsonb_object_agg(f.unique_field_id, c.after) FILTER (WHERE c.after IS NOT NULL), '{}')
        FROM crm_customfield f JOIN crm_convertedvalue c ON c.job_id = f.job_id AND c.record_id = record
        WHERE f.pending AND f.company_id = company
    ), custom);
END
$$;
"""


class Migration(migrations.Migration):

    replaces = [
        ('crm', '0001_squashed_0017_buckets'),
        ('crm', '0002_answers_of_attendees'),
        ('crm', '0003_webhooks'),
        ('crm', '0004_automation_queued'),
        ('crm', '0005_redriven_runs'),
        ('crm', '0006_workflows_of_activities'),
        ('crm', '0007_words'),
        ('crm', '0008_video_calls'),
        ('crm', '0009_kinds_of_meetings'),
        ('crm', '0010_request_ids'),
        ('crm', '0011_settings_of_video_calls'),
        ('crm', '0012_import_detected'),
        ('crm', '0013_datetime_field'),
        ('crm', '0015_fold_search'),
        ('crm', '0016_import_columns'),
        ('crm', '0017_export_formats'),
        ('crm', '0018_webhook_notice_count'),
    ]

    # Migrations that were folded earlier. Databases have them recorded.
    replaced_before = [
        ('crm', '0001_initial'),
        ('crm', '0002_custom_value_statistics'),
        ('crm', '0003_import_limited'),
        ('crm', '0004_leads_and_products'),
        ('crm', '0005_lead_first_product'),
        ('crm', '0006_sales_work'),
        ('crm', '0007_search'),
        ('crm', '0001_squashed_0007_search'),
        ('crm', '0002_team_member_last_assigned'),
        ('crm', '0003_file_read_module'),
        ('crm', '0004_import_report_and_rights'),
        ('crm', '0005_undo_and_timeline'),
        ('crm', '0006_created_order_and_enquiry_text'),
        ('crm', '0007_team_member_help_text'),
        ('crm', '0008_message_jobs_and_export_parts'),
        ('crm', '0009_contact_sort_name'),
        ('crm', '0010_fill_contact_sort_name'),
        ('crm', '0011_value_indexes_hold_company'),
        ('crm', '0012_pending_conversions'),
        ('crm', '0013_contacts_who_replied'),
        ('crm', '0014_saved_view'),
        ('crm', '0015_failed_import_rows'),
        ('crm', '0016_meetings_of_attendees'),
        ('crm', '0017_buckets'),
    ]

    initial = True

    dependencies = [
        ('accounts', '0001_squashed_0007_words'),
        ('core', '0001_squashed_0007_fold_search'),
    ]

    operations = [
        CreateTables([
            migrations.CreateModel(
                name='BulkJob',
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
                    ('status', models.CharField(choices=[('paused', 'Paused'), ('queued', 'Queued'), ('running', 'Running'), ('completed', 'Completed'), ('failed', 'Failed'), ('cancelled', 'Cancelled')], default='queued', max_length=16)),
                    ('pause_requested', models.BooleanField(default=False)),
                    ('cancel_requested', models.BooleanField(default=False)),
                    ('total', models.PositiveIntegerField(help_text='Units of work, once they are counted.', null=True)),
                    ('processed', models.PositiveIntegerField(default=0)),
                    ('started_at', models.DateTimeField(null=True)),
                    ('finished_at', models.DateTimeField(null=True)),
                    ('busy_ms', models.PositiveBigIntegerField(default=0, help_text='Time spent working, without waits and pauses.')),
                    ('error_detail', models.TextField(blank=True, help_text='What went wrong, for the operator.')),
                    ('action', models.CharField(choices=[('update', 'Update'), ('delete', 'Delete'), ('restore', 'Restore'), ('undo', 'Undo'), ('convert_field', 'Convert Field'), ('delete_field', 'Delete Field'), ('approve_messages', 'Approve Messages'), ('hold_messages', 'Hold Messages'), ('retry_messages', 'Retry Messages'), ('cancel_messages', 'Cancel Messages'), ('redrive_runs', 'Redrive Runs')], max_length=16)),
                    ('panel', models.CharField(choices=[('contact', 'Contact'), ('lead', 'Lead'), ('productService', 'Product Service'), ('genie', 'Genie'), ('workflow', 'Workflow')], max_length=16)),
                    ('selection', core.fields.JSONField(default=dict, help_text='The bulk selection with its query string, or the run.')),
                    ('change', core.fields.JSONField(default=dict, help_text='What to do to each record.')),
                    ('automation', models.BooleanField(default=True)),
                    ('position', core.ids.ObjectIdField(db_collation='C', editable=False, help_text='The last record that was looked at; work goes on behind it.', max_length=24, null=True)),
                    ('until', core.ids.ObjectIdField(db_collation='C', editable=False, help_text='The last record that was there when the job was made.', max_length=24, null=True)),
                    ('changed', models.PositiveIntegerField(default=0)),
                    ('failed', models.PositiveIntegerField(default=0)),
                    ('rate', models.FloatField(help_text='Records a second, smoothed over the last batches.', null=True)),
                    ('report', core.fields.JSONField(default=dict, help_text='Records that could not be changed or given back, by their ids, and why.')),
                    ('undo_until', models.DateTimeField(null=True)),
                    ('undone_at', models.DateTimeField(null=True)),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('created_by', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member')),
                    ('undoes', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='undone_by', to='crm.bulkjob')),
                    ('undoes_import', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='undone_by', to='crm.import')),
                    ('limited', models.BooleanField(db_default=False, default=False, help_text='Records that come back count against the plan: a session asked.')),
                    ('automation_queued', models.BooleanField(help_text='Workflows start behind what happens now; null: if there are many records.', null=True)),
                    ('request_id', models.CharField(blank=True, db_default='', default=core.logs.context.request_id, editable=False, help_text='The request that began it: its X-Request-ID, which lines of the log about the job carry too.', max_length=24)),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'indexes': [models.Index(condition=models.Q(('status', 'queued')), fields=['due_at'], name='bulkjob_due'), models.Index(condition=models.Q(('status', 'running')), fields=['status'], name='bulkjob_running'), models.Index(fields=['company', '-created_at', 'id'], name='bulkjob_newest'), models.Index(condition=models.Q(('undoes__isnull', False)), fields=['undoes'], name='bulkjob_undoes'), models.Index(condition=models.Q(('undoes_import__isnull', False)), fields=['undoes_import'], name='bulkjob_undoes_import'), models.Index(condition=models.Q(('total', 1)), fields=['finished_at'], name='bulkjob_single')],
                    'verbose_name': 'bulk change',
                },
            ),
            migrations.CreateModel(
                name='ContactCategory',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('name', models.CharField(max_length=200)),
                    ('description', models.TextField(blank=True)),
                    ('color', models.CharField(blank=True, max_length=20)),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('created_by', core.fields.CompanyForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member')),
                    ('updated_by', core.fields.CompanyForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member')),
                ],
                options={
                    'verbose_name_plural': 'contact categories',
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'constraints': [models.UniqueConstraint(models.F('company'), django.db.models.functions.text.Lower('name'), name='contactcategory_name_unique')],
                },
            ),
            migrations.CreateModel(
                name='Contact',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('name', models.CharField(blank=True, max_length=300)),
                    ('email', models.CharField(blank=True, max_length=254, null=True)),
                    ('country_code', models.CharField(blank=True, help_text='Dial prefix, such as +49.', max_length=5, null=True)),
                    ('number', models.CharField(blank=True, help_text='National significant number, digits only.', max_length=20, null=True)),
                    ('contact_number', models.CharField(blank=True, editable=False, help_text='Both, as E.164.', max_length=20, null=True)),
                    ('email_key', models.CharField(editable=False, help_text='Lower-case address, while e-mail is part of the unique key.', max_length=254, null=True)),
                    ('number_key', models.CharField(editable=False, help_text='E.164, while the number is part of the unique key.', max_length=20, null=True)),
                    ('custom', core.fields.JSONField(blank=True, default=dict)),
                    ('unsubscribed_at', models.DateTimeField(blank=True, null=True)),
                    ('replied_at', models.DateTimeField(blank=True, help_text='When a reply to outreach was last received.', null=True)),
                    ('is_deleted', models.BooleanField(default=False, editable=False)),
                    ('deleted_at', models.DateTimeField(editable=False, null=True)),
                    ('erased_at', models.DateTimeField(editable=False, help_text='When all that is personal was removed; the row stays blank.', null=True)),
                    ('email_identity', models.GeneratedField(db_persist=True, expression=models.Func(models.F('email'), output_field=models.TextField(), template="\nCASE WHEN strpos(%(expressions)s, '@') > 1 THEN\n    CASE WHEN split_part(lower(%(expressions)s), '@', 2) IN ('gmail.com', 'googlemail.com')\n    THEN 'gmail.com@' || replace(\n        coalesce(nullif(split_part(split_part(lower(%(expressions)s), '@', 1), '+', 1), ''), split_part(lower(%(expressions)s), '@', 1)),\n        '.', '')\n    ELSE split_part(lower(%(expressions)s), '@', 2) || '@' ||\n        coalesce(nullif(split_part(split_part(lower(%(expressions)s), '@', 1), '+', 1), ''), split_part(lower(%(expressions)s), '@', 1))\n    END\nEND"), help_text='What duplicates are found by; the database keeps it.', output_field=models.CharField(db_collation='C', max_length=300, null=True))),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('created_by', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member')),
                    ('merged_into', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, editable=False, help_text='Where it went.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='crm.contact')),
                    ('updated_by', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member')),
                    ('category', core.fields.CompanyForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='contacts', to='crm.contactcategory')),
                    ('import_job', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='contacts', to='crm.import')),
                    ('sort_name', models.CharField(db_collation='C', editable=False, help_text='What names are sorted by, without case and accents; a trigger keeps it. Null without a name.', max_length=300, null=True)),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'indexes': [models.Index(condition=models.Q(('is_deleted', False)), fields=['company', 'created_at', 'name', 'id'], name='contact_newest'), models.Index(condition=models.Q(('is_deleted', False)), fields=['id'], include=('company',), name='contact_live'), models.Index(fields=['company', 'name', 'id'], name='contact_name'), models.Index(models.F('company'), django.db.models.functions.text.Upper('email'), models.F('id'), name='contact_email'), models.Index(fields=['company', 'contact_number', 'id'], include=('is_deleted',), name='contact_same_number'), models.Index(condition=models.Q(('email_identity__isnull', False), ('is_deleted', False)), fields=['company', 'email_identity', 'id'], name='contact_same_email'), models.Index(condition=models.Q(('is_deleted', False)), fields=['company', 'number', 'id'], name='contact_number'), models.Index(fields=['company', 'category', 'id'], name='contact_category'), models.Index(condition=models.Q(('merged_into__isnull', False)), fields=['merged_into'], name='contact_merged'), models.Index(fields=['company', 'import_job', 'id'], name='contact_import'), models.Index(condition=models.Q(('is_deleted', True)), fields=['company', 'created_at', 'name', 'id'], name='contact_deleted'), models.Index(condition=models.Q(('email_key__isnull', False), ('is_deleted', True)), fields=['company', 'email_key'], name='contact_deleted_email'), models.Index(condition=models.Q(('is_deleted', True), ('number_key__isnull', False)), fields=['company', 'number_key'], name='contact_deleted_number'), models.Index(fields=['company', 'sort_name', 'id'], name='contact_sort_name'), models.Index(condition=models.Q(('replied_at__isnull', False)), fields=['id'], include=('company', 'replied_at'), name='contact_replied')],
                    'constraints': [models.UniqueConstraint(condition=models.Q(('is_deleted', False)), fields=('company', 'email_key'), name='contact_email_unique'), models.UniqueConstraint(condition=models.Q(('is_deleted', False)), fields=('company', 'number_key'), name='contact_number_unique')],
                },
            ),
            migrations.CreateModel(
                name='ConvertedValue',
                fields=[
                    ('pk', models.CompositePrimaryKey('job_id', 'record_id', blank=True, editable=False, primary_key=True, serialize=False)),
                    ('record_id', core.ids.ObjectIdField(db_collation='C', editable=False, max_length=24)),
                    ('before', core.fields.JSONField()),
                    ('after', core.fields.JSONField(null=True)),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('job', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='converted_values', to='crm.bulkjob')),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                },
            ),
            migrations.CreateModel(
                name='CustomField',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('name', models.CharField(max_length=200)),
                    ('description', models.TextField(blank=True)),
                    ('section', core.fields.JSONField(blank=True, null=True)),
                    ('order', models.IntegerField(blank=True, null=True)),
                    ('hide', models.BooleanField(default=False)),
                    ('only_show_table', models.BooleanField(default=False)),
                    ('panel', models.CharField(choices=[('contact', 'Contact'), ('lead', 'Lead'), ('productService', 'Product Service')], default='contact', max_length=16)),
                    ('value_type', models.CharField(choices=[('string', 'String'), ('number', 'Number'), ('boolean', 'Boolean'), ('date', 'Date'), ('member', 'Member'), ('file', 'File'), ('array', 'Array'), ('object', 'Object'), ('any', 'Any')], default='string', max_length=10)),
                    ('field_type', models.CharField(choices=[('text', 'Text'), ('number', 'Number'), ('textarea', 'Textarea'), ('select', 'Select'), ('multi-select', 'Multi Select'), ('file', 'File'), ('checkbox', 'Checkbox'), ('date', 'Date'), ('datetime', 'Datetime'), ('radio', 'Radio'), ('email', 'Email'), ('phone', 'Phone'), ('url', 'Url')], max_length=16)),
                    ('required', models.BooleanField(default=False)),
                    ('placeholder', models.CharField(blank=True, max_length=200)),
                    ('helper', models.CharField(blank=True, max_length=500)),
                    ('default_value', core.fields.JSONField(blank=True, null=True)),
                    ('options', core.fields.JSONField(blank=True, default=list, help_text='Array of {label, description, value}.')),
                    ('unique_field_id', models.CharField(db_collation='C', editable=False, help_text='The key in formData; set once.', max_length=64)),
                    ('children', core.fields.JSONField(blank=True, default=list)),
                    ('is_system', models.BooleanField(default=False, editable=False, help_text='Stored in a column of the record itself.')),
                    ('deleted_at', models.DateTimeField(editable=False, help_text='Nobody sees it any more, or, of a field that only stores typed values, ever has.', null=True)),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('created_by', core.fields.CompanyForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member')),
                    ('job', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, editable=False, help_text='What converts its values, or removes them, while that is not done.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='crm.bulkjob')),
                    ('updated_by', core.fields.CompanyForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member')),
                    ('pending', models.BooleanField(db_default=False, default=False, editable=False, help_text='Its job has converted its values, but not yet written all of them into their records.')),
                    ('stored_as', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, editable=False, help_text='The hidden field that its typed values belong to since its last conversion.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='crm.customfield')),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'indexes': [models.Index(condition=models.Q(('job__isnull', False)), fields=['job'], name='customfield_job'), models.Index(condition=models.Q(('pending', True)), fields=['company'], name='customfield_pending')],
                    'constraints': [models.UniqueConstraint(fields=('company', 'panel', 'unique_field_id'), name='customfield_key_unique'), models.UniqueConstraint(condition=models.Q(('deleted_at', None)), fields=('company', 'panel', 'name'), name='customfield_name_unique')],
                },
            ),
            migrations.CreateModel(
                name='CustomFieldValue',
                fields=[
                    ('pk', models.CompositePrimaryKey('contact_id', 'field_id', 'position', blank=True, editable=False, primary_key=True, serialize=False)),
                    ('position', models.PositiveSmallIntegerField(default=0)),
                    ('text', models.CharField(max_length=500, null=True)),
                    ('number', models.DecimalField(decimal_places=10, max_digits=30, null=True)),
                    ('time', models.DateTimeField(null=True)),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('contact', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='values', to='crm.contact')),
                    ('field', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='%(class)ss', to='crm.customfield')),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'indexes': [models.Index(condition=models.Q(('text__isnull', False)), fields=['field', 'text', 'contact'], include=('company', 'position'), name='fieldvalue_text'), models.Index(condition=models.Q(('number__isnull', False)), fields=['field', 'number', 'contact'], include=('company', 'position'), name='fieldvalue_number'), models.Index(condition=models.Q(('time__isnull', False)), fields=['field', 'time', 'contact'], include=('company', 'position'), name='fieldvalue_time'), models.Index(models.F('field'), core.text.folding.SortText('text'), models.F('contact'), condition=models.Q(('text__isnull', False)), include=('company', 'position', 'text'), name='fieldvalue_text_sort')],
                },
            ),
            migrations.CreateModel(
                name='CustomSection',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('name', models.CharField(max_length=200)),
                    ('description', models.TextField(blank=True)),
                    ('panel', models.CharField(choices=[('contact', 'Contact'), ('lead', 'Lead'), ('productService', 'Product Service')], default='contact', max_length=16)),
                    ('order', models.IntegerField(blank=True, null=True)),
                    ('hide', models.BooleanField(default=False)),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('created_by', core.fields.CompanyForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member')),
                    ('updated_by', core.fields.CompanyForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member')),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'constraints': [models.UniqueConstraint(models.F('company'), models.F('panel'), django.db.models.functions.text.Lower('name'), name='customsection_name_unique')],
                },
            ),
            migrations.CreateModel(
                name='DuplicateDismissal',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('panel', models.CharField(max_length=8)),
                    ('first_id', core.ids.ObjectIdField(db_collation='C', editable=False, max_length=24)),
                    ('second_id', core.ids.ObjectIdField(db_collation='C', editable=False, max_length=24)),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('created_by', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member')),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'constraints': [models.UniqueConstraint(fields=('company', 'panel', 'first_id', 'second_id'), name='duplicatedismissal_once')],
                    'verbose_name': 'pair that is no duplicate',
                    'verbose_name_plural': 'pairs that are no duplicates',
                },
            ),
            migrations.CreateModel(
                name='File',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('name', models.CharField(max_length=255)),
                    ('size', models.PositiveBigIntegerField(help_text='Bytes.')),
                    ('mime', models.CharField(max_length=127)),
                    ('hashes', core.fields.JSONField(default=dict, help_text='md5, sha1, sha256 and sha512, in hex.')),
                    ('path', models.CharField(blank=True, editable=False, help_text='Key of the content in the storage; empty once removed.', max_length=300)),
                    ('chatapp_handle', models.CharField(blank=True, max_length=200, null=True)),
                    ('trashed_at', models.DateTimeField(blank=True, null=True)),
                    ('is_deleted', models.BooleanField(default=False, help_text='Cleared from the bin, or not yet completely stored.')),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('created_by', core.fields.CompanyForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member')),
                    ('trashed_by', core.fields.CompanyForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member')),
                    ('read_module', models.CharField(blank=True, db_default='', default='', editable=False, help_text='The permission module of the list that the file is an export of; empty: none.', max_length=40)),
                    ('removals', models.PositiveSmallIntegerField(db_default=0, default=0, editable=False, help_text='Failed attempts to remove the content.')),
                    ('remove_at', models.DateTimeField(editable=False, help_text='The content of a cleared file is not removed before; empty: at once.', null=True)),
                    ('storage', models.CharField(choices=[('local', 'Local'), ('service', 'Service'), ('bucket', 'Bucket')], db_default='local', default='local', editable=False, help_text="Where the content is: on this service's disk, in its bucket, or in the company's.", max_length=8)),
                    ('bucket', core.fields.CompanyForeignKey(blank=True, db_constraint=False, db_index=False, editable=False, help_text="The company's bucket that the content is in.", null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='crm.bucket')),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'indexes': [models.Index(condition=models.Q(('is_deleted', False)), fields=['company', 'created_at', 'name', 'id'], name='file_newest'), models.Index(condition=models.Q(('is_deleted', True), models.Q(('path', ''), _negated=True)), fields=['created_at'], name='file_leftover'), models.Index(condition=models.Q(('bucket__isnull', False)), fields=['company', 'bucket'], name='file_in_bucket')],
                },
            ),
            migrations.CreateModel(
                name='Export',
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
                    ('status', models.CharField(choices=[('paused', 'Paused'), ('queued', 'Queued'), ('running', 'Running'), ('completed', 'Completed'), ('failed', 'Failed'), ('cancelled', 'Cancelled')], default='queued', max_length=16)),
                    ('pause_requested', models.BooleanField(default=False)),
                    ('cancel_requested', models.BooleanField(default=False)),
                    ('total', models.PositiveIntegerField(help_text='Units of work, once they are counted.', null=True)),
                    ('processed', models.PositiveIntegerField(default=0)),
                    ('started_at', models.DateTimeField(null=True)),
                    ('finished_at', models.DateTimeField(null=True)),
                    ('busy_ms', models.PositiveBigIntegerField(default=0, help_text='Time spent working, without waits and pauses.')),
                    ('error_detail', models.TextField(blank=True, help_text='What went wrong, for the operator.')),
                    ('resource', models.CharField(help_text='The list, such as contact.', max_length=40)),
                    ('query', core.fields.JSONField(default=dict, help_text='Its query string.')),
                    ('columns', core.fields.JSONField(default=list, help_text='Names of the columns; empty: all.')),
                    ('format', models.CharField(choices=[('csv', 'Csv'), ('xlsx', 'Xlsx')], default='csv', max_length=4)),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('created_by', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member')),
                    ('file', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='crm.file')),
                    ('headers', core.fields.JSONField(help_text='The headers of its columns when it began.', null=True)),
                    ('request_id', models.CharField(blank=True, db_default='', default=core.logs.context.request_id, editable=False, help_text='The request that began it: its X-Request-ID, which lines of the log about the job carry too.', max_length=24)),
                    ('formats', core.fields.JSONField(db_default=models.Value({}, models.JSONField()), default=dict, help_text='How its file writes dates and times: {date_format, time_format, timezone}.')),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'indexes': [models.Index(condition=models.Q(('status', 'queued')), fields=['due_at'], name='export_due'), models.Index(condition=models.Q(('status', 'running')), fields=['status'], name='export_running'), models.Index(fields=['company', '-created_at', 'id'], name='export_newest')],
                },
            ),
            migrations.CreateModel(
                name='Import',
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
                    ('status', models.CharField(choices=[('paused', 'Paused'), ('queued', 'Queued'), ('running', 'Running'), ('completed', 'Completed'), ('failed', 'Failed'), ('cancelled', 'Cancelled')], default='queued', max_length=16)),
                    ('pause_requested', models.BooleanField(default=False)),
                    ('cancel_requested', models.BooleanField(default=False)),
                    ('total', models.PositiveIntegerField(help_text='Units of work, once they are counted.', null=True)),
                    ('processed', models.PositiveIntegerField(default=0)),
                    ('started_at', models.DateTimeField(null=True)),
                    ('finished_at', models.DateTimeField(null=True)),
                    ('busy_ms', models.PositiveBigIntegerField(default=0, help_text='Time spent working, without waits and pauses.')),
                    ('error_detail', models.TextField(blank=True, help_text='What went wrong, for the operator.')),
                    ('import_type', models.CharField(choices=[('contact', 'Contact'), ('lead', 'Lead')], default='contact', max_length=10)),
                    ('headers', core.fields.JSONField(default=list)),
                    ('sample', core.fields.JSONField(default=list, help_text='The first rows, as they were read.')),
                    ('column_mapping', core.fields.JSONField(default=dict, help_text='Column header -> field key.')),
                    ('options', core.fields.JSONField(default=dict, help_text='What the caller asked for, in the names of the API (crm.imports.options).')),
                    ('tags', core.fields.JSONField(default=list, help_text='Ids of tags that every row gets.')),
                    ('user_enquiry', models.BooleanField(null=True)),
                    ('automation', models.BooleanField(default=True)),
                    ('header_row', models.PositiveIntegerField(help_text='Row of the headers; null until the file has been read.', null=True)),
                    ('last_row', models.PositiveIntegerField(help_text="Row of the file's last record.", null=True)),
                    ('row_count', models.PositiveIntegerField(help_text='Records in the file, whatever rowFrom and rowTo say.', null=True)),
                    ('next_row', models.PositiveIntegerField(default=0, help_text='Row of the file to go on with; 0 before the first.')),
                    ('created', models.PositiveIntegerField(default=0)),
                    ('updated', models.PositiveIntegerField(default=0)),
                    ('skipped', models.PositiveIntegerField(default=0)),
                    ('failed', models.PositiveIntegerField(default=0)),
                    ('rate', models.FloatField(help_text='Rows a second, smoothed over the last batches.', null=True)),
                    ('is_deleted', models.BooleanField(default=False)),
                    ('limited', models.BooleanField(default=False, help_text="Made in a session, so that the plan's limits hold for its rows.")),
                    ('category', core.fields.CompanyForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='crm.contactcategory')),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('created_by', core.fields.CompanyForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member')),
                    ('file', core.fields.CompanyForeignKey(db_constraint=False, on_delete=django.db.models.deletion.PROTECT, related_name='imports', to='crm.file')),
                    ('updated_by', core.fields.CompanyForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member')),
                    ('may_change_contacts', models.BooleanField(db_default=True, default=True, help_text='Whoever started an import of leads may change contacts.')),
                    ('may_create_contacts', models.BooleanField(db_default=True, default=True, help_text='Whoever started an import of leads may create contacts.')),
                    ('user_enquiry_text', models.CharField(blank=True, db_default='', default='', help_text='An enquiry that was sent as text.', max_length=1000)),
                    ('automation_queued', models.BooleanField(help_text='Workflows start behind what happens now; null: if there are many records.', null=True)),
                    ('request_id', models.CharField(blank=True, db_default='', default=core.logs.context.request_id, editable=False, help_text='The request that began it: its X-Request-ID, which lines of the log about the job carry too.', max_length=24)),
                    ('detected', core.fields.JSONField(db_default=models.Value({}, models.JSONField()), default=dict, help_text='How the file is read, in the names of the API.')),
                    ('first_rows', core.fields.JSONField(db_default=models.Value([], models.JSONField()), default=list, help_text="The file's first rows: {row, cells}.")),
                    ('columns', core.fields.JSONField(db_default=models.Value([], models.JSONField()), default=list, help_text='What each column holds, in their order: {filled, several, fieldType, valueType, options}.')),
                    ('kept_columns', core.fields.JSONField(db_default=models.Value({}, models.JSONField()), default=dict, help_text='Column that feeds a field after others -> key of the custom field that keeps its further values.')),
                    ('may_create_fields', models.BooleanField(db_default=True, default=True, help_text='Whoever started the import may create custom fields.')),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'indexes': [models.Index(condition=models.Q(('status', 'queued')), fields=['due_at'], name='import_due'), models.Index(condition=models.Q(('status', 'running')), fields=['status'], name='import_running'), models.Index(fields=['company', '-created_at', 'id'], name='import_newest')],
                },
            ),
            migrations.CreateModel(
                name='ImportRowError',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('row', models.PositiveIntegerField(help_text='Row number in the file, as a person counts: the header is 1.')),
                    ('column', models.CharField(blank=True, max_length=300)),
                    ('code', models.CharField(max_length=64)),
                    ('message', models.CharField(max_length=1000)),
                    ('values', core.fields.JSONField(default=list, help_text="The row's cells as they were read, to mend and send again.")),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('job', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='row_errors', to='crm.import')),
                    ('existing_id', core.ids.ObjectIdField(db_collation='C', editable=False, help_text='The record that existed.', max_length=24, null=True)),
                    ('skipped', models.BooleanField(db_default=False, default=False, help_text="The row's record existed.")),
                    ('failed', models.BooleanField(db_default=False, default=False, help_text='The row was refused; with corrected values it can still be written.')),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'indexes': [models.Index(fields=['job', 'row', 'id'], name='importrowerror_row')],
                    'verbose_name': 'row with a problem',
                    'verbose_name_plural': 'rows with problems',
                },
            ),
            migrations.CreateModel(
                name='Lead',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('status', models.CharField(help_text='A value of the system field status, whose options are the pipeline.', max_length=100)),
                    ('status_changed_at', models.DateTimeField(editable=False, null=True)),
                    ('source', models.CharField(blank=True, max_length=100)),
                    ('value', models.DecimalField(blank=True, decimal_places=4, help_text="What it may bring, in the company's currency.", max_digits=18, null=True)),
                    ('notes', models.TextField(blank=True)),
                    ('custom', core.fields.JSONField(blank=True, default=dict)),
                    ('first_product', models.CharField(editable=False, help_text='The first name of its products, to sort by; kept by triggers.', max_length=300, null=True)),
                    ('is_deleted', models.BooleanField(default=False, editable=False)),
                    ('deleted_at', models.DateTimeField(editable=False, null=True)),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('contact', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='leads', to='crm.contact')),
                    ('created_by', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member')),
                    ('import_job', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='leads', to='crm.import')),
                    ('merged_into', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, editable=False, help_text='Where it went.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='crm.lead')),
                    ('team_member', core.fields.CompanyForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='leads', to='accounts.member')),
                    ('updated_by', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member')),
                    ('team', core.fields.CompanyForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='leads', to='crm.team')),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'indexes': [models.Index(condition=models.Q(('is_deleted', False)), fields=['company', 'created_at', 'id'], name='lead_newest'), models.Index(condition=models.Q(('is_deleted', False)), fields=['team_member', 'status'], name='lead_load'), models.Index(condition=models.Q(('is_deleted', False)), fields=['id'], include=('company',), name='lead_live'), models.Index(condition=models.Q(('is_deleted', False)), fields=['company', 'status', 'id'], name='lead_status'), models.Index(condition=models.Q(('is_deleted', False)), fields=['company', 'source', 'id'], name='lead_source'), models.Index(condition=models.Q(('is_deleted', False)), fields=['company', 'value', 'id'], name='lead_value'), models.Index(fields=['company', 'contact', 'id'], include=('status', 'is_deleted'), name='lead_same_contact'), models.Index(condition=models.Q(('is_deleted', False)), fields=['company', 'team_member', 'id'], name='lead_member'), models.Index(condition=models.Q(('is_deleted', False)), fields=['company', 'created_by', 'id'], name='lead_created_by'), models.Index(condition=models.Q(('is_deleted', False)), fields=['company', 'updated_by', 'id'], name='lead_updated_by'), models.Index(fields=['company', 'import_job', 'id'], name='lead_import'), models.Index(condition=models.Q(('merged_into__isnull', False)), fields=['merged_into'], name='lead_merged'), models.Index(fields=['company', 'team', 'id'], name='lead_team'), models.Index(condition=models.Q(('is_deleted', True)), fields=['company', 'created_at', 'id'], name='lead_deleted'), models.Index(models.F('company'), core.text.folding.SortText('status'), models.F('id'), condition=models.Q(('is_deleted', False)), name='lead_status_sort'), models.Index(models.F('company'), core.text.folding.SortText('source'), models.F('id'), condition=models.Q(('is_deleted', False)), name='lead_source_sort'), models.Index(models.F('company'), core.text.folding.SortText('first_product'), models.F('id'), condition=models.Q(('is_deleted', False)), name='lead_product_sort')],
                },
            ),
            migrations.CreateModel(
                name='FollowUp',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('title', models.CharField(max_length=300)),
                    ('notes', models.TextField(blank=True)),
                    ('due_at', models.DateTimeField()),
                    ('status', models.CharField(choices=[('open', 'Open'), ('done', 'Done'), ('cancelled', 'Cancelled')], default='open', max_length=9)),
                    ('done_at', models.DateTimeField(null=True)),
                    ('remind_minutes', models.PositiveIntegerField(blank=True, help_text='How long before it is due the assignee gets a mail; empty: none.', null=True)),
                    ('remind_at', models.DateTimeField(editable=False, null=True)),
                    ('reminded_at', models.DateTimeField(editable=False, null=True)),
                    ('assignee', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member')),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('created_by', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member')),
                    ('updated_by', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member')),
                    ('lead', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='follow_ups', to='crm.lead')),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'indexes': [models.Index(fields=['company', 'created_at', 'id'], name='followup_newest'), models.Index(fields=['company', 'due_at', 'id'], name='followup_due'), models.Index(condition=models.Q(('assignee__isnull', False)), fields=['assignee', 'due_at', 'id'], name='followup_assignee'), models.Index(fields=['lead', 'due_at'], name='followup_lead'), models.Index(condition=models.Q(('reminded_at__isnull', True), ('status', 'open')), fields=['remind_at'], name='followup_reminding')],
                    'verbose_name': 'follow-up',
                },
            ),
            migrations.CreateModel(
                name='CallLog',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('direction', models.CharField(choices=[('inbound', 'Inbound'), ('outbound', 'Outbound')], default='outbound', max_length=8)),
                    ('outcome', models.CharField(choices=[('connected', 'Connected'), ('no_answer', 'No Answer'), ('busy', 'Busy'), ('voicemail', 'Voicemail'), ('wrong_number', 'Wrong Number'), ('failed', 'Failed')], default='connected', max_length=12)),
                    ('number', models.CharField(blank=True, help_text='E.164.', max_length=20)),
                    ('started_at', models.DateTimeField()),
                    ('duration_seconds', models.PositiveIntegerField(default=0)),
                    ('notes', models.TextField(blank=True)),
                    ('recording', models.URLField(blank=True, max_length=1000)),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('created_by', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member')),
                    ('member', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member')),
                    ('updated_by', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member')),
                    ('contact', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='calls', to='crm.contact')),
                    ('lead', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='calls', to='crm.lead')),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'indexes': [models.Index(fields=['company', 'started_at', 'id'], name='calllog_newest'), models.Index(condition=models.Q(('lead__isnull', False)), fields=['lead'], name='calllog_lead'), models.Index(condition=models.Q(('contact__isnull', False)), fields=['contact'], name='calllog_contact'), models.Index(fields=['company', 'created_at', 'id'], name='calllog_created')],
                    'constraints': [models.CheckConstraint(condition=models.Q(('lead__isnull', False), ('contact__isnull', False), _connector='OR'), name='calllog_is_with_somebody')],
                    'verbose_name': 'call',
                },
            ),
            migrations.CreateModel(
                name='LeadActivity',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('kind', models.CharField(choices=[('created', 'Created'), ('changed', 'Changed'), ('status', 'Status'), ('assigned', 'Assigned'), ('note', 'Note'), ('mail', 'Mail'), ('call', 'Call'), ('meeting', 'Meeting'), ('follow_up', 'Follow Up'), ('merged', 'Merged'), ('deleted', 'Deleted'), ('restored', 'Restored'), ('imported', 'Imported')], max_length=12)),
                    ('details', core.fields.JSONField(default=dict, help_text='What happened: for a change, field -> {from, to}.')),
                    ('notes', models.TextField(blank=True)),
                    ('happened_at', models.DateTimeField()),
                    ('event_id', core.ids.ObjectIdField(db_collation='C', editable=False, help_text='The domain event it was made from: one activity of a kind for each event and record.', max_length=24, null=True)),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('contact', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='activities', to='crm.contact')),
                    ('lead', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='activities', to='crm.lead')),
                    ('member', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member')),
                    ('workflow', core.fields.JSONField(editable=False, help_text='The workflow that did it: _id, and name as it was then.', null=True)),
                ],
                options={
                    'verbose_name_plural': 'activities',
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'indexes': [models.Index(condition=models.Q(('lead__isnull', False)), fields=['lead', 'happened_at', 'id'], name='leadactivity_lead'), models.Index(condition=models.Q(('contact__isnull', False)), fields=['contact', 'happened_at', 'id'], name='leadactivity_contact'), models.Index(condition=models.Q(('lead__isnull', False)), fields=['company', 'happened_at', 'id'], name='leadactivity_newest'), models.Index(condition=models.Q(('lead__isnull', False)), fields=['company', 'created_at', 'id'], name='leadactivity_created'), models.Index(condition=models.Q(('lead__isnull', False)), fields=['lead', 'created_at', 'id'], name='leadactivity_lead_created'), models.Index(condition=models.Q(('contact__isnull', False)), fields=['contact', 'created_at', 'id'], name='leadactivity_contact_created')],
                    'constraints': [models.UniqueConstraint(condition=models.Q(('event_id__isnull', False)), fields=('event_id', 'lead', 'kind'), name='leadactivity_once', nulls_distinct=False)],
                    'verbose_name': 'activity',
                },
            ),
            migrations.CreateModel(
                name='LeadValue',
                fields=[
                    ('pk', models.CompositePrimaryKey('lead_id', 'field_id', 'position', blank=True, editable=False, primary_key=True, serialize=False)),
                    ('position', models.PositiveSmallIntegerField(default=0)),
                    ('text', models.CharField(max_length=500, null=True)),
                    ('number', models.DecimalField(decimal_places=10, max_digits=30, null=True)),
                    ('time', models.DateTimeField(null=True)),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('field', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='%(class)ss', to='crm.customfield')),
                    ('lead', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='values', to='crm.lead')),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'indexes': [models.Index(condition=models.Q(('text__isnull', False)), fields=['field', 'text', 'lead'], include=('company', 'position'), name='leadvalue_text'), models.Index(condition=models.Q(('number__isnull', False)), fields=['field', 'number', 'lead'], include=('company', 'position'), name='leadvalue_number'), models.Index(condition=models.Q(('time__isnull', False)), fields=['field', 'time', 'lead'], include=('company', 'position'), name='leadvalue_time'), models.Index(models.F('field'), core.text.folding.SortText('text'), models.F('lead'), condition=models.Q(('text__isnull', False)), include=('company', 'position', 'text'), name='leadvalue_text_sort')],
                },
            ),
            migrations.CreateModel(
                name='Meeting',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('title', models.CharField(max_length=300)),
                    ('description', models.TextField(blank=True)),
                    ('starts_at', models.DateTimeField()),
                    ('ends_at', models.DateTimeField()),
                    ('timezone', models.CharField(help_text='IANA name: the clock that the times are said in.', max_length=64)),
                    ('place', models.CharField(blank=True, max_length=500)),
                    ('link', models.URLField(blank=True, max_length=1000)),
                    ('status', models.CharField(choices=[('scheduled', 'Scheduled'), ('cancelled', 'Cancelled')], default='scheduled', max_length=9)),
                    ('sequence', models.PositiveIntegerField(default=0, editable=False, help_text='Of the iCalendar file: counts the changes.')),
                    ('remind_minutes', models.PositiveIntegerField(blank=True, null=True)),
                    ('remind_at', models.DateTimeField(editable=False, null=True)),
                    ('reminded_at', models.DateTimeField(editable=False, null=True)),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('contact', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='meetings', to='crm.contact')),
                    ('created_by', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member')),
                    ('lead', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='meetings', to='crm.lead')),
                    ('organizer', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.member')),
                    ('updated_by', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member')),
                    ('kind', models.CharField(choices=[('online', 'Online'), ('offline', 'Offline')], db_default='offline', default='offline', help_text='By video, or at a place.', max_length=7)),
                    ('video_error', models.CharField(blank=True, db_default='', default='', editable=False, help_text='Why there is no link yet.', max_length=500)),
                    ('video_provider', models.CharField(blank=True, db_default='', default='', help_text='What makes the link, if it is made.', max_length=24)),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'indexes': [models.Index(fields=['company', 'created_at', 'id'], name='meeting_newest'), models.Index(fields=['company', 'starts_at', 'id'], name='meeting_start'), models.Index(condition=models.Q(('lead__isnull', False)), fields=['lead'], name='meeting_lead'), models.Index(condition=models.Q(('contact__isnull', False)), fields=['contact'], name='meeting_contact'), models.Index(fields=['organizer', 'starts_at'], name='meeting_organizer'), models.Index(condition=models.Q(('reminded_at__isnull', True), ('status', 'scheduled')), fields=['remind_at'], name='meeting_reminding'), models.Index(fields=['company', 'kind', 'created_at', 'id'], name='meeting_kind')],
                    'constraints': [models.CheckConstraint(condition=models.Q(('ends_at__gt', models.F('starts_at'))), name='meeting_ends_after_it_starts')],
                },
            ),
            migrations.CreateModel(
                name='MeetingAttendee',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('name', models.CharField(blank=True, max_length=300)),
                    ('email', models.EmailField(max_length=254)),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('contact', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='crm.contact')),
                    ('meeting', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='attendees', to='crm.meeting')),
                    ('member', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member')),
                    ('answer', models.CharField(blank=True, choices=[('accepted', 'Accepted'), ('declined', 'Declined'), ('tentative', 'Tentative')], db_default='', default='', help_text='What their calendar answered.', max_length=9)),
                    ('answered_at', models.DateTimeField(editable=False, null=True)),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'indexes': [models.Index(condition=models.Q(('member__isnull', False)), fields=['member'], name='meetingattendee_member'), models.Index(condition=models.Q(('contact__isnull', False)), fields=['contact'], name='meetingattendee_contact')],
                    'constraints': [models.UniqueConstraint(fields=('meeting', 'email'), name='meetingattendee_once')],
                },
            ),
            migrations.CreateModel(
                name='Merge',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('panel', models.CharField(max_length=8)),
                    ('winner_id', core.ids.ObjectIdField(db_collation='C', editable=False, max_length=24)),
                    ('loser_ids', core.fields.JSONField(default=list)),
                    ('choices', core.fields.JSONField(default=dict, help_text='Field -> the record whose value was taken, or the value itself.')),
                    ('moved', core.fields.JSONField(default=dict, help_text='Table.column -> the rows whose reference went from a loser to the winner, with what it was.')),
                    ('undo_until', models.DateTimeField()),
                    ('undone_at', models.DateTimeField(null=True)),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('created_by', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member')),
                    ('undone_by', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member')),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'indexes': [models.Index(fields=['company', '-created_at', 'id'], name='merge_newest')],
                },
            ),
            migrations.CreateModel(
                name='Journal',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('panel', models.CharField(max_length=16)),
                    ('record_id', core.ids.ObjectIdField(db_collation='C', editable=False, max_length=24)),
                    ('before', core.fields.JSONField(help_text="The record's row and links before; null: there was no such record.", null=True)),
                    ('after', core.fields.JSONField(help_text='What was different afterwards, so that undoing leaves alone what somebody has changed since.', null=True)),
                    ('bulk_job', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='journal', to='crm.bulkjob')),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('import_job', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='journal', to='crm.import')),
                    ('merge', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='journal', to='crm.merge')),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'indexes': [models.Index(fields=['created_at'], name='journal_age')],
                    'constraints': [models.UniqueConstraint(condition=models.Q(('bulk_job__isnull', False)), fields=('bulk_job', 'record_id'), name='journal_bulk_job'), models.UniqueConstraint(condition=models.Q(('import_job__isnull', False)), fields=('import_job', 'panel', 'record_id'), name='journal_import_job'), models.UniqueConstraint(condition=models.Q(('merge__isnull', False)), fields=('merge', 'record_id'), name='journal_merge')],
                },
            ),
            migrations.CreateModel(
                name='ProductService',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('name', models.CharField(max_length=300)),
                    ('kind', models.CharField(choices=[('product', 'Product'), ('service', 'Service')], default='product', max_length=8)),
                    ('description', models.TextField(blank=True)),
                    ('category', models.CharField(blank=True, max_length=200)),
                    ('sku', models.CharField(blank=True, help_text="The company's own article number.", max_length=100)),
                    ('price', models.DecimalField(blank=True, decimal_places=4, max_digits=18, null=True)),
                    ('currency', models.CharField(blank=True, help_text="ISO 4217 code; empty: the company's.", max_length=3)),
                    ('unit', models.CharField(blank=True, help_text='What the price is for, such as hour or piece.', max_length=40)),
                    ('is_active', models.BooleanField(default=True)),
                    ('custom', core.fields.JSONField(blank=True, default=dict)),
                    ('is_deleted', models.BooleanField(default=False, editable=False)),
                    ('deleted_at', models.DateTimeField(editable=False, null=True)),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('created_by', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member')),
                    ('updated_by', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member')),
                ],
                options={
                    'verbose_name_plural': 'products and services',
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'indexes': [models.Index(condition=models.Q(('is_deleted', False)), fields=['company', 'created_at', 'name', 'id'], name='productservice_newest')],
                    'constraints': [models.UniqueConstraint(models.F('company'), django.db.models.functions.text.Lower('name'), condition=models.Q(('is_deleted', False)), name='productservice_name_unique')],
                },
            ),
            migrations.CreateModel(
                name='LeadProduct',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('lead', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='product_links', to='crm.lead')),
                    ('product_service', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='lead_links', to='crm.productservice')),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'indexes': [models.Index(fields=['product_service', 'lead'], name='leadproduct_product')],
                    'constraints': [models.UniqueConstraint(fields=('lead', 'product_service'), name='leadproduct_once')],
                },
            ),
            migrations.CreateModel(
                name='ProductServiceValue',
                fields=[
                    ('pk', models.CompositePrimaryKey('product_service_id', 'field_id', 'position', blank=True, editable=False, primary_key=True, serialize=False)),
                    ('position', models.PositiveSmallIntegerField(default=0)),
                    ('text', models.CharField(max_length=500, null=True)),
                    ('number', models.DecimalField(decimal_places=10, max_digits=30, null=True)),
                    ('time', models.DateTimeField(null=True)),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('field', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='%(class)ss', to='crm.customfield')),
                    ('product_service', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='values', to='crm.productservice')),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'indexes': [models.Index(condition=models.Q(('text__isnull', False)), fields=['field', 'text', 'product_service'], name='productvalue_text'), models.Index(condition=models.Q(('number__isnull', False)), fields=['field', 'number', 'product_service'], name='productvalue_number'), models.Index(condition=models.Q(('time__isnull', False)), fields=['field', 'time', 'product_service'], name='productvalue_time'), models.Index(models.F('field'), core.text.folding.SortText('text'), models.F('product_service'), condition=models.Q(('text__isnull', False)), include=('company', 'position', 'text'), name='productvalue_text_sort')],
                },
            ),
            migrations.CreateModel(
                name='Segment',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('name', models.CharField(max_length=200)),
                    ('description', models.TextField(blank=True)),
                    ('color', models.CharField(blank=True, max_length=20)),
                    ('panel', models.CharField(choices=[('contact', 'Contact'), ('lead', 'Lead')], default='contact', max_length=8)),
                    ('kind', models.CharField(choices=[('dynamic', 'Dynamic'), ('static', 'Static')], default='dynamic', max_length=8)),
                    ('filters', core.fields.JSONField(blank=True, default=dict, help_text='The filter tree of advancedFilters.')),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('created_by', core.fields.CompanyForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member')),
                    ('updated_by', core.fields.CompanyForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member')),
                    ('compared_at', models.DateTimeField(editable=False, help_text='When all records were last looked at.', null=True)),
                    ('watched_since', models.DateTimeField(editable=False, help_text='Something waits for who enters it.', null=True)),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'constraints': [models.UniqueConstraint(models.F('company'), django.db.models.functions.text.Lower('name'), name='segment_name_unique')],
                    'indexes': [models.Index(condition=models.Q(('watched_since__isnull', False)), fields=['company'], name='segment_watched')],
                },
            ),
            migrations.CreateModel(
                name='SegmentRecord',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('contact', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='segment_links', to='crm.contact')),
                    ('lead', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='segment_links', to='crm.lead')),
                    ('segment', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='records', to='crm.segment')),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'indexes': [models.Index(condition=models.Q(('contact__isnull', False)), fields=['contact'], name='segmentrecord_contact'), models.Index(condition=models.Q(('lead__isnull', False)), fields=['lead'], name='segmentrecord_lead')],
                    'constraints': [models.UniqueConstraint(fields=('segment', 'contact'), name='segmentrecord_contact_once'), models.UniqueConstraint(fields=('segment', 'lead'), name='segmentrecord_lead_once'), models.CheckConstraint(condition=models.Q(('contact__isnull', False), ('lead__isnull', False), _connector='XOR'), name='segmentrecord_is_one_record')],
                },
            ),
            migrations.CreateModel(
                name='Tag',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('name', models.CharField(max_length=200)),
                    ('description', models.TextField(blank=True)),
                    ('color', models.CharField(blank=True, max_length=20)),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('created_by', core.fields.CompanyForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member')),
                    ('updated_by', core.fields.CompanyForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member')),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'constraints': [models.UniqueConstraint(models.F('company'), django.db.models.functions.text.Lower('name'), name='tag_name_unique')],
                },
            ),
            migrations.CreateModel(
                name='LeadTag',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('lead', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='tag_links', to='crm.lead')),
                    ('tag', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='lead_links', to='crm.tag')),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'indexes': [models.Index(fields=['tag', 'lead'], name='leadtag_tag')],
                    'constraints': [models.UniqueConstraint(fields=('lead', 'tag'), name='leadtag_once')],
                },
            ),
            migrations.CreateModel(
                name='ContactTag',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('contact', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='tag_links', to='crm.contact')),
                    ('tag', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='contact_links', to='crm.tag')),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'indexes': [models.Index(fields=['tag', 'contact'], name='contacttag_tag')],
                    'constraints': [models.UniqueConstraint(fields=('contact', 'tag'), name='contacttag_once')],
                },
            ),
            migrations.CreateModel(
                name='Team',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('name', models.CharField(max_length=200)),
                    ('description', models.TextField(blank=True)),
                    ('color', models.CharField(blank=True, max_length=20)),
                    ('is_default', models.BooleanField(default=False, editable=False)),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('created_by', core.fields.CompanyForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member')),
                    ('updated_by', core.fields.CompanyForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member')),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'constraints': [models.UniqueConstraint(models.F('company'), django.db.models.functions.text.Lower('name'), name='team_name_unique'), models.UniqueConstraint(condition=models.Q(('is_default', True)), fields=('company',), name='team_one_default')],
                },
            ),
            migrations.CreateModel(
                name='TeamMember',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('last_assigned_at', models.DateTimeField(db_column='dealt_at', null=True)),
                    ('is_available', models.BooleanField(default=True, help_text='Off: is assigned no leads, stays in the team.')),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('member', core.fields.CompanyForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='team_links', to='accounts.member')),
                    ('team', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='links', to='crm.team')),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'constraints': [models.UniqueConstraint(fields=('team', 'member'), name='teammember_once')],
                },
            ),
            migrations.CreateModel(
                name='ExportPart',
                fields=[
                    ('pk', models.CompositePrimaryKey('export_id', 'number', blank=True, editable=False, primary_key=True, serialize=False)),
                    ('number', models.PositiveIntegerField()),
                    ('until', models.PositiveIntegerField(help_text="Records of the export up to the part's end.")),
                    ('content', models.BinaryField()),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('export', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='parts', to='crm.export')),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                },
            ),
            migrations.CreateModel(
                name='SavedView',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('resource', models.CharField(help_text='Path of the list, such as contact.', max_length=40)),
                    ('name', models.CharField(max_length=100)),
                    ('query', core.fields.JSONField(blank=True, default=dict, help_text="The list's query parameters but for paging.")),
                    ('columns', core.fields.JSONField(blank=True, default=list, help_text='Names of the columns, in their order; none: the usual.')),
                    ('layout', models.CharField(choices=[('table', 'Table'), ('board', 'Board')], default='table', max_length=8)),
                    ('shared', models.BooleanField(default=False, help_text='Everybody who may read the list sees it.')),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('created_by', core.fields.CompanyForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member')),
                    ('updated_by', core.fields.CompanyForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member')),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'indexes': [models.Index(condition=models.Q(('shared', True)), fields=['company', 'resource'], name='savedview_shared')],
                    'constraints': [models.UniqueConstraint(models.F('company'), models.F('created_by'), models.F('resource'), django.db.models.functions.text.Lower('name'), name='savedview_name_unique')],
                },
            ),
            migrations.CreateModel(
                name='Bucket',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('name', models.CharField(help_text='As the storage calls it.', max_length=255)),
                    ('region', models.CharField(max_length=40)),
                    ('endpoint', models.CharField(blank=True, default='', help_text="The storage's address; empty: Amazon S3 of the region.", max_length=300)),
                    ('subpath', models.CharField(blank=True, default='', help_text='Folder of the bucket for the files.', max_length=200)),
                    ('accesskey', core.fields.EncryptedTextField(bound_to=('endpoint', 'region'))),
                    ('secretkey', core.fields.EncryptedTextField(bound_to=('endpoint', 'region'))),
                    ('key_hint', models.CharField(blank=True, editable=False, help_text='The end of the access key.', max_length=4)),
                    ('is_active', models.BooleanField(default=True)),
                    ('is_default', models.BooleanField(default=False)),
                    ('verified', models.BooleanField(default=False, editable=False)),
                    ('last_error', models.TextField(blank=True, default='', editable=False)),
                    ('last_error_at', models.DateTimeField(editable=False, null=True)),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('created_by', core.fields.CompanyForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member')),
                    ('updated_by', core.fields.CompanyForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member')),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'constraints': [models.UniqueConstraint(condition=models.Q(('is_default', True)), fields=('company',), name='bucket_one_default')],
                    'verbose_name': 'file storage',
                },
            ),
            migrations.CreateModel(
                name='SegmentMember',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('record_id', core.ids.ObjectIdField(db_collation='C', editable=False, max_length=24)),
                    ('since', models.DateTimeField()),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('segment', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='crm.segment')),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'indexes': [models.Index(fields=['record_id'], name='segmentmember_record')],
                    'constraints': [models.UniqueConstraint(fields=('segment', 'record_id'), name='segmentmember_once')],
                },
            ),
            migrations.CreateModel(
                name='Webhook',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('url', models.CharField(max_length=2000)),
                    ('description', models.CharField(blank=True, default='', max_length=200)),
                    ('kinds', core.fields.JSONField(default=list, help_text='Kinds of events, contact.* or *.')),
                    ('filter', core.fields.JSONField(blank=True, help_text='The tree of conditions on the record of an event.', null=True)),
                    ('fields', core.fields.JSONField(default=list, help_text='Of an update, one of these fields must have changed.')),
                    ('payload', models.CharField(choices=[('full', 'Full'), ('thin', 'Thin')], default='full', max_length=4)),
                    ('ordering', models.CharField(choices=[('object', 'Object'), ('none', 'None')], default='object', max_length=6)),
                    ('status', models.CharField(choices=[('enabled', 'Enabled'), ('paused', 'Paused'), ('disabled', 'Disabled')], default='enabled', max_length=8)),
                    ('disabled_reason', models.CharField(blank=True, choices=[('member', 'a member disabled it'), ('gone', 'the address answered 410'), ('failing', 'nothing was delivered for 72 hours')], default='', max_length=8)),
                    ('secret', core.fields.EncryptedTextField()),
                    ('former_secret', core.fields.EncryptedTextField(blank=True, default='')),
                    ('former_secret_until', models.DateTimeField(blank=True, null=True)),
                    ('headers', core.fields.EncryptedTextField(blank=True, bound_to=('url',), default='', help_text='JSON: header -> value.')),
                    ('header_names', core.fields.JSONField(default=list)),
                    ('failures', models.PositiveIntegerField(default=0, editable=False, help_text='Attempts in a row that failed.')),
                    ('failing_since', models.DateTimeField(editable=False, null=True)),
                    ('retry_at', models.DateTimeField(editable=False, help_text='When one delivery is tried for all.', null=True)),
                    ('notice_count', models.PositiveSmallIntegerField(db_column='told', default=0, editable=False, help_text='Notices about these failures.')),
                    ('last_success_at', models.DateTimeField(editable=False, null=True)),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('created_by', core.fields.CompanyForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member')),
                    ('updated_by', core.fields.CompanyForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member')),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'indexes': [models.Index(fields=['company', '-created_at', 'id'], name='webhook_newest')],
                },
            ),
            migrations.CreateModel(
                name='WebhookDelivery',
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
                    ('event_id', core.ids.ObjectIdField(db_collation='C', editable=False, max_length=24)),
                    ('kind', models.CharField(max_length=64)),
                    ('object_id', core.ids.ObjectIdField(db_collation='C', editable=False, max_length=24)),
                    ('sequence', models.BigIntegerField()),
                    ('object_sequence', models.PositiveIntegerField()),
                    ('body', models.TextField()),
                    ('status', models.CharField(choices=[('pending', 'Pending'), ('sending', 'Sending'), ('delivered', 'Delivered'), ('failed', 'Failed')], default='pending', max_length=9)),
                    ('manual', models.BooleanField(default=False, help_text='A member asked for it; no sign of how the webhook does.')),
                    ('tried_at', models.DateTimeField(null=True)),
                    ('milliseconds', models.PositiveIntegerField(null=True)),
                    ('response_status', models.PositiveSmallIntegerField(null=True)),
                    ('response_body', models.TextField(blank=True, default='', help_text='How the answer begins.')),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('webhook', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='crm.webhook')),
                ],
                options={
                    'verbose_name_plural': 'webhook deliveries',
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'indexes': [models.Index(condition=models.Q(('status', 'pending')), fields=['webhook', 'due_at', 'sequence'], name='webhookd_due'), models.Index(condition=models.Q(('status__in', ('pending', 'sending'))), fields=['webhook', 'object_id', 'object_sequence'], name='webhookd_object'), models.Index(condition=models.Q(('status', 'sending')), fields=['status'], name='webhookd_sending'), models.Index(fields=['company', 'webhook', '-created_at', 'id'], name='webhookd_newest'), models.Index(fields=['company', 'object_id'], name='webhookd_person')],
                    'constraints': [models.UniqueConstraint(fields=('webhook', 'event_id'), name='webhookdelivery_once')],
                },
            ),
            migrations.CreateModel(
                name='VideoSettings',
                fields=[
                    ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('link_template', models.CharField(blank=True, default='', help_text='With {meeting} or {random}.', max_length=300)),
                    ('provider', models.CharField(blank=True, default='', help_text='What makes the link of a call that names none.', max_length=24)),
                    ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                    ('updated_by', core.fields.CompanyForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member')),
                ],
                options={
                    'abstract': False,
                    'base_manager_name': 'objects',
                    'constraints': [models.UniqueConstraint(fields=('company',), name='videosettings_once')],
                    'verbose_name': 'video settings',
                    'verbose_name_plural': 'video settings',
                },
            ),
        ]),
        # Unused and null; databases of the version before have it.
        migrations.RunSQL('ALTER TABLE crm_convertedvalue ADD COLUMN rows jsonb', 'ALTER TABLE crm_convertedvalue DROP COLUMN rows'),
        *(
            migrations.RunSQL(
                f"CREATE STATISTICS fieldvalue_{column}_of_field (dependencies, mcv) ON field_id, {column} FROM crm_customfieldvalue",
                f"DROP STATISTICS fieldvalue_{column}_of_field",
            )
            for column in STATISTICS_COLUMNS
        ),
        *(
            migrations.RunSQL(trigger(name), f"DROP TRIGGER {name} ON {TRIGGERS[name][0]}; DROP FUNCTION {name}();")
            for name in TRIGGERS
        ),
        *(
            migrations.RunSQL(search_column(table), f"ALTER TABLE {table} DROP COLUMN search")
            for table in SEARCHED_TABLES
        ),
        migrations.RunSQL(NAME_SORT_KEY, 'DROP FUNCTION name_sort_key(text)'),
        migrations.RunSQL(KEEP_SORT_NAME, 'DROP TRIGGER contact_sort_name ON crm_contact; DROP FUNCTION contact_sort_name()'),
        migrations.RunSQL(PENDING_VALUES, 'DROP FUNCTION custom_present(text, text, jsonb); DROP FUNCTION custom_pending()'),
    ]
