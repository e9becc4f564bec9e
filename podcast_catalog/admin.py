"""The admin itself: its start page says what needs a look, and its tables stand in groups by what they are for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import path, reverse

GROUPS = (
    (
        "Catalog",
        (
            "Episode",
            "WithdrawnEpisode",
            "Held",
            "Repeat",
            "Topic",
            "TopicProposal",
            "FormerTopic",
            "LearningPath",
            "Link",
            "Person",
            "CodeName",
            "FormerAddress",
            "FormerPerson",
        ),
    ),
    (
        "Decisions",
        (
            "Change",
            "Override",
            "Judgement",
            "Removal",
            "Addition",
            "Correction",
            "Withdrawal",
            "TopicRefusal",
            "InboxNote",
        ),
    ),
    ("Shows and people", ("Podcast", "Source", "User", "Group")),
    ("Evidence", ("IngestRun", "Document", "Capture", "Item", "Revision")),
)

NAMES = {
    "Held": "Needs review",
    "WithdrawnEpisode": "Taken out",
    "Repeat": "Published twice",
    "Change": "History",
    "LearningPath": "Learning paths",
    "Podcast": "Shows",
    "IngestRun": "Imports",
    "Group": "Roles",
}


def _group(title: str, address: str, names: Iterable[str], there: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """Tables under a title, as Django lists those of an application."""
    return {
        "name": title,
        "app_label": title.lower().replace(" ", "-"),
        "app_url": address,
        "has_module_perms": True,
        "models": [there[name] for name in names if name in there],
    }


class CuratorsSite(admin.AdminSite):
    """The admin's frame with the curators' start page."""

    site_header = "Podcast catalog"
    site_title = "Podcast catalog"
    index_title = "Needs attention"
    empty_value_display = "–"
    names = NAMES  # of lists, in the menu and on their pages

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        """With what the person may change: no page shows a button that would be refused."""
        from episodes.curation import CONFIGURE, CURATE
        from episodes.models import PendingUpdate

        waiting = PendingUpdate.objects.select_related("podcast") if request.user.is_authenticated else []
        may = {
            "waiting": waiting,
            "may_curate": request.user.has_perm(CURATE),
            "may_configure": request.user.has_perm(CONFIGURE),
        }
        return {**super().each_context(request), **may}

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        from episodes.admin import home

        if not self.get_app_list(request):
            context = {**self.each_context(request), "title": "No role yet"}
            return TemplateResponse(request, "admin/no_role.html", context)
        return super().index(request, {**home.context(request), **(extra_context or {})})

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        from .logins import remember
        from .two_factor import LoginForm

        self.login_form = LoginForm
        response = super().login(request, extra_context)
        if request.method == "POST":
            remember(request, response)
        return response

    def has_permission(self, request: HttpRequest) -> bool:
        from .two_factor import is_on

        user: Any = request.user
        return super().has_permission(request) and (not is_on(user) or user.is_verified())

    def get_urls(self) -> list[Any]:
        from .two_factor import two_factor

        return [path("two-factor/", self.admin_view(two_factor), name="two_factor"), *super().get_urls()]

    def password_change(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        from episodes.curation import account_changed

        response = super().password_change(request, extra_context)
        if request.method == "POST" and response.status_code == 302:
            account_changed(request.user, "change account", request.user, [["password", "", "changed"]])
        return response

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[dict[str, Any]]:
        """The tables in our groups; what no group names stands last under its own application."""
        apps: list[dict[str, Any]] = super().get_app_list(request, app_label)
        if app_label:
            return apps
        there = {model["object_name"]: model for app in apps for model in app["models"]}
        for name in NAMES.keys() & there.keys():
            there[name]["name"] = NAMES[name]
        named = {name for _, names in GROUPS for name in names}
        home = reverse("admin:index", current_app=self.name)
        grouped = [_group(title, home, names, there) for title, names in GROUPS]
        rest = [{**app, "models": [m for m in app["models"] if m["object_name"] not in named]} for app in apps]
        return [app for app in (*grouped, *rest) if app["models"]]
