"""A copy of the public site as static files, which any web server can serve (docs/sharing.md)."""

from .copy_addresses import HOME
from .copy_folder import FolderRefused
from .site_copy import Published, publish

__all__ = ["HOME", "FolderRefused", "Published", "publish"]
