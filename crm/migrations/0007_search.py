from django.db import migrations

# The grams that texts are searched by (docs/decisions/0009). A generated column is right whatever writes: requests, imports by COPY, repairs by hand.
SEPARATED = " || chr(1) || "
TABLES = {
    "crm_contact": ("company_id", ("name", "email", "country_code", "number", "contact_number")),
    "crm_lead": ("company_id", ("status", "source", "notes")),
    "crm_productservice": ("company_id", ("name", "sku", "category", "description")),
    "crm_customfieldvalue": ("field_id", ("text",)),
    "crm_leadvalue": ("field_id", ("text",)),
    "crm_productservicevalue": ("field_id", ("text",)),
}


def make(table: str) -> str:
    seed, columns = TABLES[table]
    content = columns[0] if len(columns) == 1 else SEPARATED.join(f"coalesce({column}, '')" for column in columns)
    present = " WHERE search IS NOT NULL" if len(columns) == 1 else ""
    return f"""
        ALTER TABLE {table} ADD COLUMN search integer[] GENERATED ALWAYS AS (search_grams({seed}, {content})) STORED;
        CREATE INDEX {table.removeprefix("crm_")}_search ON {table} USING gin (search){present};
    """


class Migration(migrations.Migration):
    dependencies = [
        ("core", "0004_search"),
        ("crm", "0006_sales_work"),
    ]

    operations = [
        *(migrations.RunSQL(make(table), f"ALTER TABLE {table} DROP COLUMN search") for table in TABLES),
    ]
