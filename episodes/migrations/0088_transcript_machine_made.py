from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("episodes", "0087_search_triggers_anew")]

    operations = [
        migrations.AddField(
            model_name="transcript",
            name="machine_made",
            field=models.BooleanField(
                null=True, help_text="A program wrote it down; empty where nothing says so."
            ),
        ),
    ]
