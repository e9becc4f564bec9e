from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("episodes", "0185_evidence_of_people")]

    operations = [
        migrations.AddField(
            model_name="linkcheck",
            name="title",
            field=models.TextField(blank=True, help_text="The title that the page gave itself."),
        ),
        migrations.AddField(
            model_name="linkcheck", name="titled_at", field=models.DateTimeField(blank=True, null=True)
        ),
    ]
