"""All addresses: the admin's, and the app's own."""

from django.urls import URLResolver, include, path
from django.urls.resolvers import RoutePattern


class AdminResolver(URLResolver):
    """Leads to the admin, which is imported when somebody goes there: readers' pages take half as
    long to start without it."""

    def _populate(self) -> None:
        """Nothing: names are looked up here with the admin's namespace alone, by `url_patterns`."""


urlpatterns = [
    AdminResolver(
        RoutePattern("admin/"), "podcast_catalog.admin_urls", app_name="admin", namespace="admin"
    ),
    path("", include("episodes.urls")),
]

handler404 = "episodes.views.former_addresses.answer_not_found"
handler500 = "podcast_catalog.middleware.server_error"
