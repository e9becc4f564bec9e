"""People in the history: logins, failed ones, changes of roles; and where somebody is logged in."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.conf import settings
from django.contrib.auth.models import Group, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from episodes.curation import LOGIN_VERBS, UndoConflict, delete_old_logins, undo_change
from episodes.models import CatalogVersion, Change

from .conftest import logged_in, said

HOME = "203.0.113.7"
pytestmark = pytest.mark.django_db


def login(name: str, password: str = "secret", address: str = HOME) -> None:
    data = {"username": name, "password": password, "next": "/admin/"}
    Client(REMOTE_ADDR=address).post("/admin/login/", data)


def history() -> list[tuple[str, str, Any]]:
    return [(change.verb, change.subject, change.told) for change in Change.objects.order_by("id")]


@pytest.mark.on_both
def test_logins_and_failed_ones_are_in_the_history(curator: User) -> None:
    with CaptureQueriesContext(connection) as asked:
        login("carla", "wrong")
    looked = [sql["sql"] for sql in asked if sql["sql"].startswith("SELECT") and "failed login" in sql["sql"]]
    assert looked
    # Concurrent failures are counted one after another.
    assert all(sql.endswith("FOR UPDATE") for sql in looked) == connection.features.has_select_for_update
    login("carla", "wrong")
    login("carla")
    login("carla", "wrong", "198.51.100.9")
    assert history() == [
        ("failed login", "carla", [["from", "", HOME], ["times", "", "2"]]),
        ("log in", "carla", [["from", "", HOME]]),
        ("failed login", "carla", [["from", "", "198.51.100.9"], ["times", "", "1"]]),
    ]
    assert Change.objects.get(verb="log in").made_by == curator


def test_guessing_makes_one_row_an_hour(curator: User) -> None:
    version = CatalogVersion.latest()[0]
    with time_machine.travel("2026-03-01T12:00:00Z", tick=False) as now:
        for _ in range(30):
            login("carla", "wrong")
        now.move_to("2026-03-01T13:01:00Z")
        login("carla", "wrong")
    tries = settings.AXES_FAILURE_LIMIT
    assert [told[1][2] for _, _, told in history()] == [str(tries), "1"]
    assert CatalogVersion.latest()[0] == version


def test_only_administrators_see_logins(administrator: User, curator: User) -> None:
    login("carla", "wrong")
    page = reverse("admin:episodes_change_changelist")
    one = reverse("admin:episodes_change_change", args=(Change.objects.get().pk,))
    assert HOME in said(logged_in(administrator).get(page))
    assert logged_in(administrator).get(one).status_code == 200
    assert HOME not in said(logged_in(curator).get(page))
    assert logged_in(curator).get(one).status_code == 404
    assert "Undo…" not in said(logged_in(administrator).get(page))
    assert "failed login" not in said(logged_in(administrator).get("/admin/"))
    with pytest.raises(UndoConflict, match="has no undo"):
        undo_change(administrator, Change.objects.get())


def test_logins_are_forgotten_after_three_months(curator: User) -> None:
    login("carla")
    Change.objects.create(verb="change account", subject="carla", about="account:1")
    at = datetime.now(UTC)
    assert delete_old_logins(at + timedelta(days=89)) == 0
    assert delete_old_logins(at + timedelta(days=91)) == 1
    assert [verb for verb, *_ in history()] == ["change account"]
    assert LOGIN_VERBS == ("log in", "failed login", "send password link")


def form(account: User, **changed: Any) -> dict[str, Any]:
    groups = [group.pk for group in account.groups.all()]
    return {"username": account.username, "is_active": "on", "groups": groups, **changed}


def test_role_filter_has_the_listed_roles(administrator: User, curator: User) -> None:
    User.objects.create_user("nobody")
    User.objects.create_superuser("root")
    names = {"administrator": "ada", "curator": "carla", "viewer": "", "superuser": "root", "none": "nobody"}
    client = logged_in(administrator)
    for role, name in names.items():
        accounts = client.get(reverse("admin:auth_user_changelist"), {"role": role}).context["cl"].result_list
        assert ", ".join(account.username for account in accounts) == name


def test_role_change_is_in_the_history(administrator: User, curator: User) -> None:
    address = reverse("admin:auth_user_change", args=(curator.pk,))
    viewer = Group.objects.get(name="viewer").pk
    answer = logged_in(administrator).post(address, form(curator, groups=[viewer]))
    assert answer.status_code == 302
    assert history() == [("change account", "carla", [["roles", "curator", "viewer"]])]
    assert Change.objects.get().made_by == administrator
    assert "curator" in said(logged_in(administrator).get(reverse("admin:episodes_change_changelist")))
    logged_in(administrator).post(address, form(User.objects.get(pk=curator.pk)))
    assert Change.objects.count() == 1  # nothing was changed


def test_account_changes_are_recorded_without_password(administrator: User) -> None:
    client = logged_in(User.objects.create_superuser("root", password="secret"))
    new = {"usable_password": "true", "password1": "a-long-one-7", "password2": "a-long-one-7"}
    role = Group.objects.get(name="curator").pk
    client.post(reverse("admin:auth_user_add"), {"username": "zoe", "is_staff": "on", "groups": [role], **new})
    zoe = User.objects.get(username="zoe")
    again = {**new, "password1": "another-one-8", "password2": "another-one-8"}
    client.post(reverse("admin:auth_user_password_change", args=(zoe.pk,)), again)
    own = {"old_password": "another-one-8", "new_password1": "my-own-one-9", "new_password2": "my-own-one-9"}
    assert logged_in(User.objects.get(pk=zoe.pk)).post("/admin/password_change/", own).status_code == 302
    verbs = [(verb, subject) for verb, subject, _ in history()]
    assert verbs == [("add account", "zoe"), ("change account", "zoe"), ("change account", "zoe")]
    added, *changed = (told for *_, told in history())
    assert ["roles", "", "curator"] in added
    assert changed == [[["password", "", "changed"]]] * 2
    client.post(reverse("admin:auth_user_delete", args=(zoe.pk,)), {"post": "yes"})
    assert history()[-1][:2] == ("delete account", "zoe")
    assert "one-" not in str(history())
    assert "$" not in str(history())
