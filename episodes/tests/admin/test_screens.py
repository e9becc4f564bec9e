"""Every table of the admin opens for who may see it, is read only where it has evidence, and survives any filter or form."""

import csv
import re
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import Permission, User
from django.core.exceptions import ValidationError
from django.db import models, transaction
from django.db.models import Model
from django.test import Client, RequestFactory
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from episodes import curation as verbs
from episodes.admin import base
from episodes.admin.base import AddressField, LinesField, ShowFilter, request_value, safe_next_url
from episodes.admin.bulk_repair import REPAIRS
from episodes.models import Change, CodeMention, Credit, Decision, Episode, EpisodeTopic, Item, Person, Podcast

from ..tables import cases
from .conftest import at, episode, logged_in, said

OURS = sorted((m for m in admin.site._registry if m._meta.app_label == "episodes"), key=lambda m: m.__name__)
EDITED = ("CodeName", "Episode", "LearningPath", "Link", "Person", "Podcast", "Source", "Topic")
READ_ONLY = [m for m in OURS if m.__name__ not in EDITED]


@pytest.fixture
def root(catalog: None) -> Client:
    return logged_in(User.objects.create_superuser("curator", "", "secret"))


def screen(model: type[Model], name: str, *args: object) -> str:
    return reverse(f"admin:episodes_{model._meta.model_name}_{name}", args=args)


@pytest.mark.parametrize("model", READ_ONLY)
def test_evidence_and_catalog_are_read_only(root: Client, model: type[Model]) -> None:
    assert root.get(screen(model, "add")).status_code == 403
    found = model._default_manager.first()
    if found is not None:
        assert root.post(screen(model, "change", found.pk), {}).status_code == 403
        assert root.post(screen(model, "delete", found.pk), {"post": "yes"}).status_code == 403


