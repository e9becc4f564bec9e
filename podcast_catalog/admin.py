"""The admin itself: its start page says what needs a look, and its menu is the curators' tasks."""

from operator import itemgetter
from typing import Any

from django.conf import settings
from django.contrib import admin
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from episodes.curation import CONFIGURE, CURATE, record_account_change
from episodes.models import CatalogState
from episodes.resolve import resolve_forgotten, unresolved, waiting

from .accounts import (
    LoginForm,
    has_two_factor,
    lacks_two_factor,
    requires_two_factor,
    two_factor_page,
)
from .throttling import record_login_result

# The curators' tasks: the name in the menu, and the lists that stand beside each other as tabs.
TASKS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Inbox", ("Inbox",)),
    ("Episodes", ("Episode", "WithdrawnEpisode")),
    ("Topics", ("Topic",)),
    ("Paths", ("LearningPath",)),
    ("People and links", ("Person", "Link", "CodeName")),
    ("Shows and sources", ("Podcast", "Source", "IngestRun")),
    ("History", ("Change", "Decision")),
    ("Accounts", ("User", "Group")),
)
NAMES = {
    "WithdrawnEpisode": "Taken out",
    "Change": "History",
    "Decision": "Decisions",
    "LearningPath": "Learning paths",
    "Podcast": "Shows",
    "IngestRun": "Imports",
    "Group": "Roles",
}
SEARCHED = (
    "Episode", "Topic", "LearningPath", "Person", "Link", "CodeName", "Podcast", "Source", "User",
)  # fmt: skip
MOST_FOUND = 8  # rows of a list


def _group(title: str, models: list[dict[str, Any]]) -> dict[str, Any]:
    """Entries under a title, as Django lists the tables of an application."""
    return {
        "name": title,
        "app_label": title.lower(),
        "app_url": reverse("admin:index"),
        "has_module_perms": True,
        "models": models,
    }


def _task(title: str, lists: list[dict[str, Any]], path: str) -> dict[str, Any]:
    """The entry of a task: it leads to the first of its lists, and is marked on the pages of all."""
    is_current = any(one["admin_url"] in path for one in lists)
    return {**lists[0], "name": title, "is_current": is_current}


def waiting_shows() -> list[CatalogState]:
    """Return the shows that wait to be resolved, after resolving one that nothing else resolves."""
    shows = waiting()
    if shows and resolve_forgotten():
        return waiting()
    return shows


class CuratorsSite(admin.AdminSite):
    """The admin's frame with the curators' start page."""

    site_header = "Podcast catalog"
    site_title = "Podcast catalog"
    index_title = "Needs attention"
    empty_value_display = "–"
    names = NAMES  # of lists, in the menu and on their pages

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        """With what the person may change: no page shows a button that would be refused."""
        shows = waiting_shows() if request.user.is_authenticated else []
        may = {
            "waiting": shows,
            "late": [state for state in shows if state.is_late],
            "may_curate": request.user.has_perm(CURATE),
            "may_configure": request.user.has_perm(CONFIGURE),
            "sends_mail": bool(settings.EMAIL_URL),
        }
        return {**super().each_context(request), **may}

    def index(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> TemplateResponse:
        from episodes.admin.inbox import start_page_context

        if not self.get_app_list(request):
            context = {**self.each_context(request), "title": "No role yet"}
            return TemplateResponse(request, "admin/no_role.html", context)
        context = {**start_page_context(request), "unresolved": unresolved(timezone.now())}
        return super().index(request, context)

    def login(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        if request.user.is_authenticated and lacks_two_factor(request.user):
            return HttpResponseRedirect(reverse("admin:two_factor"))
        self.login_form = LoginForm
        response = super().login(request, extra_context)
        if request.method == "POST":
            record_login_result(request, response)
        return response

    def has_permission(self, request: HttpRequest) -> bool:
        user: Any = request.user
        if not super().has_permission(request):
            return False
        if has_two_factor(user):
            return bool(user.is_verified())
        # Where it has to be turned on first, there is its own page, another password, and the way out.
        names = ("two_factor", "password_change", "password_change_done", "logout")
        open_to_all = {reverse(f"admin:{name}") for name in names}
        return request.path in open_to_all or not requires_two_factor(user)

    def get_urls(self) -> list[Any]:
        from episodes.admin.inbox import InboxView, ReviewView

        # What is dismissed there are decisions, so who may see those may see it.
        inbox, review = (
            self.admin_view(view.as_view(model_admin=self.lists["Decision"]))
            for view in (InboxView, ReviewView)
        )
        return [
            path("inbox/", inbox, name="inbox"),
            path("inbox/<slug:kind>/", review, name="inbox_review"),
            path("two-factor/", self.admin_view(two_factor_page), name="two_factor"),
            path("find/", self.admin_view(require_safe(self.find)), name="find"),
            *super().get_urls(),
        ]

    @property
    def lists(self) -> dict[str, Any]:
        """The lists by the names of their models."""
        return {str(own.opts.object_name): own for own in self._registry.values()}

    def find(self, request: HttpRequest) -> TemplateResponse:
        """The page that searches all lists of the desk: the first rows of each."""
        words, found = request.GET.get("q", "").replace("\0", "").strip()[:200], []
        for name in SEARCHED:
            own = self.lists[name]
            if words and own.has_view_permission(request):
                rows, _ = own.get_search_results(request, own.get_queryset(request), words)
                first = list(rows.distinct()[:MOST_FOUND])
                found += [(own, first)] if first else []
        context = {"title": "Search", "words": words, "found": found}
        return TemplateResponse(
            request, "admin/curation/find.html", {**self.each_context(request), **context}
        )

    def password_change(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> TemplateResponse:
        response = super().password_change(request, extra_context)
        if request.method == "POST" and response.status_code == 302:
            record_account_change(
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
        if "Decision" in there:
            there["Inbox"] = {**there["Decision"], "admin_url": reverse("admin:inbox")}
        tasks = []
        for title, names in TASKS:
            if lists := [there.pop(name) for name in names if name in there]:
                tasks.append(_task(title, lists, request.path))
        groups = (_group("Desk", tasks), _group("Advanced", list(there.values())))
        return list(filter(itemgetter("models"), groups))

    def tabs(self, request: HttpRequest, name: str) -> list[tuple[str, str]]:
        """The lists of the task that a model's belongs to, as (address, name)."""
        return [
            (
                reverse(f"admin:{own.opts.app_label}_{own.opts.model_name}_changelist"),
                own.list_name,
            )
            for _, names in TASKS
            if name in names
            for own in map(self.lists.__getitem__, names)
            if own.has_view_permission(request)
        ]
