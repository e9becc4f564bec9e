"""Keywords of feeds declare topics, and topics are no longer proposed."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("episodes", "0420_declared_people")]

    operations = [
        migrations.AddField(
            model_name="topic",
            name="declared",
            field=models.BooleanField(
                default=False, editable=False, help_text="Made of keywords of a feed, and not edited since."
            ),
        ),
        migrations.DeleteModel(name="TopicProposal"),
    ]