def test_lists_are_grouped_and_query_no_row(
    root: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    groups = [app["name"] for app in root.get("/admin/").context["app_list"]]
    assert groups == ["Desk", "Advanced"]
    assert "Needs attention" not in said(root.get("/admin/episodes/")), "the tables of an app, without the inbox"
    with django_assert_max_num_queries(50):
        root.get(screen(Episode, "changelist"))
    verbs.override_fields(User.objects.get(), Episode.objects.get(number=34), {"title": "vmap, explained"})
    data = {"action": "end", "_selected_action": [row.pk for row in Decision.objects.all()]}
    root.post(screen(Decision, "changelist"), data)
    assert Decision.objects.get(kind="value").ended_at is None, "a list ends no decision"


CASES = cases("admin_screens")

# The list of jobs, which PostgreSQL has, is the library's own; no role but the superuser may see it.
SCREENS = sorted(
    (model for model in admin.site._registry if model._meta.app_label != "procrastinate"),
    key=lambda model: model._meta.label,
)
NONSENSE = (
    "pk__range=1", "pk__range=", "pk__in=" + "9" * 30, "pk__gt=x", "pk__year=x", "nothing=1", "pk__iexact=\0", "pk=\0",
    "q=vmap ' % \\\\",
)  # fmt: skip


@pytest.fixture
def client(talks: Podcast) -> Client:
    return logged_in(User.objects.create_superuser("root", "", "secret"))


def asked(client: Client, model: type[models.Model], query: str) -> Any:
    """The answer of a list; what a database made of a bad query is taken back, as it would be after a request."""
    address = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
    place = transaction.savepoint()
    answer = client.get(f"{address}?{query}")
    transaction.savepoint_rollback(place)
    return answer


@pytest.mark.on_both
@pytest.mark.parametrize("model", SCREENS, ids=lambda model: model.__name__)
def test_no_filter_breaks_a_list(client: Client, model: type[models.Model]) -> None:
    for query in NONSENSE:
        assert asked(client, model, query).status_code in (200, 302, 400), query
    for name in ("regex", "iregex"):
        assert asked(client, model, f"pk__{name}=(1%2B)%2B$").status_code == 400


@pytest.mark.parametrize("model, query", CASES["who_filters_by_nonsense_is_back_at_the_list_with_a_note"])
def test_meaningless_filter_returns_to_list_with_note(client: Client, model: str, query: str) -> None:
    answer = asked(client, next(m for m in SCREENS if m._meta.model_name == model), query)
    assert answer.status_code == 200 or (answer.status_code, answer["Location"][-4:]) == (302, "?e=1")


def test_no_list_offers_every_show_of_very_many(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(4):
        show = Podcast.objects.create(slug=f"show-{number}", title=f"Show {number}")
        Episode.objects.create(podcast=show, slug=f"e-{number}", title="One", order=1)
    monkeypatch.setattr(base, "MAX_FILTER_CHOICES", 3)
    for model in SCREENS:
        assert "podcast__id__exact=" not in asked(client, model, "").content.decode(), model


BROWSER = RequestFactory()


@pytest.mark.parametrize("query, found", CASES["episodes_are_found_by_date_and_topic"])
def test_episodes_are_found_by_date_and_topic(client: Client, query: str, found: int) -> None:
    assert client.get(f"/admin/episodes/episode/?{query}").context["cl"].result_count == found


def test_ticked_episodes_are_downloaded_with_notes(client: Client) -> None:
    rows = {"action": "download", "_selected_action": [str(episode(n).pk) for n in (1, 2)]}
    answer = client.post("/admin/episodes/episode/", rows)
    assert answer.headers["Content-Disposition"] == 'attachment; filename="episodes.csv"'
    lines = list(csv.DictReader(answer.content.decode("utf-8-sig").splitlines()))
    assert [line["title"] for line in lines] == ["All about mirrors 2", "All about ladders 1"]
    assert all("where they come from" in line["description_text"] for line in lines)  # no part is left out


@pytest.mark.parametrize("uses, column", [(EpisodeTopic, "topic"), (Credit, "person"), (CodeMention, "name")])
def test_offered_names_are_ordered(client: Client, uses: type[Model], column: str) -> None:
    # Django warns of an unordered list, and a warning is an error.
    assert client.get(f"{base.offers_url(uses, column)}&term=o").status_code == 200


def test_form_and_entry_have_valid_markup(client: Client) -> None:
    verbs.override_fields(User.objects.get(), episode(1), {"number": "12"})
    form = said(client.get(at(episode(1))))
    assert not re.search("<select[^>]*maxlength", form)
    assert re.search(r'datetime="\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"', form)
    changes = Change.objects.values_list("pk", flat=True)
    for page in (screen(Change, "change", *changes), screen(Person, "change", Person.objects.create(slug="a").pk)):
        assert '<th scope="col"></th>' not in said(client.get(page))
    entry = client.get(screen(Item, "change", episode(1).attachments.all()[0].item_id))
    assert '<p><code class="stored">{' in said(entry)
    new_form = client.get(screen(Episode, "add"))
    assert "Times are in seconds.<br>season | The first year<br>episode | Bonus 3<br>" in said(new_form)


def test_hints_of_repairs_fit_one_row() -> None:
    forms = [form for repairs in REPAIRS.values() for form in repairs.values()]
    assert not [form.hint for form in forms if re.search("^They leave|Their|^Each is", form.hint)]


def test_page_is_shorter_on_phone(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "ROWS_ON_PHONE", 2)
    phone = client.get("/admin/episodes/episode/", headers={"user-agent": "Safari/605 Mobile/15E148"})
    assert len(phone.context["cl"].result_list) == 2
    assert len(client.get("/admin/episodes/episode/").context["cl"].result_list) == 5


def test_request_value_is_cut() -> None:
    for sent, cut in ((" a\0b ", "ab"), ("x" * 2000, "x" * 2000), ("x" * 2001, "x" * 2000), (None, "")):
        values = {} if sent is None else {"q": sent}
        assert request_value(BROWSER.get("/", values), "q") == cut
        assert request_value(BROWSER.post("/?q=other", values), "q") == cut


@pytest.mark.parametrize("address, is_secure, way", CASES["the_way_back_leads_to_this_site_alone"])
def test_the_way_back_leads_to_this_site_alone(address: str, is_secure: bool, way: str) -> None:
    assert safe_next_url(BROWSER.get("/", {"next": address}, secure=is_secure)) == way


@pytest.mark.parametrize(
    "choices, chosen, is_shown",
    [(1, None, False), (2, None, True), (200, None, True), (201, None, False), (1, "7", True), (201, "7", True)],
)
def test_show_filter_offers_two_to_two_hundred(choices: int, chosen: str | None, is_shown: bool) -> None:
    shows: Any = ShowFilter.__new__(ShowFilter)
    shows.lookup_val, shows.lookup_choices = chosen, [(str(n), f"Show {n}") for n in range(choices)]
    assert shows.has_output() == is_shown


def test_fields_clean_addresses_and_lines() -> None:
    completed = {"": "", "  ": "", "example.org/p": "https://example.org/p", " http://a.example/ ": "http://a.example/"}
    for typed, address in completed.items():
        assert AddressField(required=False).clean(typed) == address
    assert LinesField().clean(" b \n\na\r\nb\n") == ["b", "a"]
    assert LinesField().prepare_value(["b", 1]) == "b\n1"
    assert LinesField().clean("x" * 60_000) == ["x" * 60_000]
    with pytest.raises(ValidationError, match="60000"):
        LinesField().clean("x" * 60_001)


def test_lists_name_the_show_where_there_are_several(client: Client) -> None:
    page = client.get("/admin/episodes/topic/add/")
    assert [str(address) for address, _ in page.context["crumbs"]] == ["/admin/episodes/topic/"]
    address, heading = "/admin/episodes/episode/", 'class="sortable column-podcast'
    assert heading not in client.get(address).content.decode()
    Podcast.objects.create(slug="loom", title="Loom")
    assert heading in client.get(address).content.decode()


def test_menu_without_right_to_view_list(db: None) -> None:
    user = User.objects.create_user("addonly", is_staff=True)
    user.user_permissions.add(Permission.objects.get(codename="add_user"))
    for address in ("/admin/", "/admin/auth/"):
        assert logged_in(user).get(address).status_code == 200


def test_an_account_is_deleted_by_superusers_alone(administrator: User, curator: User) -> None:
    content = logged_in(administrator).get("/admin/auth/").content.decode().partition('id="content"')[2]
    assert "/admin/auth/user/" in content
    assert "/admin/episodes/episode/" not in content
    address = f"/admin/auth/user/{curator.pk}/delete/"
    administrator.user_permissions.add(Permission.objects.get(codename="delete_user"))
    assert logged_in(administrator).get(address).status_code == 403
    root = User.objects.create_superuser("root")
    assert logged_in(root).get(address).status_code == 200
