from django.db import migrations, models

# What names are sorted by: "Ångström" beside "angstrom", and nothing for a name of blanks. Letters that are no base with
# an accent (ø, ł, đ, ı, æ, œ) are spelled out.
FUNCTION = """
CREATE FUNCTION name_sort_key(name text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT left(nullif(btrim(replace(replace(translate(
        regexp_replace(normalize(casefold(name COLLATE pg_unicode_fast), NFKD), U&'[\\0300-\\036F]', '', 'g'),
        U&'\\00F8\\0142\\0111\\0131', 'oldi'), U&'\\00E6', 'ae'), U&'\\0153', 'oe')), ''), 300)
$$
"""
# A trigger, since a generated column would write the whole table anew under a lock that nobody gets past.
TRIGGER = """
CREATE FUNCTION contact_sort_name() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.sort_name := name_sort_key(NEW.name);
    RETURN NEW;
END
$$;
CREATE TRIGGER contact_sort_name BEFORE INSERT OR UPDATE OF name, sort_name ON crm_contact
    FOR EACH ROW EXECUTE FUNCTION contact_sort_name();
"""


class Migration(migrations.Migration):
    dependencies = [
        ('crm', '0008_message_jobs_and_export_parts'),
    ]

    operations = [
        migrations.AddField(
            model_name='contact',
            name='sort_name',
            field=models.CharField(db_collation='C', editable=False, help_text='What names are sorted by, without case and accents; a trigger keeps it. Null without a name.', max_length=300, null=True),
        ),
        migrations.RunSQL(FUNCTION, 'DROP FUNCTION name_sort_key(text)'),
        migrations.RunSQL(TRIGGER, 'DROP TRIGGER contact_sort_name ON crm_contact; DROP FUNCTION contact_sort_name()'),
    ]
