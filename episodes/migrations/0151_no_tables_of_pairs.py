"""The tables of which 0150 made columns."""

from django.db import migrations, models

CHOICES = [
    ("episode", "Episode"),
    ("github-issue", "Issue"),
    ("github-pr", "Pull request"),
    ("github-commit", "Commit"),
    ("github-code", "Source file"),
    ("github-repo", "Repository"),
    ("docs", "Documentation"),
    ("paper", "Paper"),
    ("blog", "Blog post"),
    ("forum", "Forum thread"),
    ("wiki", "Wiki page"),
    ("gdoc", "Google document"),
    ("video", "Video"),
    ("other", "Other link"),
]


class Migration(migrations.Migration):
    dependencies = [("episodes", "0150_what_episodes_are_to_each_other")]

    operations = [
        migrations.DeleteModel("Related"),
        migrations.DeleteModel("Repeat"),
        migrations.DeleteModel("SourceCount"),
        migrations.AlterField(
            "link",
            "kind",
            models.CharField(
                choices=CHOICES,
                max_length=20,
            ),
        ),
    ]
