from django.db import migrations

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


def make(name: str) -> str:
    table, event, tables, touched = TRIGGERS[name]
    return f"""
        CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {FIRST.format(touched=touched)} RETURN NULL; END $$;
        CREATE TRIGGER {name} AFTER {event} ON {table} REFERENCING {tables} FOR EACH STATEMENT EXECUTE FUNCTION {name}();
    """


class Migration(migrations.Migration):
    dependencies = [
        ("crm", "0004_leads_and_products"),
    ]

    operations = [
        *(
            migrations.RunSQL(make(name), f"DROP TRIGGER {name} ON {TRIGGERS[name][0]}; DROP FUNCTION {name}();")
            for name in TRIGGERS
        ),
    ]
