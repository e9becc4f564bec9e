"""Passwords by mail, as invitation and when one is forgotten; and two-factor login, which a role may require."""

import re
from typing import Any

import pytest
import time_machine
from django.contrib.auth.models import Group, User
from django.core import mail
from django.test import Client
from django.urls import reverse
from django_otp.oath import totp
from django_otp.plugins.otp_totp.models import TOTPDevice

from episodes.models import Change
from podcast_catalog.accounts import has_two_factor, lacks_two_factor, requires_two_factor

from ..curation.conftest import staff
from ..ingest.conftest import command
from .conftest import logged_in, said

ASK, USERS = "/admin/password/", "/admin/auth/user/"
pytestmark = pytest.mark.django_db


@pytest.fixture
def sends(settings: Any) -> None:
    settings.EMAIL_URL, settings.DEFAULT_FROM_EMAIL = "smtp://mail.example", "catalog@mail.example"


@pytest.fixture
def carla() -> User:
    user = staff("carla", "curator")
    user.email = "carla@example.org"
    user.save()
    return user


def test_mailed_link_sets_password_once(sends: None, carla: User) -> None:
    before = logged_in(carla)
    assert ASK in said(Client().get("/admin/login/"))
    Client().post(ASK, {"email": "nobody@example.org"})
    assert mail.outbox == []
    Client().post(ASK, {"email": "Carla@example.org"})
    (sent,) = mail.outbox
    assert (sent.to, sent.from_email) == (["carla@example.org"], "catalog@mail.example")
    (link,) = re.findall(r"http://testserver(/admin/password/\S+)", str(sent.body))
    client = Client()
    form = client.get(link, follow=True)
    typed = {"new_password1": "a-long-new-one", "new_password2": "a-long-new-one"}
    assert client.post(form.redirect_chain[-1][0], typed, follow=True).status_code == 200
    carla.refresh_from_db()
    assert carla.check_password("a-long-new-one")
    assert before.get("/admin/").status_code == 302
    assert list(Change.objects.order_by("pk").values_list("subject", "verb", "told", "made_by")) == [
        ("carla", "send password link", [["password", "", "link sent"]], None),
        ("carla", "change account", [["password", "", "changed"]], carla.pk),
    ]
    assert "invalid" in said(Client().get(link, follow=True))


def test_no_page_for_mail_or_keys_without_them(carla: User, administrator: User) -> None:
    assert Client().get(ASK).status_code == 404
    assert ASK not in said(Client().get("/admin/login/"))
    client = logged_in(administrator)
    role = Group.objects.get(name="curator").pk
    answer = said(client.post(f"{USERS}add/", {"username": "zoe", "groups": [role]}, follow=True))
    assert "“zoe” was added as curator." in answer
    (link,) = re.findall(r"on to zoe: http://testserver(/admin/password/\S+)", answer)
    assert "Enter new password" in said(Client().get(link, follow=True))
    assert mail.outbox == []
    assert "Give a link to set a password" in said(client.get(USERS))
    assert "Add account" in said(client.get(USERS))
    root = logged_in(User.objects.create_superuser("root", password="secret"))
    assert root.get("/admin/otp_totp/totpdevice/").status_code == 404


def test_account_gets_one_link_in_ten_minutes(sends: None, carla: User) -> None:
    other = staff("other", "curator")
    User.objects.filter(pk=other.pk).update(email=carla.email)
    for minute, mails in ((0, 2), (9, 2), (11, 4)):
        with time_machine.travel(f"2026-03-01T12:{minute:02}:00Z", tick=False):
            assert Client().post(ASK, {"email": "carla@example.org"}).status_code == 302
        assert len(mail.outbox) == mails, minute


