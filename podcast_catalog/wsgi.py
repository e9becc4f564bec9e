"""The WSGI entry point that the server imports."""

import os

from django.core.wsgi import get_wsgi_application

import podcast_catalog

from .faults import told_in_one_line

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "podcast_catalog.settings")
podcast_catalog.serves_pages = True

with told_in_one_line():
    application = get_wsgi_application()
