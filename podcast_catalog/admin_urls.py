"""The admin's addresses; importing them imports the admin."""

from django.contrib import admin

admin.autodiscover()
urlpatterns = admin.site.urls[0]
