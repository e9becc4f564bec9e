"""Images that feeds name are kept small and served by the catalog."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("episodes", "0017_repeats"),
    ]

    operations = [
        migrations.CreateModel(
            name="Image",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("address", models.CharField(max_length=1000, unique=True)),
                (
                    "name",
                    models.CharField(blank=True, db_index=True, help_text='The name of its files: a hash of the address and one of the bytes.', max_length=50),
                ),
                ("width", models.PositiveIntegerField(default=0, help_text='The width of the large file.')),
                ("height", models.PositiveIntegerField(default=0)),
                ("etag", models.CharField(blank=True, max_length=500)),
                ("last_modified", models.CharField(blank=True, max_length=500)),
                ("asked_at", models.DateTimeField(blank=True, help_text='The last request.', null=True)),
                (
                    "not_before",
                    models.DateTimeField(blank=True, help_text='Not fetched again before this time.', null=True),
                ),
                ("trouble", models.TextField(blank=True, help_text='Why that request failed.')),
            ],
            options={
                "ordering": ("address",),
            },
        ),
    ]
