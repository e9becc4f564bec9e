from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("episodes", "0021_topic_proposals")]

    operations = [
        migrations.CreateModel(
            name="ShowVersion",
            fields=[
                ("podcast", models.BigIntegerField(primary_key=True, serialize=False)),
                ("token", models.CharField(max_length=40)),
            ],
        ),
    ]
