from django.db import migrations

# Text search (core/search.py, docs/decisions/0009): the grams of a record, and those that a search asks for. Each gram is three bytes of the
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
    dependencies = [
        ("core", "0003_event_batches"),
    ]

    operations = [
        migrations.RunSQL(FUNCTION.format(name="search_grams"), "DROP FUNCTION search_grams(text, text)"),
    ]
