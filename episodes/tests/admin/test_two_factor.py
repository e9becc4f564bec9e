"""Two-factor login: for those who turn it on a password alone opens nothing, and who lost the app is let in again."""

from typing import Any

import pytest
import time_machine
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django_otp.oath import totp
from django_otp.plugins.otp_totp.models import TOTPDevice

from episodes.models import Change
from podcast_catalog.accounts import has_two_factor, requires_two_factor

from ..curation.conftest import staff
from ..ingest.conftest import command
from .conftest import logged_in, said

PAGE = "/admin/two-factor/"
pytestmark = pytest.mark.django_db


@pytest.fixture
def carla() -> User:
    return staff("carla", "curator")


@pytest.mark.parametrize(
    "roles, of_curator, of_administrator",
    [([], False, False), (["administrator"], False, True), (["curator"], True, False)],
)
def test_required_role_must_turn_it_on(
    carla: User, settings: Any, roles: list[str], of_curator: bool, of_administrator: bool
) -> None:
    settings.TWO_FACTOR_ROLES = roles
    assert requires_two_factor(carla) == of_curator
    assert requires_two_factor(staff("ada", "administrator")) == of_administrator
    assert requires_two_factor(User.objects.create_superuser("root", "", "secret")) == bool(roles)


def code(at: str, key: str = "") -> str:
    """The code that the app shows then."""
    with time_machine.travel(at, tick=False):
        return f"{totp(bytes.fromhex(key) or TOTPDevice.objects.get().bin_key):06}"


def login(at: str, token: str = "", password: str = "secret") -> Client:
    client = Client()
    with time_machine.travel(at, tick=False):
        data = {"username": "carla", "password": password, "code": token, "next": "/admin/"}
        client.answer = client.post("/admin/login/", data)  # type: ignore[attr-defined]
    return client


def is_in(client: Client, at: str) -> bool:
    with time_machine.travel(at, tick=False):
        return client.get("/admin/").status_code == 200


@pytest.fixture
def on(carla: User) -> Client:
    """Carla's browser, in which she turned it on at noon."""
    client = login("2026-03-01T12:00:00Z")
    with time_machine.travel("2026-03-01T12:00:00Z", tick=False):
        key = client.get(PAGE).context["new"]
        answer = client.post(PAGE, {"code": code("2026-03-01T12:00:00Z", key), "key": key})
    assert answer.status_code == 302
    assert has_two_factor(carla)
    return client


def test_turning_on_needs_a_code(carla: User) -> None:
    client = logged_in(carla)
    page = said(client.get(PAGE))
    assert "data:image/svg+xml" in page
    assert "This field is required" not in page, "nothing was sent yet"
    assert "no-store" in client.get(PAGE)["Cache-Control"]
    assert 'href="otpauth://totp/' in page
    assert not TOTPDevice.objects.exists(), "a page that is only opened writes nothing"
    key = client.get(PAGE).context["new"]
    refused = client.post(PAGE, {"code": "000000", "key": key})
    assert "not the code that the app shows" in said(refused)
    assert "there is a pause" in said(client.post(PAGE, {"code": "000000", "key": key}))
    assert refused.context["new"] == key
    for wrong in ("", "x", "0" * 39, "\0", "g" * 40):
        assert client.post(PAGE, {"code": "000000", "key": wrong}).status_code == 200
    assert not has_two_factor(carla)
    assert logged_in(None).get(PAGE).status_code == 302


def test_the_password_alone_opens_nothing(on: Client) -> None:
    at = "2026-03-01T13:00:00Z"
    assert is_in(on, at)
    for client in (login(at), login(at, "000000"), login(at, code(at), "wrong")):
        assert client.answer.status_code == 200  # type: ignore[attr-defined]
        assert not is_in(client, at)
    later = "2026-03-01T14:00:00Z"
    assert is_in(login(later, code(later)), later)
    words = code("2026-03-01T15:00:00Z")
    spaced = login("2026-03-01T15:00:00Z", f"{words[:3]} {words[3:]}")
    assert is_in(spaced, "2026-03-01T15:00:00Z")


def test_code_works_once_and_guesses_wait(on: Client) -> None:
    at = "2026-03-01T14:00:00Z"
    token = code(at)
    assert is_in(login(at, token), at)
    assert not is_in(login(at, token), at)
    later = "2026-03-01T16:00:00Z"
    for n in range(4):
        login(later, f"{n:06}")
    assert not is_in(login(later, code(later)), later)
    assert is_in(login("2026-03-01T16:30:00Z", code("2026-03-01T16:30:00Z")), "2026-03-01T16:30:00Z")


def test_older_login_must_log_in_again(carla: User) -> None:
    elsewhere = logged_in(carla)
    assert elsewhere.get("/admin/").status_code == 200
    TOTPDevice.objects.create(user=carla, name="app", confirmed=True)
    assert elsewhere.get("/admin/").status_code == 302


def test_turning_off_needs_code_and_is_recorded(on: Client, carla: User) -> None:
    at = "2026-03-01T14:00:00Z"
    with time_machine.travel(at, tick=False):
        page = said(on.get(PAGE))
        assert "It is on" in page
        assert "data:image" not in page
        assert on.post(PAGE, {"code": code(at)}).status_code == 302
    assert not has_two_factor(carla)
    verbs = list(Change.objects.filter(verb__contains="two-factor").order_by("id").values_list("verb", "told"))
    assert verbs == [
        ("turn two-factor login on", [["two-factor login", "off", "on"]]),
        ("turn two-factor login off", [["two-factor login", "on", "off"]]),
    ]


def test_stronger_account_keeps_two_factor(on: Client, carla: User) -> None:
    User.objects.filter(pk=carla.pk).update(is_superuser=True)
    act = {"action": "turn_two_factor_off", "_selected_action": [carla.pk]}
    answer = logged_in(staff("ada", "administrator")).post(reverse("admin:auth_user_changelist"), act, follow=True)
    assert "Not changed: carla, who may do more than you." in said(answer)
    assert has_two_factor(carla)


def test_lost_app_is_reset_by_others(on: Client, carla: User) -> None:
    act = {"action": "turn_two_factor_off", "_selected_action": [carla.pk]}
    answer = logged_in(staff("ada", "administrator")).post(reverse("admin:auth_user_changelist"), act, follow=True)
    assert "Two-factor login is off for carla" in said(answer)
    assert not has_two_factor(carla)
    TOTPDevice.objects.create(user=carla, name="app", confirmed=True)
    assert command("two_factor_off", "carla").out == "carla: two-factor login is off\n"
    assert command("two_factor_off", "carla").out == "carla: two-factor login is off, as it was\n"
    assert command("two_factor_off", "nobody").code == 2
    assert Change.objects.filter(verb="turn two-factor login off").count() == 2


def test_no_table_of_the_admin_shows_the_keys() -> None:
    client = logged_in(User.objects.create_superuser("root", password="secret"))
    assert client.get("/admin/otp_totp/totpdevice/").status_code == 404
