"""Name the column of a copy of a feed that keeps a fingerprint as all others are named; the database
keeps its name. Count the failures of files, and keep the notices that are to be sent again."""

from django.db import migrations, models

READING = "Of a feed: of all that its entries were read by."


def failures(of):
    return models.PositiveSmallIntegerField(default=0, db_default=0, help_text=of)


class Migration(migrations.Migration):
    dependencies = [("episodes", "0450_declared_topics")]

    operations = [
        migrations.AlterField(
            "capture",
            "read_by",
            models.CharField(blank=True, db_column="read_by", help_text=READING, max_length=32),
        ),
        migrations.RenameField("capture", "read_by", "fingerprint"),
        migrations.AddField(
            "document", "failures", failures("Failed requests in a row for a transcript or chapters.")
        ),
        migrations.AddField("image", "failures", failures("Failed requests in a row.")),
        migrations.CreateModel(
            "UnsentNotice",
            [
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("channel", models.CharField(max_length=10)),
                ("notice", models.JSONField()),
                ("failures", models.PositiveSmallIntegerField(default=1)),
                ("not_before", models.DateTimeField()),
            ],
            {"ordering": ("not_before", "pk")},
        ),
    ]
