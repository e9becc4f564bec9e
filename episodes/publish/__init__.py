"""A copy of the public site as static files, which any web server can serve (docs/sharing.md)."""

from .copying import Published, publish
from .folder import FolderRefused

__all__ = ["FolderRefused", "Published", "publish"]
