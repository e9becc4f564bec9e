from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('episodes', '0061_no_import_claims'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='episode',
            name='episode_order_unique_in_podcast',
        ),
        migrations.RemoveIndex(
            model_name='link',
            name='link_in_index',
        ),
        migrations.RemoveField(
            model_name='link',
            name='heading_size',
        ),
        migrations.RemoveField(
            model_name='person',
            name='base',
        ),
        migrations.RemoveField(
            model_name='reference',
            name='forward',
        ),
        migrations.AddField(
            model_name='episodelink',
            name='said',
            field=models.JSONField(blank=True, default=dict, help_text='The kind, title and replacement of the link by the show.'),
        ),
        migrations.AddIndex(
            model_name='episode',
            index=models.Index(fields=['podcast', 'order'], name='episode_order'),
        ),
        migrations.AddIndex(
            model_name='link',
            index=models.Index(fields=['kind_order', 'kind', 'heading', 'directory', '-episode_count', 'sort_key'], name='link_in_index'),
        ),
    ]
