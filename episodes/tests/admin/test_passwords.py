"""Passwords by mail, as invitation and when one is forgotten; and two-factor login that a role requires."""

import re
from typing import Any

import pytest
import time_machine
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client

from episodes.models import Change
from podcast_catalog.accounts import lacks_two_factor

from ..curation.conftest import staff
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
    done = client.post(
        form.redirect_chain[-1][0], {"new_password1": "a-long-new-one", "new_password2": "a-long-new-one"}, follow=True
    )
    assert done.status_code == 200
    carla.refresh_from_db()
    assert carla.check_password("a-long-new-one")
    assert before.get("/admin/").status_code == 302
    assert list(Change.objects.order_by("pk").values_list("subject", "verb", "told", "made_by")) == [
        ("carla", "send password link", [["password", "", "link sent"]], None),
        ("carla", "change account", [["password", "", "changed"]], carla.pk),
    ]
    assert "invalid" in said(Client().get(link, follow=True))


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
    assert (
        list(Change.objects.values_list("verb", "subject", "made_by"))
        == [("send password link", "carla", administrator.pk)] * 2
    )
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9
    answer = said(client.post(USERS, sent, follow=True))
    assert "No link was sent to carla: the mail server did not take it" in answer
    assert "A link was sent" not in answer
    assert Change.objects.count() == 2
    assert logged_in(carla).post(USERS, sent).status_code == 403


def test_without_mail_there_is_no_such_page(carla: User, administrator: User) -> None:
    assert Client().get(ASK).status_code == 404
    assert ASK not in said(Client().get("/admin/login/"))
    assert "send_link" not in said(logged_in(administrator).get(USERS))


def test_a_role_can_require_two_factor_login(settings: Any, carla: User, administrator: User) -> None:
    assert not lacks_two_factor(administrator)
    settings.TWO_FACTOR_ROLES = ["administrator"]
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
    assert lacks_two_factor(User.objects.create_superuser("root"))
