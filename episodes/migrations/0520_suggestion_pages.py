"""The page of a suggestion, its curator's answer, and more fields to suggest."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('episodes', '0490_show_words'),
    ]

    operations = [
        migrations.AddField(
            model_name='suggestion',
            name='answer',
            field=models.CharField(blank=True, help_text='What the curator tells the reader.', max_length=500),
        ),
        migrations.AddField(
            model_name='suggestion',
            name='token',
            field=models.CharField(blank=True, help_text='Of the page that shows its reader the outcome.', max_length=43),
        ),
        migrations.AlterField(
            model_name='suggestion',
            name='contact',
            field=models.EmailField(blank=True, help_text='Optional. Only curators see it, and it is deleted once they decide.', max_length=254, verbose_name='Your email'),
        ),
        migrations.AlterField(
            model_name='suggestion',
            name='evidence',
            field=models.CharField(blank=True, help_text='A link or a short explanation.', max_length=500, verbose_name='How do you know?'),
        ),
        migrations.AlterField(
            model_name='suggestion',
            name='field',
            field=models.CharField(choices=[('title', 'Title'), ('number', 'Number'), ('season', 'Season'), ('published', 'Date'), ('duration_seconds', 'Length'), ('url', 'Web page'), ('audio_url', 'Audio'), ('host', 'Host'), ('guest', 'Guest'), ('topic', 'Missing topic'), ('wrong-topic', 'Wrong topic'), ('words', 'Words in the transcript'), ('notes', 'Notes'), ('links', 'Links'), ('other', 'Something else'), ('name', 'Name'), ('label', 'Link text'), ('replacement', 'Replacement address')], max_length=30, verbose_name='What is wrong?'),
        ),
        migrations.AlterField(
            model_name='suggestion',
            name='name',
            field=models.CharField(blank=True, help_text='Optional. Shown with the correction once it is accepted.', max_length=80, verbose_name='Your name'),
        ),
        migrations.AlterField(
            model_name='suggestion',
            name='wrong',
            field=models.CharField(blank=True, help_text='For transcript mistakes only: the words as they stand now.', max_length=500, verbose_name='Words in the transcript'),
        ),
        migrations.AddIndex(
            model_name='suggestion',
            index=models.Index(fields=['token'], name='suggestion_token'),
        ),
    ]
