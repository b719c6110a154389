"""What a PostgreSQL database holds besides its rows, as sorted lines of text that two databases can be compared by."""

from __future__ import annotations

from django.db.backends.base.base import BaseDatabaseWrapper

from core.tenancy import use_owner_role

QUERIES = {
    "table": """
        SELECT relname || ' rls=' || relrowsecurity || ' force=' || relforcerowsecurity
        FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'""",
    "column": """
        SELECT c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
            || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END
            || coalesce(' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid), '') || ' collate=' || coalesce(l.collname, '-')
            || ' identity=' || a.attidentity::text || ' generated=' || a.attgenerated::text
        FROM pg_attribute a
        JOIN pg_class c ON c.oid = a.attrelid
        LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
        LEFT JOIN pg_collation l ON l.oid = a.attcollation
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped""",
    "constraint": """
        SELECT conrelid::regclass::text || ' ' || conname || ' ' || pg_get_constraintdef(oid)
        FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype <> 'n'""",
    "index": "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'",
    "policy": """
        SELECT tablename || ' ' || policyname || ' ' || roles::text || ' ' || cmd || ' ' || coalesce(qual, '') || ' '
            || coalesce(with_check, '')
        FROM pg_policies WHERE schemaname = 'public'""",
    "function": """
        SELECT pg_get_functiondef(oid) FROM pg_proc
        WHERE pronamespace = 'public'::regnamespace AND prokind IN ('f', 'p')""",
    "trigger": "SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal",
    "statistics": "SELECT pg_get_statisticsobjdef(oid) FROM pg_statistic_ext",
    "grant": """
        SELECT c.relname || ' ' || r.rolname || ' ' || string_agg(a.privilege_type, ',' ORDER BY a.privilege_type)
        FROM pg_class c, aclexplode(c.relacl) a JOIN pg_roles r ON r.oid = a.grantee
        WHERE c.relnamespace = 'public'::regnamespace AND r.rolname LIKE 'leadwright\\_%'
        GROUP BY c.relname, r.rolname""",
    "view": "SELECT viewname || ' ' || definition FROM pg_views WHERE schemaname = 'public'",
    "sequence": "SELECT sequencename || ' ' || data_type::text FROM pg_sequences WHERE schemaname = 'public'",
}


def catalog(connection: BaseDatabaseWrapper) -> list[str]:
    """A line for each table, column, constraint, index, policy, function, trigger, statistics object and grant."""
    lines = []
    with use_owner_role(), connection.cursor() as cursor:
        for kind, query in QUERIES.items():
            cursor.execute(query)
            lines += [f"{kind} {' '.join(str(text).split())}" for (text,) in cursor.fetchall()]
    return sorted(lines)
