import json

from core.ids import new_id
from django.db import migrations

BATCH = 5000

# Writers of leads set the stage together with the status. This is for those that know the status alone.
KEEP_STAGE = """
CREATE OR REPLACE FUNCTION lead_stage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND EXISTS (SELECT FROM crm_stage WHERE id = NEW.stage_id AND status IS NULL) THEN
        RETURN NEW;  -- of another pipeline, whose stages have no status
    END IF;
    SELECT p.id, s.id INTO NEW.pipeline_id, NEW.stage_id
    FROM crm_pipeline p LEFT JOIN crm_stage s ON s.pipeline_id = p.id AND s.status = NEW.status
    WHERE p.company_id = NEW.company_id AND p.is_default;
    RETURN NEW;
END
$$;
CREATE OR REPLACE TRIGGER lead_stage_given BEFORE INSERT ON crm_lead
    FOR EACH ROW WHEN (NEW.stage_id IS NULL) EXECUTE FUNCTION lead_stage();
CREATE OR REPLACE TRIGGER lead_stage_moved BEFORE UPDATE ON crm_lead FOR EACH ROW
    WHEN (
        NEW.stage_id IS NULL
        OR NEW.status IS DISTINCT FROM OLD.status AND NEW.stage_id IS NOT DISTINCT FROM OLD.stage_id
    )
    EXECUTE FUNCTION lead_stage();
"""
DROP_STAGE = """
DROP TRIGGER lead_stage_given ON crm_lead;
DROP TRIGGER lead_stage_moved ON crm_lead;
DROP FUNCTION lead_stage();
"""
# The history of stages, whoever moves a lead: requests, imports, merges and their undoing.
KEEP_HISTORY = """
CREATE OR REPLACE FUNCTION lead_stage_history() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO crm_stagechange (company_id, lead_id, changed_at, entered_at, from_stage_id, to_stage_id, member_id)
    VALUES (
        NEW.company_id, NEW.id, clock_timestamp(),
        coalesce((SELECT max(c.changed_at) FROM crm_stagechange c WHERE c.lead_id = NEW.id), NEW.created_at),
        OLD.stage_id, NEW.stage_id, NEW.updated_by_id
    )
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;
CREATE OR REPLACE TRIGGER lead_stage_history AFTER UPDATE ON crm_lead FOR EACH ROW
    WHEN (OLD.stage_id <> NEW.stage_id) EXECUTE FUNCTION lead_stage_history();
"""
DROP_HISTORY = """
DROP TRIGGER lead_stage_history ON crm_lead;
DROP FUNCTION lead_stage_history();
"""
STATUSES = """
SELECT company_id, options::text FROM crm_customfield
WHERE panel = 'lead' AND is_system AND unique_field_id = 'status' AND deleted_at IS NULL
    AND NOT EXISTS (SELECT FROM crm_pipeline p WHERE p.company_id = crm_customfield.company_id AND p.is_default)
ORDER BY company_id LIMIT 500
"""
ADD_PIPELINE = """
INSERT INTO crm_pipeline (id, created_at, updated_at, company_id, name, is_default)
VALUES (%s, now(), now(), %s, 'Sales', true)
"""
ADD_STAGE = """
INSERT INTO crm_stage (id, created_at, updated_at, company_id, pipeline_id, name, position, kind, probability, status)
VALUES (%s, now(), now(), %s, %s, %s, %s, %s, %s, %s)
"""
PLACE = """
UPDATE crm_lead l SET pipeline_id = p.id,
    stage_id = (SELECT s.id FROM crm_stage s WHERE s.pipeline_id = p.id AND s.status = l.status)
FROM crm_pipeline p
WHERE p.company_id = l.company_id AND p.is_default AND l.pipeline_id IS NULL AND l.id > %s AND (%s IS NULL OR l.id <= %s)
"""


def kind_of(option):
    if option["value"] == "won":
        return "won"
    described = (option.get("description") or "").strip().lower()
    return "lost" if option["value"] == "lost" or described.startswith("closed") else "open"


def add_default_pipelines(apps, schema_editor):
    """Make the statuses of each company its default pipeline."""
    while True:
        with schema_editor.connection.cursor() as cursor:
            cursor.execute(STATUSES)
            companies = cursor.fetchall()
            if not companies:
                return
            for company, text in companies:
                options = json.loads(text) or []
                pipeline = new_id()
                cursor.execute(ADD_PIPELINE, [pipeline, company])
                number = sum(kind_of(option) == "open" for option in options)
                passed = 0
                for position, option in enumerate(options):
                    kind = kind_of(option)
                    passed += kind == "open"
                    probability = {"won": 100, "lost": 0}.get(kind, round(100 * passed / (number + 1)))
                    name = (option.get("label") or option["value"])[:200]
                    values = [new_id(), company, pipeline, name, position, kind, probability, option["value"]]
                    cursor.execute(ADD_STAGE, values)


def place_leads(apps, schema_editor):
    """Put the leads into the stages of their statuses, by batches that commit on their own."""
    place = ""
    while place is not None:
        with schema_editor.connection.cursor() as cursor:
            cursor.execute("SELECT id FROM crm_lead WHERE id > %s ORDER BY id OFFSET %s LIMIT 1", [place, BATCH - 1])
            row = cursor.fetchone()
            end = row[0] if row else None
            cursor.execute(PLACE, [place, end, end])
        place = end


class Migration(migrations.Migration):
    # Batches commit on their own, so that writers of leads wait for one batch at most.
    atomic = False

    dependencies = [
        ("crm", "0026_index_stages_of_leads"),
    ]

    operations = [
        migrations.RunSQL(KEEP_STAGE, DROP_STAGE),
        migrations.RunSQL(KEEP_HISTORY, DROP_HISTORY),
        migrations.RunPython(add_default_pipelines, migrations.RunPython.noop),
        migrations.RunPython(place_leads, migrations.RunPython.noop),
    ]
