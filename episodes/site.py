"""The name of the whole site, and the shows it is about."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.conf import settings
from django.db import connection

from .models import Podcast

MAX_SITE_SHOWS = 50


@dataclass(frozen=True)
class Site:
    """The shows of the site, at most MAX_SITE_SHOWS, and the kinds of pages that are not empty.

    In a template it is the title of the site.
    """

    shows: tuple[Podcast, ...]
    filled: frozenset[str] = frozenset()  # some of `topics`, `paths`, `links`, `people`, `names`

    def __str__(self) -> str:
        return settings.SITE_NAME or getattr(self.show, "title", "Podcast catalog")

    @property
    def show(self) -> Podcast | None:
        return self.shows[0] if len(self.shows) == 1 else None

    @property
    def names_its_show(self) -> bool:
        return self.show is not None and str(self) == self.show.title

    @property
    def sentence(self) -> str:
        """Return the operator's description of the site, else that of its only show, else ""."""
        return settings.SITE_DESCRIPTION or getattr(self.show, "description", "")

    @property
    def accent(self) -> str:
        """Return the colour of links and marks; "" for our own."""
        return str(settings.ACCENT)

    @property
    def takes_suggestions(self) -> bool:
        return bool(settings.SUGGESTIONS)

    @property
    def several(self) -> bool:
        return len(self.shows) > 1

    @property
    def has_all_shows(self) -> bool:
        """Return True if `shows` are all listed shows."""
        return len(self.shows) < MAX_SITE_SHOWS

    def load_all_shows(self) -> Iterable[Podcast]:
        """Return all listed shows with their languages."""
        return self.shows if self.has_all_shows else Podcast.objects.listed().only("language")

    def show_query(self, show: Podcast) -> str:
        """Return `&podcast=…` for the address of a list of a show; "" on the site of a single show."""
        return f"&podcast={show.slug}" if self.several else ""

    @property
    def sections(self) -> list[tuple[str, str]]:
        """Return the views and names of the main menu."""
        names = {
            "shows": "Shows",
            "episodes": "Episodes",
            "topics": "Topics",
            "paths": "Paths",
            "links": "Links",
            "timeline": "Timeline",
        }
        return self._without_empty_pages(names)

    @property
    def further_sections(self) -> list[tuple[str, str]]:
        """Return the views and names of the menu below each page."""
        return self._without_empty_pages({"shows": "Shows", "people": "People", "names": "Symbols"})

    def _without_empty_pages(self, names_by_view: dict[str, str]) -> list[tuple[str, str]]:
        filled_views = {"episodes", "timeline", *self.filled}
        if self.several:
            filled_views.add("shows")
        return [(view, name) for view, name in names_by_view.items() if view in filled_views]

    def find_show_with_slug_or_only_show(self, slug: str) -> Podcast | None:
        """Return the show with a slug, or the only show for "". Return None without such a show."""
        if not slug:
            return self.show
        for show in self.shows:
            if show.slug == slug:
                return show
        # A site may have more shows than are loaded.
        return Podcast.objects.listed().filter(slug=slug).first()


def absolute_address_or_path(path: str) -> str:
    """Return the address of a path of the site, for messages: at the first host of ALLOWED_HOSTS that others
    can reach. Without one, return the path."""
    scheme = "https" if settings.HTTPS else "http"
    for host in settings.ALLOWED_HOSTS:
        if host not in ("*", "localhost", "127.0.0.1", "[::1]"):
            # A host with a dot in front allows its subdomains, too.
            return f"{scheme}://{host.removeprefix('.')}{path}"
    return path


def load_shows_and_sections() -> Site:
    """Load the shows of the site by title, and find the kinds of pages that are not empty."""
    # In one statement, because a query for each kind takes longer. A path need not belong to a show.
    filled_kinds = """
        SELECT 'topics' WHERE EXISTS (SELECT 0 FROM episodes_episodetopic
            JOIN episodes_episode e ON e.id = episode_id WHERE e.listed)
        UNION ALL SELECT 'paths' WHERE EXISTS (SELECT 0 FROM episodes_learningpath p
            LEFT JOIN episodes_podcast s ON s.id = p.podcast_id
            WHERE p.published AND coalesce(s.status, '') <> 'removed')
        UNION ALL SELECT 'links' WHERE EXISTS
            (SELECT 0 FROM episodes_link WHERE episode_count > 0)
        UNION ALL SELECT 'people' WHERE EXISTS
            (SELECT 0 FROM episodes_person WHERE episode_count > 0)
        UNION ALL SELECT 'names' WHERE EXISTS
            (SELECT 0 FROM episodes_codename WHERE episode_count > 0)
        """
    with connection.cursor() as cursor:
        cursor.execute(filled_kinds)
        filled = frozenset(kind for (kind,) in cursor.fetchall())
    # By rank, which is the order of shows: of more shows the first ones.
    listed_shows = Podcast.objects.listed()[:MAX_SITE_SHOWS]
    shows = sorted(listed_shows, key=lambda show: show.title.casefold())
    return Site(tuple(shows), filled)
