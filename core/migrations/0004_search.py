from django.db import migrations

# Text search (core/db/search.py, docs/decisions/0009): the grams of a record, and those that a search asks for. Each gram is three bytes of the
# text in capitals, in UTF-8, behind ten bits of the seed's hash: hhhhhhhhhh 11111111 22222222 333333. Six bits of the third byte tell all
# capitals, digits and continuation bytes apart. No gram goes over the byte 1, which stands between the values of a record.
# hashtext is internal to PostgreSQL, and may be: both functions run in the same server.
FUNCTION = """
CREATE FUNCTION {name}(seed text, content text) RETURNS integer[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ARRAY(
    SELECT DISTINCT (hashtext(seed) << 22) | (get_byte(bytes, i) << 14) | (get_byte(bytes, i + 1) << 6) | (get_byte(bytes, i + 2) & 63)
    FROM (SELECT convert_to(upper(content), 'UTF8') AS bytes OFFSET 0) AS whole, generate_series(0, octet_length(bytes) - 3) AS i
    WHERE get_byte(bytes, i) <> 1 AND get_byte(bytes, i + 1) <> 1 AND get_byte(bytes, i + 2) <> 1
)
"""


class Migration(migrations.Migration):
    dependencies = [
        ("core", "0003_event_batches"),
    ]

    operations = [
        migrations.RunSQL(FUNCTION.format(name="search_grams"), "DROP FUNCTION search_grams(text, text)"),
    ]