def test_administrator_sends_links_to_accounts(sends: None, carla: User, administrator: User, settings: Any) -> None:
    left, none = staff("left", "viewer"), staff("none", "viewer")
    User.objects.filter(pk=left.pk).update(is_active=False, email=carla.email)
    twin = staff("twin", "viewer")
    User.objects.filter(pk=twin.pk).update(email=carla.email)
    carla.set_unusable_password()
    carla.save()
    sent = {"action": "send_link", "_selected_action": [carla.pk, left.pk, none.pk]}
    client = logged_in(administrator)
    for count in (1, 2):  # at once again, too
        answer = said(client.post(USERS, sent, follow=True))
        assert "A link was sent to carla@example.org." in answer
        assert "No link was sent to left: the account is not active." in answer
        assert "No link was sent to none: the account has no mail address" in answer
        assert [one.to for one in mail.outbox] == [["carla@example.org"]] * count
    assert "“carla”" in str(mail.outbox[0].body)
    links = list(Change.objects.values_list("verb", "subject", "made_by"))
    assert links == [("send password link", "carla", administrator.pk)] * 2
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9
    answer = said(client.post(USERS, sent, follow=True))
    assert "No link was sent to carla: the mail server did not take it" in answer
    assert "A link was sent" not in answer
    assert Change.objects.count() == 2
    assert logged_in(carla).post(USERS, sent).status_code == 403


def test_new_account_is_invited_by_mail(sends: None, administrator: User) -> None:
    client = logged_in(administrator)
    refused = client.post(f"{USERS}add/", {"username": "zoe", "password1": "a-long-new-one"})
    assert "Enter the password in both fields, or in neither." in said(refused)
    answer = said(client.post(f"{USERS}add/", {"username": "zoe", "email": "zoe@example.org"}, follow=True))
    assert "“zoe” was added. Role: none, so it cannot open the admin yet." in answer
    assert [sent.to for sent in mail.outbox] == [["zoe@example.org"]]
    assert not User.objects.get(username="zoe").has_usable_password()
    assert "zoe" in said(client.get(f"{USERS}?groups__isnull=True"))
    assert "zoe" not in said(client.get(f"{USERS}?groups__isnull=False"))


def test_a_role_can_require_two_factor_login(settings: Any, carla: User, administrator: User) -> None:
    assert not lacks_two_factor(administrator)
    root = User.objects.create_superuser("root", "", "secret")
    users = (carla, administrator, root)
    for roles, required in (
        ([], [False] * 3),
        (["curator"], [True, False, True]),
        (["administrator"], [False, True, True]),
    ):
        settings.TWO_FACTOR_ROLES = roles
        assert [requires_two_factor(user) for user in users] == required
    assert logged_in(carla).get("/admin/").status_code == 200
    client = logged_in(administrator)
    answer = client.get("/admin/episodes/change/", follow=True)
    assert answer.redirect_chain[-1] == ("/admin/two-factor/", 302)
    assert answer.status_code == 200
    assert "Your role requires" in said(answer)
    assert "Your role requires" not in said(logged_in(carla).get("/admin/two-factor/"))
    for own in ("/admin/password_change/", "/admin/password_change/done/"):
        assert client.get(own).status_code == 200
    assert client.get("/admin/find/").status_code == 302
    assert client.post("/admin/logout/").status_code == 200
    assert client.get("/admin/two-factor/")["Location"] == "/admin/login/?next=/admin/two-factor/"
    assert lacks_two_factor(root)


PAGE = "/admin/two-factor/"


def code(at: str, key: str = "") -> str:
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
    later = "2026-03-01T15:00:00Z"
    words = code(later)
    assert is_in(login(later, f"{words[:3]} {words[3:]}"), later)


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


def test_lost_app_is_reset_by_others(on: Client, carla: User) -> None:
    act = {"action": "turn_two_factor_off", "_selected_action": [carla.pk]}
    ada = logged_in(staff("ada", "administrator"))
    User.objects.filter(pk=carla.pk).update(is_superuser=True)
    answer = ada.post(reverse("admin:auth_user_changelist"), act, follow=True)
    assert "Not changed: carla, who may do more than you." in said(answer)
    assert has_two_factor(carla)
    User.objects.filter(pk=carla.pk).update(is_superuser=False)
    answer = ada.post(reverse("admin:auth_user_changelist"), act, follow=True)
    assert "Two-factor login is off for carla" in said(answer)
    assert not has_two_factor(carla)
    elsewhere = logged_in(carla)
    assert elsewhere.get("/admin/").status_code == 200
    TOTPDevice.objects.create(user=carla, name="app", confirmed=True)
    assert elsewhere.get("/admin/").status_code == 302, "an older login must log in again"
    assert command("two_factor_off", "carla").out == "carla: two-factor login is off\n"
    assert command("two_factor_off", "carla").out == "carla: two-factor login is off, as it was\n"
    assert command("two_factor_off", "nobody").code == 2
    assert Change.objects.filter(verb="turn two-factor login off").count() == 2
