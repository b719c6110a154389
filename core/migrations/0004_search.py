from django.db import migrations

# Text search (core/db/search.py, docs/decisions/0009): the grams of a record, and those that a search asks for. Each gram is three bytes of the
# text in capitals, in UTF-8, behind ten bits of the seed's hash: hhhhhhhhhh 11111111 22222222 333333. Six bits of the third byte tell all
# capitals, digits and continuation bytes apart, and keep the grams of two bytes within 64 numbers. No gram goes over the byte 1, which stands
# between the values of a record. hashtext is internal to PostgreSQL, and may be: both functions run in the same server.
CODE = "(hashtext(seed) << 22) | (get_byte(bytes, i) << 14) | (get_byte(bytes, i + 1) << 6)"
HEADER = "RETURNS integer[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE"

GRAMS = f"""
CREATE FUNCTION search_grams(seed text, content text) {HEADER}
RETURN ARRAY(
    SELECT DISTINCT {CODE} | (get_byte(bytes, i + 2) & 63)
    FROM (SELECT convert_to(upper(content) || chr(1), 'UTF8') AS bytes OFFSET 0) AS whole, generate_series(0, octet_length(bytes) - 3) AS i
    WHERE get_byte(bytes, i) <> 1 AND get_byte(bytes, i + 1) <> 1
)
"""
WANTED = f"""
CREATE FUNCTION search_wanted(seed text, content text) {HEADER}
RETURN ARRAY(
    SELECT DISTINCT {CODE} | third
    FROM (SELECT convert_to(upper(content), 'UTF8') AS bytes OFFSET 0) AS whole,
        generate_series(0, greatest(octet_length(bytes) - 3, 0)) AS i,
        generate_series(
            CASE WHEN octet_length(bytes) > 2 THEN get_byte(bytes, i + 2) & 63 ELSE 0 END,
            CASE WHEN octet_length(bytes) > 2 THEN get_byte(bytes, i + 2) & 63 ELSE 63 END
        ) AS third
    WHERE octet_length(bytes) > 1 AND get_byte(bytes, i) <> 1 AND get_byte(bytes, i + 1) <> 1
)
"""


class Migration(migrations.Migration):
    dependencies = [
        ("core", "0003_event_batches"),
    ]

    operations = [
        migrations.RunSQL(GRAMS, "DROP FUNCTION search_grams(text, text)"),
        migrations.RunSQL(WANTED, "DROP FUNCTION search_wanted(text, text)"),
    ]
