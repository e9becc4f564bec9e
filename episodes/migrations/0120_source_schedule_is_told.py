from django.db import migrations, models


def keep(apps, schema_editor):
    """Sources of whose failures people were told have a mark so far."""
    Mark = apps.get_model("episodes", "ScheduleMark")
    marks = Mark.objects.filter(key__startswith="source ")
    told = [int(key.removeprefix("source ")) for key in marks.values_list("key", flat=True)]
    Schedule = apps.get_model("episodes", "SourceSchedule")
    for source in told:
        Schedule.objects.filter(source=source).update(is_told=True)
    marks.delete()


class Migration(migrations.Migration):
    dependencies = [("episodes", "0110_keys_of_entries")]

    operations = [
        migrations.AddField(
            model_name="sourceschedule",
            name="is_told",
            field=models.BooleanField(default=False, help_text="People were told that it fails."),
        ),
        migrations.RunPython(keep, migrations.RunPython.noop),
    ]
