"""Statement triggers in place of row triggers where many lines are inserted, caps on overage, debts that are given up."""

from __future__ import annotations

from django.db import migrations, models

import core.fields

# Each looks rows up by index, one for each that was inserted: by a plan that was made while the tables were small they
# were read whole for each line. LATERAL with LIMIT keeps the order of the join, whatever the statistics say.
HOLD = """
CREATE OR REPLACE FUNCTION billing_posting_balances() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE bad text;
BEGIN
    SELECT one.tx INTO bad FROM (SELECT DISTINCT company_id, tx FROM fresh) AS one, LATERAL (
        SELECT FROM billing_posting AS line WHERE line.company_id = one.company_id AND line.tx = one.tx
        GROUP BY line.currency HAVING sum(line.amount_minor) <> 0 LIMIT 1
    ) AS found LIMIT 1;
    IF bad IS NOT NULL THEN
        RAISE EXCEPTION 'the postings of % do not add up to zero', bad USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
END $$;

DROP TRIGGER billing_invoiceline_stays ON billing_invoiceline;
CREATE TRIGGER billing_invoiceline_stays BEFORE UPDATE OR DELETE ON billing_invoiceline
    FOR EACH ROW EXECUTE FUNCTION billing_invoiceline_stays();
CREATE FUNCTION billing_invoiceline_added() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
    IF current_setting('app.owner', true) = 'on' THEN
        RETURN NULL;
    END IF;
    IF EXISTS (
        SELECT FROM (SELECT DISTINCT invoice_id FROM fresh) AS one, LATERAL (
            SELECT FROM billing_invoice WHERE id = one.invoice_id AND number IS NOT NULL LIMIT 1
        ) AS issued
    ) THEN
        RAISE EXCEPTION 'a line of an issued invoice stays as it is' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER billing_invoiceline_added AFTER INSERT ON billing_invoiceline REFERENCING NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION billing_invoiceline_added();
"""
RELEASE = """
DROP FUNCTION billing_invoiceline_added CASCADE;
DROP TRIGGER billing_invoiceline_stays ON billing_invoiceline;
CREATE TRIGGER billing_invoiceline_stays BEFORE INSERT OR UPDATE OR DELETE ON billing_invoiceline
    FOR EACH ROW EXECUTE FUNCTION billing_invoiceline_stays();
ALTER FUNCTION billing_posting_balances() RESET enable_seqscan;
"""


class Migration(migrations.Migration):
    dependencies = [("billing", "0007_tax")]

    operations = [
        migrations.RunSQL(HOLD, RELEASE),
        migrations.AddField(
            model_name="subscription",
            name="overage",
            field=core.fields.JSONField(
                blank=True,
                db_default={},
                default=dict,
                help_text="Meter -> how many units a month it may have beyond those included; absent: any number.",
            ),
        ),
        migrations.AddField(
            model_name="charge",
            name="given_up_at",
            field=models.DateTimeField(
                editable=False, help_text="When it was given up: its subscription had ended for long.", null=True
            ),
        ),
        migrations.RemoveIndex(model_name="charge", name="charge_pending"),
        migrations.AddIndex(
            model_name="charge",
            index=models.Index(
                condition=models.Q(("given_up_at__isnull", True), ("invoice__isnull", True)),
                fields=["subscription"],
                name="charge_pending",
            ),
        ),
    ]
