"""Give stored events the kinds that they have now, so that those still to be delivered reach their consumers."""

from django.db import migrations

from core.tenancy import unscoped

KINDS = {
    'call.logged': 'calllog.created',
    'call.changed': 'calllog.updated',
    'call.deleted': 'calllog.deleted',
    'contactCategory.deleted': 'contact-category.deleted',
    'follow_up.created': 'follow-up.created',
    'follow_up.changed': 'follow-up.updated',
    'follow_up.done': 'follow-up.completed',
    'meeting.scheduled': 'meeting.created',
    'meeting.changed': 'meeting.updated',
    'member.role_changed': 'member.updated',
    'productService.created': 'product-service.created',
    'productService.updated': 'product-service.updated',
    'productService.deleted': 'product-service.deleted',
    'productService.restored': 'product-service.restored',
}


def rename(schema_editor, names):
    with unscoped(reason='migration: the kinds of all companies\' events'), schema_editor.connection.cursor() as cursor:
        cursor.execute("SELECT has_table_privilege('core_event', 'UPDATE')")
        if not cursor.fetchone()[0]:
            return  # a new database, without events or grants yet
        cursor.execute(
            'UPDATE core_event e SET kind = new.kind FROM unnest(%s::text[], %s::text[]) AS new (old, kind)'
            ' WHERE e.kind = new.old',
            [list(names), list(names.values())],
        )


def forwards(apps, schema_editor):
    rename(schema_editor, KINDS)


def backwards(apps, schema_editor):
    rename(schema_editor, {new: old for old, new in KINDS.items()})


class Migration(migrations.Migration):

    dependencies = [('core', '0003_message_defaults')]

    operations = [migrations.RunPython(forwards, backwards)]
