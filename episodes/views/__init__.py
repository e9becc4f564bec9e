"""The pages."""

from .about import about
from .changes import changes, changes_rss
from .episode import episode, numbered
from .health import healthz
from .links import link, links
from .lists import episodes
from .machines import (
    chapters,
    favicon,
    manifest,
    robots_txt,
    shows_opml,
    sitemap_file,
    sitemap_xml,
    theme_css,
    transcript,
)
from .media import media
from .names import name, names
from .outputs import episodes_as, person_as, topic_as
from .people import people, person
from .search import suggest
from .shows import show, shows
from .sources import sources
from .time_budget import time_budget
from .timeline import timeline
from .topics import topic, topics

__all__ = [
    "about",
    "changes",
    "changes_rss",
    "chapters",
    "episode",
    "episodes",
    "episodes_as",
    "favicon",
    "healthz",
    "link",
    "links",
    "manifest",
    "media",
    "name",
    "names",
    "numbered",
    "people",
    "person",
    "person_as",
    "robots_txt",
    "show",
    "shows",
    "shows_opml",
    "sitemap_file",
    "sitemap_xml",
    "sources",
    "suggest",
    "theme_css",
    "time_budget",
    "timeline",
    "topic",
    "topic_as",
    "topics",
    "transcript",
]
