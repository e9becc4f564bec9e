"""All addresses: the admin's, and the app's own."""

from django.urls import URLResolver, include, path
from django.urls.resolvers import RoutePattern


class AdminResolver(URLResolver):
    """Leads to the admin, which is imported with its first request: pages for readers start twice as fast
    without it."""

    def _populate(self) -> None:
        """Do nothing: names are looked up by `url_patterns`, in the admin's namespace."""


urlpatterns = [
    AdminResolver(
        RoutePattern("admin/"), "podcast_catalog.admin_urls", app_name="admin", namespace="admin"
    ),
    path("", include("episodes.urls")),
]

handler404 = "episodes.views.former_addresses.answer_not_found"
handler500 = "podcast_catalog.middleware.unavailable_or_server_error_response"
