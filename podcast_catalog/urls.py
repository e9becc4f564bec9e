"""All addresses: the admin's, and the app's own."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("admin/", admin.site.urls),
    path("", include("episodes.urls")),
]

handler404 = "episodes.views.errors.not_found"
handler500 = "podcast_catalog.middleware.server_error"
