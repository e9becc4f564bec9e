"""The admin's addresses. To import them imports the admin."""

from django.contrib import admin

from . import accounts

admin.autodiscover()
urlpatterns = [*accounts.urlpatterns, *admin.site.urls[0]]
