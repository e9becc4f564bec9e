"""The admin site: its menu has the tasks of curators, and its start page the rows that need them."""

from typing import Any, ClassVar

from django.conf import settings
from django.contrib import admin
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from episodes.curation import CONFIGURE, CURATE, record_account_change
from episodes.models import CatalogState
from episodes.resolve import failed_show_ids, resolve_longest_waiting_show, waiting_states

from .accounts import (
    LoginForm,
    has_two_factor,
    lacks_two_factor,
    requires_two_factor,
    two_factor_page,
)
from .throttling import record_login_attempt_and_trust_browser

# The curators' tasks: the name in the menu, and the lists, which are tabs.
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


def menu_group(title: str, models: list[dict[str, Any]]) -> dict[str, Any]:
    # In the shape of Django's applications.
    return {
        "name": title,
        "app_label": title.lower(),
        "app_url": reverse("admin:index"),
        "has_module_perms": True,
        "models": models,
    }


def move_lists_into_tasks(lists_by_model: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the menu entries of TASKS, and remove their lists, so that the lists of no task are left."""
    tasks = []
    for title, model_names in TASKS:
        # Lists that the user may not see are missing.
        lists = [lists_by_model.pop(name) for name in model_names if name in lists_by_model]
        if lists:
            tasks.append(menu_task(title, lists))
    return tasks


def menu_task(title: str, lists: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the menu entry of a task. It links to its first list, and is current on the pages of each list."""
    first_list = lists[0]
    is_current = any(entry["is_current"] for entry in lists)
    return {**first_list, "name": title, "is_current": is_current}


def resolve_one_and_list_waiting_shows() -> list[CatalogState]:
    """Return the shows that wait to be resolved. Resolve one first if nothing in the background does it."""
    shows = waiting_states()
    if shows and resolve_longest_waiting_show():
        return waiting_states()
    return shows


class CuratorsSite(admin.AdminSite):
    """The admin site with the curators' menu and start page. A two-factor login is asked for if it is on or
    required, and changed passwords are in the history."""

    site_header = "Podcast catalog"
    site_title = "Podcast catalog"
    index_title = "Needs attention"
    empty_value_display = "–"
    login_form = LoginForm
    # Names of lists in the menu and on their pages, if not the plural of the model.
    names: ClassVar[dict[str, str]] = {
        "WithdrawnEpisode": "Taken out",
        "Change": "History",
        "Decision": "Decisions",
        "LearningPath": "Learning paths",
        "Podcast": "Shows",
        "IngestRun": "Imports",
        "Group": "Roles",
        "User": "Accounts",
    }

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        """Add the shows that wait, and the permissions: no page shows a button that would be refused."""
        shows = resolve_one_and_list_waiting_shows() if request.user.is_authenticated else []
        context = {
            "waiting": shows,
            "late": [state for state in shows if state.is_late],
            "may_curate": request.user.has_perm(CURATE),
            "may_configure": request.user.has_perm(CONFIGURE),
            "sends_mail": bool(settings.EMAIL_URL),
        }
        return {**super().each_context(request), **context}

    def index(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> TemplateResponse:
        from episodes.admin.inbox import start_page_context

        if not self.get_app_list(request):
            context = {**self.each_context(request), "title": "No role yet"}
            return TemplateResponse(request, "admin/no_role.html", context)
        context = {
            **start_page_context(request),
            "unresolved": failed_show_ids(timezone.now()),
            **(extra_context or {}),
        }
        return super().index(request, context)

    def login(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        # Nobody without a required two-factor login may see a page. Here they can set it up.
        if request.user.is_authenticated and lacks_two_factor(request.user):
            return HttpResponseRedirect(reverse("admin:two_factor"))
        response = super().login(request, extra_context)
        if request.method == "POST":
            record_login_attempt_and_trust_browser(request, response)
        return response

    def has_permission(self, request: HttpRequest) -> bool:
        """Return whether the request may see the page: staff, with two-factor login if it is on or required."""
        user: Any = request.user
        if not super().has_permission(request):
            return False
        if has_two_factor(user):
            return bool(user.is_verified())  # a code was entered in this session
        if not requires_two_factor(user):
            return True
        # An account that has to turn it on sees only these pages until then.
        view_names = ("two_factor", "password_change", "password_change_done", "logout")
        open_pages = [reverse(f"admin:{name}") for name in view_names]
        return request.path in open_pages

    def get_urls(self) -> list[Any]:
        from episodes.admin.inbox import InboxView, ReviewView

        # Dismissals are decisions, so the inbox is open to people who may see decisions.
        decisions = self.lists["Decision"]
        inbox = self.admin_view(InboxView.as_view(model_admin=decisions))
        review = self.admin_view(ReviewView.as_view(model_admin=decisions))
        return [
            path("inbox/", inbox, name="inbox"),
            path("inbox/<slug:kind>/", review, name="inbox_review"),
            path("two-factor/", self.admin_view(two_factor_page), name="two_factor"),
            path("working/", self.admin_view(require_safe(self.working)), name="working"),
            path("find/", self.admin_view(require_safe(self.find)), name="find"),
            *super().get_urls(),
        ]

    def working(self, request: HttpRequest) -> JsonResponse:
        return JsonResponse({"working": bool(resolve_one_and_list_waiting_shows())})

    @property
    def lists(self) -> dict[str, Any]:
        admins = self._registry.values()
        return {str(model_admin.opts.object_name): model_admin for model_admin in admins}

    def find(self, request: HttpRequest) -> TemplateResponse:
        query = request.GET.get("q", "").replace("\0", "").strip()[:200]
        results = self.find_first_rows_by_list(request, query) if query else []
        context = {
            **self.each_context(request),
            "title": "Search",
            "words": query,
            "found": results,
        }
        return TemplateResponse(request, "admin/curation/find.html", context)

    def find_first_rows_by_list(
        self, request: HttpRequest, query: str
    ) -> list[tuple[Any, list[Any]]]:
        """Return pairs of a list and its first eight rows that match a query. Leave out lists without matches.

        A list is a model in the admin (`ModelAdmin`).
        """
        # In the order of the page.
        searched_models = (
            "Episode",
            "Topic",
            "LearningPath",
            "Person",
            "Link",
            "CodeName",
            "Podcast",
            "Source",
            "User",
        )
        results = []
        for model_name in searched_models:
            model_admin = self.lists[model_name]
            if not model_admin.has_view_permission(request):
                continue
            queryset = model_admin.get_queryset(request)
            rows, _ = model_admin.get_search_results(request, queryset, query)
            # A search in related tables can give a row several times.
            first_rows = list(rows.distinct()[:8])
            if first_rows:
                results.append((model_admin, first_rows))
        return results

    def password_change(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> TemplateResponse:
        response = super().password_change(request, extra_context)
        # A wrong password shows the form again, with status 200.
        is_changed = request.method == "POST" and response.status_code == 302
        if is_changed:
            lines = [["password", "", "changed"]]
            record_account_change(request.user, "change account", request.user, lines)
        return response

    def get_app_list(
        self, request: HttpRequest, app_label: str | None = None
    ) -> list[dict[str, Any]]:
        """Return the menu: the tasks of curators ("Desk"), and all other tables ("Advanced").

        With `app_label`, return Django's list of that app.
        """
        apps: list[dict[str, Any]] = super().get_app_list(request, app_label)
        # Django's entries of the menu: name and address of each list that the user may see.
        lists_by_model = {}
        for app in apps:
            for model in app["models"]:
                # None for a list whose rows the user may not view.
                url = model["admin_url"]
                model["is_current"] = url is not None and request.path.startswith(url)
                lists_by_model[model["object_name"]] = model
        if app_label:
            return apps
        # People who may see decisions may see the inbox, which has no table of its own.
        if "Decision" in lists_by_model:
            inbox_url = reverse("admin:inbox")
            lists_by_model["Inbox"] = {
                **lists_by_model["Decision"],
                "admin_url": inbox_url,
                "is_current": request.path.startswith(inbox_url),
            }
        tasks = move_lists_into_tasks(lists_by_model)
        # Only the lists of no task are left.
        other_lists = list(lists_by_model.values())
        groups = [menu_group("Desk", tasks), menu_group("Advanced", other_lists)]
        return [group for group in groups if group["models"]]

    def addresses_and_names_of_tabs(
        self, request: HttpRequest, model_name: str
    ) -> list[tuple[str, str]]:
        # On "Source": "/admin/episodes/podcast/" and "Shows", then the other lists of the task.
        tabs = []
        for _, model_names in TASKS:
            if model_name not in model_names:
                continue
            for name in model_names:
                model_admin = self.lists[name]
                if model_admin.has_view_permission(request):
                    opts = model_admin.opts
                    address = reverse(f"admin:{opts.app_label}_{opts.model_name}_changelist")
                    tabs.append((address, model_admin.list_name))
        return tabs
