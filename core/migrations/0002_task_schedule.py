"""The model Chore becomes TaskSchedule; its table stays core_chore, and staff keep their permissions."""

from django.db import migrations


def rename_permissions(apps, old, new, noun):
    permissions = apps.get_model('auth', 'Permission').objects.filter(content_type__app_label='core')
    for action in ('add', 'change', 'delete', 'view'):
        permissions.filter(codename=f'{action}_{old}').update(codename=f'{action}_{new}', name=f'Can {action} {noun}')


def forwards(apps, schema_editor):
    rename_permissions(apps, 'chore', 'taskschedule', 'periodic task')


def backwards(apps, schema_editor):
    rename_permissions(apps, 'taskschedule', 'chore', 'chore')


class Migration(migrations.Migration):

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
        ('contenttypes', '0002_remove_content_type_name'),
        ('core', '0001_squashed_0004_search'),
    ]

    operations = [
        migrations.AlterModelTable(name='chore', table='core_chore'),
        migrations.RenameModel(old_name='Chore', new_name='TaskSchedule'),
        migrations.AlterModelOptions(name='taskschedule', options={'verbose_name': 'periodic task'}),
        migrations.RunPython(forwards, backwards),
    ]
