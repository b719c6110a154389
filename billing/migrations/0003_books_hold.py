"""Triggers that hold the books: what is posted balances and stays, what is issued stays as it was.

The owner of the schema alone (core.tenancy.as_owner, for migrations and commands of operators) is let through.
"""

from __future__ import annotations

from django.db import migrations

HOLD = """
CREATE FUNCTION billing_posting_balances() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE bad text;
BEGIN
    SELECT line.tx INTO bad FROM billing_posting AS line
        WHERE (line.company_id, line.tx) IN (SELECT company_id, tx FROM fresh)
        GROUP BY line.company_id, line.tx, line.currency HAVING sum(line.amount_minor) <> 0 LIMIT 1;
    IF bad IS NOT NULL THEN
        RAISE EXCEPTION 'the postings of % do not add up to zero', bad USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER billing_posting_balances AFTER INSERT ON billing_posting REFERENCING NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION billing_posting_balances();

CREATE FUNCTION billing_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('app.owner', true) = 'on' THEN
        RETURN coalesce(NEW, OLD);
    END IF;
    RAISE EXCEPTION '% is never changed', TG_TABLE_NAME USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER billing_posting_stays BEFORE UPDATE OR DELETE ON billing_posting
    FOR EACH ROW EXECUTE FUNCTION billing_stays();
CREATE TRIGGER billing_creditnote_stays BEFORE UPDATE OR DELETE ON billing_creditnote
    FOR EACH ROW EXECUTE FUNCTION billing_stays();

CREATE FUNCTION billing_invoice_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('app.owner', true) = 'on' THEN
        RETURN coalesce(NEW, OLD);
    END IF;
    IF TG_OP = 'DELETE' OR
        to_jsonb(OLD) - '{status,paid_at,updated_at}'::text[] <> to_jsonb(NEW) - '{status,paid_at,updated_at}'::text[]
    THEN
        RAISE EXCEPTION 'invoice % has been issued and stays as it is', OLD.number USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER billing_invoice_stays BEFORE UPDATE OR DELETE ON billing_invoice
    FOR EACH ROW WHEN (OLD.number IS NOT NULL) EXECUTE FUNCTION billing_invoice_stays();

CREATE FUNCTION billing_invoiceline_stays() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE line billing_invoiceline;
BEGIN
    line := CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
    IF current_setting('app.owner', true) = 'on' THEN
        RETURN line;
    END IF;
    IF EXISTS (SELECT FROM billing_invoice WHERE id = line.invoice_id AND number IS NOT NULL) THEN
        RAISE EXCEPTION 'a line of an issued invoice stays as it is' USING ERRCODE = 'check_violation';
    END IF;
    RETURN line;
END $$;
CREATE TRIGGER billing_invoiceline_stays BEFORE INSERT OR UPDATE OR DELETE ON billing_invoiceline
    FOR EACH ROW EXECUTE FUNCTION billing_invoiceline_stays();
"""
RELEASE = """
DROP FUNCTION billing_posting_balances, billing_stays, billing_invoice_stays, billing_invoiceline_stays CASCADE;
"""


class Migration(migrations.Migration):
    dependencies = [("billing", "0002_payments")]

    operations = [migrations.RunSQL(HOLD, RELEASE)]
