"""The admin's addresses; importing them imports the admin."""

from django.contrib import admin

from . import passwords

admin.autodiscover()
urlpatterns = [*passwords.urlpatterns, *admin.site.urls[0]]
