"""The ASGI entry point that the server imports."""

import os

from django.core.asgi import get_asgi_application

import podcast_catalog

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "podcast_catalog.settings")
podcast_catalog.serves_pages = True

application = get_asgi_application()
