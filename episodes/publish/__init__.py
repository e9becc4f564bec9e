"""A copy of the public site as static files, which any web server can serve (docs/sharing.md)."""

from .addresses import HOME
from .copying import Published, publish
from .folder import FolderRefused

__all__ = ["HOME", "FolderRefused", "Published", "publish"]
