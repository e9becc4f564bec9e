"""The name of the whole site, and the shows it is about."""

from dataclasses import dataclass

from django.conf import settings
from django.db import connection

from .models import Podcast

SEVERAL = "Podcast catalog"
MOST_SHOWS = 50
# The kinds of pages of which there are any. In one statement: a query for each takes longer.
FILLED = """
    SELECT 'topics' WHERE EXISTS (SELECT 0 FROM episodes_episodetopic
        JOIN episodes_episode e ON e.id = episode_id WHERE e.listed)
    UNION ALL SELECT 'paths' WHERE EXISTS (SELECT 0 FROM episodes_learningpath p
        LEFT JOIN episodes_podcast s ON s.id = p.podcast_id
        WHERE p.published AND coalesce(s.status, '') <> 'removed')
    UNION ALL SELECT 'links' WHERE EXISTS (SELECT 0 FROM episodes_link WHERE episode_count > 0)
    UNION ALL SELECT 'people' WHERE EXISTS (SELECT 0 FROM episodes_person WHERE episode_count > 0)
    UNION ALL SELECT 'names' WHERE EXISTS (SELECT 0 FROM episodes_codename WHERE episode_count > 0)
    """


@dataclass(frozen=True)
class Site:
    """The shows of the site, the first of them where there are very many, and the kinds of pages
    that are not empty (`topics`, `paths`, `links`, `people`, `names`); in a template its title."""

    shows: tuple[Podcast, ...]
    filled: frozenset[str] = frozenset()

    def __str__(self) -> str:
        return settings.SITE_NAME or getattr(self.show, "title", SEVERAL)

    @property
    def show(self) -> Podcast | None:
        """The one show, where there is only one."""
        return self.shows[0] if len(self.shows) == 1 else None

    @property
    def sentence(self) -> str:
        """The description of the site: the operator's, else that of its only show; "" for none."""
        return settings.SITE_DESCRIPTION or getattr(self.show, "description", "")

    @property
    def accent(self) -> str:
        """The colour of links and marks; "" for our own."""
        return str(settings.ACCENT)

    @property
    def takes_suggestions(self) -> bool:
        """True where readers can suggest corrections."""
        return bool(settings.SUGGESTIONS)

    @property
    def several(self) -> bool:
        """True where there are several shows, so that pages name the show."""
        return len(self.shows) > 1

    def show_at(self, slug: str) -> Podcast | None:
        """The show that a list is of: the chosen one, else the only one."""
        if not slug:
            return self.show
        listed = next((show for show in self.shows if show.slug == slug), None)
        return listed or Podcast.objects.listed().filter(slug=slug).first()


def site() -> Site:
    """The site as it is now."""
    with connection.cursor() as cursor:
        cursor.execute(FILLED)
        filled = frozenset(kind for (kind,) in cursor.fetchall())
    shows = sorted(Podcast.objects.listed()[:MOST_SHOWS], key=lambda show: show.title.casefold())
    return Site(tuple(shows), filled)
