"""The pages."""

from .changes import changes, changes_rss
from .episode import episode
from .health import healthz
from .lists import episodes
from .sources import sources
from .topics import topic, topics

__all__ = ["changes", "changes_rss", "episode", "episodes", "healthz", "sources", "topic", "topics"]
