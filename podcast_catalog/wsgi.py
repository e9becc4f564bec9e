"""The WSGI entry point that the server imports."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "podcast_catalog.settings")

application = get_wsgi_application()
