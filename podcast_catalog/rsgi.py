"""The RSGI entry point that the server imports."""

from .wsgi import application as django_application

# isort: split
# Django is set up now, and what needs it can be imported.
from .gateway import Gateway

application = Gateway(django_application)
