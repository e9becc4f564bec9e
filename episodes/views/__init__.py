"""The pages."""

from .episode import episode
from .health import healthz
from .lists import episodes
from .topics import topic, topics

__all__ = ["episode", "episodes", "healthz", "topic", "topics"]
