"""A copy of the public site as static files, which any web server can serve (docs/sharing.md)."""

from .copy_addresses import HOME_ADDRESS
from .copy_folder import FolderRefused
from .site_copy import Published, publish_site

__all__ = ["HOME_ADDRESS", "FolderRefused", "Published", "publish_site"]
