from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("episodes", "0026_content")]

    operations = [
        migrations.CreateModel(
            name="ShowVersion",
            fields=[
                ("podcast", models.BigIntegerField(primary_key=True, serialize=False)),
                ("token", models.CharField(max_length=40)),
            ],
        ),
    ]
