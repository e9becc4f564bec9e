"""Links of no other kind are called web pages; no column changes."""

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
    ("other", "Web page"),
]


class Migration(migrations.Migration):
    dependencies = [("episodes", "0280_suggestions")]

    operations = [
        migrations.AlterField("link", "kind", models.CharField(choices=CHOICES, max_length=20)),
    ]
