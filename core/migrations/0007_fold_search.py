from django.db import migrations

# What texts are compared by in searches (core/text/folding.py, docs/decisions/0032). Texts in Latin, Greek and Cyrillic letters take a shorter way:
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
# The first migration says what trigrams are.
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
UPPER_GRAMS = {"folded": 'upper(content COLLATE "default")'}
FORMER_GRAMS = SEARCH_GRAMS.format(
    name="search_grams", volatility="IMMUTABLE", begin="", result="grams", **UPPER_GRAMS
)
# The trigrams that a text has in records written before this migration, until core.search_backfill has written them again. Null afterwards.
UNFOLDED_GRAMS = SEARCH_GRAMS.format(
    name="search_grams_unfolded",
    volatility="STABLE",
    begin="IF NOT EXISTS (SELECT FROM core_searchbackfill) THEN RETURN NULL; END IF;",
    result="nullif(grams, '{}')",
    **UPPER_GRAMS,
)
# A table whose trigrams are still to be written again, and the place where that is.
BACKFILL = """
CREATE TABLE core_searchbackfill (table_name text PRIMARY KEY, place text[] NOT NULL DEFAULT '{}')
"""


class Migration(migrations.Migration):

    dependencies = [
        ('core', '0006_hold'),
    ]

    operations = [
        migrations.RunSQL(BACKFILL, 'DROP TABLE core_searchbackfill'),
        migrations.RunSQL(SEARCH_FOLD, 'DROP FUNCTION search_fold(text)'),
        migrations.RunSQL(TEXT_SORT_KEY, 'DROP FUNCTION text_sort_key(text)'),
        migrations.RunSQL(FOLDED_GRAMS, FORMER_GRAMS),
        migrations.RunSQL(UNFOLDED_GRAMS, 'DROP FUNCTION search_grams_unfolded(text, text)'),
    ]
