"""The ASGI entry point that the server imports."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "podcast_catalog.settings")

application = get_asgi_application()
