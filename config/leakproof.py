"""Functions that must be LEAKPROOF for searches under row-level security to use an index.

PostgreSQL evaluates a row-level security policy before any condition whose function might leak a hidden row's value,
for example in an error text. Such a condition can't be an index condition: a search in a company of 500,000 rows took
seconds instead of 5 ms. Only people who send their own SQL could misuse these functions, and tenants can't, so marking
them is safe here. It needs a superuser.
"""

from __future__ import annotations

import psycopg
from psycopg import sql

LEAKPROOF_FUNCTIONS = (
    # LIKE, ILIKE and their negations; regular expressions
    "textlike(text,text)",
    "textnlike(text,text)",
    "texticlike(text,text)",
    "texticnlike(text,text)",
    "bpcharlike(character,text)",
    "bpcharnlike(character,text)",
    "textregexeq(text,text)",
    "texticregexeq(text,text)",
    # functions that fold, trim, cut or measure a searched text
    "upper(text)",
    "lower(text)",
    "btrim(text)",
    "length(text)",
    "left(text,integer)",
    "substr(text,integer)",
    "substr(text,integer,integer)",
    "substring(text,integer,integer)",
    "strpos(text,text)",
    "starts_with(text,text)",
    "textcat(text,text)",
    "split_part(text,text,integer)",
    "octet_length(text)",
    "replace(text,text,text)",
    "translate(text,text,text)",
    "regexp_replace(text,text,text,text)",
    "normalize(text,text)",
    # jsonb: containment, existence, access, comparison
    "jsonb_contains(jsonb,jsonb)",
    "jsonb_contained(jsonb,jsonb)",
    "jsonb_exists(jsonb,text)",
    "jsonb_exists_any(jsonb,text[])",
    "jsonb_exists_all(jsonb,text[])",
    "jsonb_object_field(jsonb,text)",
    "jsonb_object_field_text(jsonb,text)",
    "jsonb_array_element(jsonb,integer)",
    "jsonb_array_element_text(jsonb,integer)",
    "jsonb_extract_path(jsonb,text[])",
    "jsonb_extract_path_text(jsonb,text[])",
    "jsonb_array_length(jsonb)",
    "jsonb_typeof(jsonb)",
    "jsonb_path_exists_opr(jsonb,jsonpath)",
    "jsonb_path_match_opr(jsonb,jsonpath)",
    "jsonb_eq(jsonb,jsonb)",
    "jsonb_ne(jsonb,jsonb)",
    "jsonb_lt(jsonb,jsonb)",
    "jsonb_le(jsonb,jsonb)",
    "jsonb_gt(jsonb,jsonb)",
    "jsonb_ge(jsonb,jsonb)",
    # arrays
    "arraycontains(anyarray,anyarray)",
    "arraycontained(anyarray,anyarray)",
    "arrayoverlap(anyarray,anyarray)",
    "array_eq(anyarray,anyarray)",
    "array_ne(anyarray,anyarray)",
    "array_length(anyarray,integer)",
    "cardinality(anyarray)",
    # full-text search
    "ts_match_vq(tsvector,tsquery)",
    "ts_match_qv(tsquery,tsvector)",
    # numbers
    "numeric_eq(numeric,numeric)",
    "numeric_ne(numeric,numeric)",
    "numeric_lt(numeric,numeric)",
    "numeric_le(numeric,numeric)",
    "numeric_gt(numeric,numeric)",
    "numeric_ge(numeric,numeric)",
    # times compared with dates, and in a member's time zone
    "timestamptz_lt_date(timestamp with time zone,date)",
    "timestamptz_le_date(timestamp with time zone,date)",
    "timestamptz_eq_date(timestamp with time zone,date)",
    "timestamptz_ge_date(timestamp with time zone,date)",
    "timestamptz_gt_date(timestamp with time zone,date)",
    "timezone(text,timestamp with time zone)",
    "date(timestamp without time zone)",
    "date_trunc(text,timestamp with time zone)",
)


def not_leakproof(connection: psycopg.Connection) -> list[str]:
    """Return the signatures of the list that are not LEAKPROOF in this database."""
    rows = connection.execute(
        "SELECT oid::regprocedure::text FROM pg_proc"
        " WHERE NOT proleakproof AND oid = ANY(%s::text[]::regprocedure[]) ORDER BY 1",
        [list(LEAKPROOF_FUNCTIONS)],
    )
    return [signature for (signature,) in rows]


def mark_leakproof(connection: psycopg.Connection) -> None:
    """Mark the functions of the list that aren't marked yet. Needs a superuser."""
    with connection.transaction():
        for signature in not_leakproof(connection):
            # The text comes from the catalogue, quoted for statements.
            connection.execute(sql.SQL("ALTER FUNCTION {} LEAKPROOF").format(sql.SQL(signature)))
