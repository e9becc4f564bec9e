"""The admin itself: its start page says what needs a look, and its menu is the curators' tasks."""

from __future__ import annotations

from typing import Any, cast

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.views.decorators.http import require_safe

# The curators' tasks: the name in the menu, and the lists that stand beside each other as tabs.
TASKS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Inbox", ("Dismissed",)),
    ("Episodes", ("Episode", "WithdrawnEpisode")),
    ("Topics", ("Topic",)),
    ("Paths", ("LearningPath",)),
    ("People and links", ("Person", "Link", "CodeName")),
    ("Shows and sources", ("Podcast", "Source", "IngestRun")),
    ("History", ("Change",)),
    ("Accounts", ("User", "Group")),
)
NAMES = {
    "WithdrawnEpisode": "Taken out",
    "Change": "History",
    "LearningPath": "Learning paths",
    "Podcast": "Shows",
    "IngestRun": "Imports",
    "Group": "Roles",
    "Dismissed": "Dismissed",
}
SEARCHED = (
    "Episode", "Topic", "LearningPath", "Person", "Link", "CodeName", "Podcast", "Source", "User",
)  # fmt: skip
MOST_FOUND = 8  # rows of a list
STARTS = {"Dismissed": "admin:episodes_dismissed_inbox"}  # of tasks that begin with no list


def _group(title: str, models: list[dict[str, Any]]) -> dict[str, Any]:
    """Entries under a title, as Django lists the tables of an application."""
    return {
        "name": title,
        "app_label": title.lower(),
        "app_url": reverse("admin:index"),
        "has_module_perms": True,
        "models": models,
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
        from episodes.resolve import waiting

        may = {
            "waiting": waiting() if request.user.is_authenticated else [],
            "may_curate": request.user.has_perm(CURATE),
            "may_configure": request.user.has_perm(CONFIGURE),
        }
        return {**super().each_context(request), **may}

    def index(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> TemplateResponse:
        from episodes.admin.inbox import start_page

        if not self.get_app_list(request):
            context = {**self.each_context(request), "title": "No role yet"}
            return TemplateResponse(request, "admin/no_role.html", context)
        return super().index(request, {**start_page(), **(extra_context or {})})

    def login(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
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

        return [
            path("two-factor/", self.admin_view(two_factor), name="two_factor"),
            path("find/", self.admin_view(require_safe(self.find)), name="find"),
            *super().get_urls(),
        ]

    def find(self, request: HttpRequest) -> TemplateResponse:
        """What is searched for in all lists of the desk."""
        words = request.GET.get("q", "").replace("\0", "").strip()[:200]
        lists = {own.opts.object_name: own for own in self._registry.values()}
        seen = [lists[name] for name in SEARCHED if lists[name].has_view_permission(request)]
        found = [(own, self._rows(own, request, words)) for own in seen] if words else []
        context = {"title": "Search", "words": words, "found": [one for one in found if one[1]]}
        return TemplateResponse(
            request, "admin/curation/find.html", {**self.each_context(request), **context}
        )

    def _rows(self, own: Any, request: HttpRequest, words: str) -> list[tuple[str, str]]:
        """The first rows of a list that have the words: address and name of each."""
        rows, several = own.get_search_results(request, own.get_queryset(request), words)
        start = f"admin:{own.opts.app_label}_{own.opts.model_name}_change"
        return [
            (reverse(start, args=(row.pk,)), str(row))
            for row in (rows.distinct() if several else rows)[:MOST_FOUND]
        ]

    def password_change(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> TemplateResponse:
        from episodes.curation import account_changed

        response = super().password_change(request, extra_context)
        if request.method == "POST" and response.status_code == 302:
            account_changed(
                request.user, "change account", request.user, [["password", "", "changed"]]
            )
        return response

    def get_app_list(
        self, request: HttpRequest, app_label: str | None = None
    ) -> list[dict[str, Any]]:
        """The tasks of curators, and the program's other tables as advanced."""
        apps: list[dict[str, Any]] = super().get_app_list(request, app_label)
        if app_label:
            return apps
        there = {model["object_name"]: model for app in apps for model in app["models"]}
        tasks = []
        for title, names in TASKS:
            lists = [there.pop(name) for name in names if name in there]
            for model in lists[:1]:
                start = STARTS.get(model["object_name"], "")
                address = reverse(start) if start else model["admin_url"]
                tasks.append({**model, "name": title, "admin_url": address})
        groups = (_group("Desk", tasks), _group("Advanced", list(there.values())))
        return [group for group in groups if group["models"]]

    def tabs(self, request: HttpRequest, name: str) -> list[tuple[str, str]]:
        """The lists beside that of a model, as (address, name); none where it stands alone."""
        names = next((names for _, names in TASKS if name in names), ())
        there = {own.opts.object_name: own for own in self._registry.values()}
        lists = [
            (
                reverse(f"admin:{own.opts.app_label}_{own.opts.model_name}_changelist"),
                cast(Any, own).list_name,
            )
            for own in (there[name] for name in names)
            if own.has_view_permission(request)
        ]
        return lists if len(lists) > 1 else []
