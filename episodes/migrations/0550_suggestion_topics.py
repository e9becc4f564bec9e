"""Suggestions of another word for a topic."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('episodes', '0540_saved_filters'),
    ]

    operations = [
        migrations.AlterField(
            model_name='suggestion',
            name='field',
            field=models.CharField(choices=[('title', 'Title'), ('number', 'Number'), ('season', 'Season'), ('published', 'Date'), ('duration_seconds', 'Length'), ('url', 'Web page'), ('audio_url', 'Audio'), ('host', 'Host'), ('guest', 'Guest'), ('topic', 'Missing topic'), ('wrong-topic', 'Wrong topic'), ('words', 'Words in the transcript'), ('notes', 'Notes'), ('links', 'Links'), ('other', 'Something else'), ('name', 'Name'), ('label', 'Link text'), ('replacement', 'Replacement address'), ('alias', 'Another word for it')], max_length=30, verbose_name='What is wrong?'),
        ),
        migrations.AlterField(
            model_name='suggestion',
            name='key',
            field=models.CharField(blank=True, help_text='Of a person, link or topic.', max_length=2100),
        ),
        migrations.AlterField(
            model_name='suggestion',
            name='kind',
            field=models.CharField(choices=[('episode', 'episode'), ('person', 'person'), ('link', 'link'), ('topic', 'topic')], max_length=10),
        ),
    ]
