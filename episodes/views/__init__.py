"""The pages."""

from .changes import changes, changes_rss
from .episode import episode
from .health import healthz
from .links import link, links
from .lists import episodes
from .names import name, names
from .people import people, person
from .sources import sources
from .topics import topic, topics

__all__ = [
    "changes",
    "changes_rss",
    "episode",
    "episodes",
    "healthz",
    "link",
    "links",
    "name",
    "names",
    "people",
    "person",
    "sources",
    "topic",
    "topics",
]
