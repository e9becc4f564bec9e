"""The WSGI entry point that the server imports."""

import gc
import os

from django.core.wsgi import get_wsgi_application

import podcast_catalog

from .errors import exit_with_one_line_errors

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "podcast_catalog.settings")
podcast_catalog.serves_pages = True

with exit_with_one_line_errors():
    application = get_wsgi_application()

# A page makes thousands of objects that no cycle holds: with Python's own thresholds a feed spends
# two fifths of its time in looking for cycles, each time also through what was loaded at the start.
# Without that the time no longer shows; looked for too rarely they fill the memory.
gc.collect()
gc.freeze()
gc.set_threshold(5_000, 5, 5)
