"""Two episodes with one number are no longer proposed as one published twice."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("episodes", "0050_what_is_counted_of_lists")]

    operations = [
        migrations.RunSQL(
            "DELETE FROM episodes_repeat WHERE kind = 'number'", migrations.RunSQL.noop
        ),
        migrations.AlterField(
            "repeat",
            "kind",
            models.CharField(
                choices=[
                    ("replaces", "replaces the other"),
                    ("repeats", "is a rebroadcast of the other"),
                ],
                max_length=10,
            ),
        ),
    ]
