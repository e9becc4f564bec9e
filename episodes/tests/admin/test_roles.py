"""Who may do what: every address is walked in every role, and no link or button that a page shows is refused."""

from collections import Counter
from collections.abc import Iterator
from typing import Any
from urllib.parse import urljoin, urlsplit

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import Group, Permission, User
from django.core import serializers
from django.db import transaction
from django.db.models import Model
from django.test import Client
from django.urls import NoReverseMatch, URLPattern, URLResolver, resolve, reverse
from selectolax.lexbor import LexborHTMLParser, LexborNode

from episodes import curation
from episodes.models import Change, Held, Podcast, Source, Topic

from ..curation.conftest import staff
from ..examples import examples
from ..kept import made_once
from .conftest import do, doubtful_show, episode, logged_in, said

# Everybody's own: to log in and out, and their own password.
OWN = (
    "login", "logout", "password_change", "password_change_done", "jsi18n", "autocomplete", "view_on_site", "app_list",
    "two_factor",
)  # fmt: skip


def patterns(found: list[Any], model: str = "") -> Iterator[URLPattern]:
    for entry in found:
        if isinstance(entry, URLResolver):
            yield from patterns(list(entry.url_patterns))
        elif entry.name and entry.name not in OWN:
            yield entry


NAMES = sorted({str(entry.name) for entry in patterns(admin.site.get_urls())})


def address(name: str) -> str:
    label, _, rest = name.partition("_")
    pk: Any = 1
    slug = episode(1).slug
    for model in apps.get_models():
        if (label, rest.split("_")[0]) == (model._meta.app_label, model._meta.model_name):
            row = model._default_manager.order_by("pk").first()
            pk = row.pk if row else 1
    for given in ((), (pk,), (slug,), (slug, "remove")):
        try:
            return reverse(f"admin:{name}", args=given)
        except NoReverseMatch:
            continue
    raise AssertionError(f"no address of {name} is known; say how to make one")


def stored(*models: type[Model]) -> str:
    """Rows of these models, the time of a login aside."""
    rows = [row for model in models for row in model._default_manager.order_by("pk")]
    for row in rows:
        if isinstance(row, User):
            row.last_login = None
    return str(serializers.serialize("json", rows))


def everything() -> str:
    return stored(*(model for label in ("episodes", "auth") for model in apps.get_app_config(label).get_models()))


def hopeful() -> dict[str, object]:
    """A form that tries everything at once."""
    topic, show = Topic.objects.get(slug="household"), Podcast.objects.get()
    return {
        "post": "yes", "action": "delete_selected", "_selected_action": ["1"], "index": "0", "_save": "1",
        "title": "Hacked", "name": "Hacked", "slug": "hacked", "position": "1", "rank": "1", "podcast": str(show.pk),
        "seen": curation.row_token(topic), "do": "out", "episode": episode(0).slug, "into": "music", "verdict": "same",
        "username": "hacked", "password1": "s3cret-Word", "password2": "s3cret-Word", "is_superuser": "on",
        "is_staff": "on", "is_active": "on", "groups": [str(g.pk) for g in Group.objects.all()], "_do": "1",
        "kind": "topic", "key": "household", "new_topic": "music", "other": episode(2).slug,
        "field_name": "title", "value": "Hacked", "anyway": "1", "step": "do", "confirm": "1", "undo": "1",
    }  # fmt: skip


def test_stranger_reaches_only_the_login(decided: Podcast) -> None:
    client, before, form = Client(), everything(), hopeful()
    assert len(NAMES) > 60
    for name in NAMES:
        where = address(name)
        for answer in (client.get(where), client.post(where, form)):
            assert (name, answer.status_code) == (name, 302)
            assert answer["Location"].startswith("/admin/login/"), name
    assert everything() == before


# Pages that a viewer may see; what is posted to them asks for nothing.
LOOKED_AT = ("index", "_changelist", "_history")


def test_viewer_and_roleless_user_change_nothing(decided: Podcast, viewer: User) -> None:
    nobody = User.objects.create_user("nobody", password="secret", is_staff=True)
    before = everything()
    wrong = []
    addresses, form = {name: address(name) for name in NAMES}, hopeful()
    for user in (viewer, nobody):
        client = logged_in(user)
        for name in NAMES:
            assert client.get(addresses[name]).status_code < 500
            answer = client.post(addresses[name], form)
            allowed = (200, 302, 403) if name.endswith(LOOKED_AT) else (403, 405)
            if answer.status_code not in allowed:
                wrong.append((user.username, name, answer.status_code))
        assert everything() == before
    assert wrong == []


def test_curator_configures_nothing(decided: Podcast, curator: User) -> None:
    Source.objects.create(podcast=decided, slug="by-hand", reader="feed")  # made with the first own episode
    models = (Podcast, Source, User, Group, Permission)
    before, client = stored(*models), logged_in(curator)
    names = [name for name in NAMES if "_podcast_" in name or "_source_" in name or name.startswith("auth_")]
    assert len(names) > 10
    for name in names:
        assert client.get(address(name)).status_code < 500
        assert client.post(address(name), hopeful()).status_code < 500
        assert stored(*models) == before, name


def test_forged_form_is_refused(decided: Podcast, administrator: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(administrator)
    before, form = everything(), hopeful()
    for name in NAMES:
        assert (name, client.post(address(name), form).status_code) == (name, 403)
    assert everything() == before


# Inputs of all forms; what is sent in them may be anything.
INPUTS = (
    "row", "act", "with", "token", "at", "q", "reason", "kind", "all", "items", "of_title", "into", "topic", "place",
    "wrong", "right", "cell", "next", "seen", "page", "new_topic", "new_reference", "steps-TOTAL_FORMS", "title",
    "number", "published", "duration_seconds", "slug", "url", "new_link", "new_start", "other", "address",
)  # fmt: skip
HOSTILE = ("", "\0", "x", "-1", "9" * 40, "²", "\ufffd", "a" * 10_000, "<script>", "=cmd()")


@pytest.mark.on_both
def test_whatever_is_sent_no_address_breaks(decided: Podcast, administrator: User) -> None:
    client = logged_in(administrator)
    for nth, name in enumerate(NAMES):
        where = address(name)
        for value in (HOSTILE[nth % len(HOSTILE)], HOSTILE[(nth // 3) % len(HOSTILE)])[: examples(1, 2)]:
            sent = dict.fromkeys(INPUTS, value)
            assert client.get(where, sent, follow=True).status_code < 500, (name, value)
            assert client.post(where, sent).status_code < 500, (name, value)


def writes() -> dict[str, tuple[str, dict[str, object]]]:
    topic = Topic.objects.get(slug="household")
    show, source = Podcast.objects.get(), Source.objects.get(slug="other")
    names = lambda name, *args: reverse(f"admin:episodes_{name}", args=args)  # noqa: E731
    topic_form = {"name": "Household", "slug": "household", "position": "1", "title": "ladders"}
    source_form = {"podcast": str(show.pk), "slug": "new", "title": "New", "reader": "feed", "rank": "9"}
    show_form = {"title": "Small Talks", "author": "A", "slug": show.slug, "feed_url": show.feed_url}
    token = curation.row_token(source)
    removal = do(episode(0), "remove", kind="topic", key="household")
    return {
        "topic": (names("topic_change", topic.pk), {**topic_form, "seen": curation.row_token(topic)}),
        "new topic": (names("topic_add"), {"name": "Glass", "slug": "glass", "position": "3"}),
        "merge topics": (names("topic_merge", topic.pk), {"into": "music", "seen": curation.row_token(topic)}),
        "delete topic": (names("topic_delete", topic.pk), {"seen": curation.row_token(topic)}),
        "topic of an episode": (removal, {"token": curation.episode_token(episode(0))}),
        "new episode": (names("episode_add"), {"podcast": str(show.pk), "title": "Lost"}),
        "configure: source": (names("source_change", source.pk), {**source_form, "slug": "other", "seen": token}),
        "configure: new source": (names("source_add"), {**source_form}),
        "configure: new show": (names("podcast_by_hand"), {"title": "T", "slug": "t"}),
        "configure: show": (names("podcast_change", show.pk), {**show_form, "seen": curation.row_token(show)}),
    }


@pytest.mark.parametrize("role", ["curator", "administrator"])
def test_valid_form_needs_its_role(decided: Podcast, role: str) -> None:
    client = logged_in(staff("somebody", role))
    before, changes = everything(), Change.objects.count()
    for what, (where, form) in writes().items():
        may = role == "administrator" or not what.startswith("configure")
        with transaction.atomic():
            answer = client.post(where, form)
            assert (answer.status_code == 302 and "login" not in answer["Location"]) == may, what
            assert (everything() != before) == may, what
            assert (Change.objects.count() > changes) == may, what
            transaction.set_rollback(True)


@pytest.mark.parametrize("role", ["nobody", "viewer", "left"])
def test_valid_form_is_refused_to_others(decided: Podcast, role: str) -> None:
    user = staff("somebody", "viewer")
    if role == "nobody":
        user.groups.clear()
    client = logged_in(user)
    if role == "left":
        user.groups.set(Group.objects.filter(name="administrator"))
        User.objects.filter(pk=user.pk).update(is_staff=False)
    before, changes = everything(), Change.objects.count()
    for what, (where, form) in writes().items():
        answer = client.post(where, form)
        assert answer.status_code != 302 or "login" in answer["Location"], what
        assert (everything(), Change.objects.count()) == (before, changes), what


def user_form(user: User, **values: object) -> dict[str, object]:
    return {"username": user.username, "email": "", "is_active": "on", "is_staff": "on", **values}


def at(user: User, name: str = "change") -> str:
    return reverse(f"admin:auth_user_{name}", args=(user.pk,))


def test_administrator_gives_and_takes_roles(administrator: User) -> None:
    client = logged_in(administrator)
    role = Group.objects.get(name="curator")
    data = {
        "username": "new", "usable_password": "true", "password1": "s3cret-Word", "password2": "s3cret-Word",
        "groups": [str(role.pk)], "is_superuser": "on", "user_permissions": ["1"],
    }  # fmt: skip
    assert client.post(reverse("admin:auth_user_add"), data).status_code == 302
    new = User.objects.get(username="new")
    assert new.has_perm("episodes.curate")
    assert not new.has_perm("episodes.configure")
    assert not new.is_superuser
    assert not new.user_permissions.exists()
    for name, staff_now in (("viewer", True), ("", False), ("curator", True)):
        groups = [str(group.pk) for group in Group.objects.filter(name=name)]
        assert client.post(at(new), user_form(new, groups=groups)).status_code == 302
        new = User.objects.get(pk=new.pk)
        assert (new.is_staff, [group.name for group in new.groups.all()]) == (staff_now, [name] if name else [])


def test_the_forms_of_an_account_are_plain(administrator: User, curator: User) -> None:
    root = User.objects.create_superuser("root", "", "secret")
    for user, more in ((administrator, set()), (root, {"is_superuser", "user_permissions"})):
        fields = logged_in(user).get(at(curator)).context["adminform"].form.fields
        assert set(fields) == {"username", "email", "password", "groups", "is_active"} | more
    page = logged_in(administrator).get(at(curator))
    assert "pbkdf2" not in said(page)


def test_administrator_cannot_grant_more_than_roles(administrator: User, curator: User) -> None:
    client = logged_in(administrator)
    wanted = [str(p.pk) for p in Permission.objects.all()]
    for user in (curator, administrator):
        roles = [str(g.pk) for g in user.groups.all()]
        client.post(at(user), user_form(user, is_superuser="on", user_permissions=wanted, groups=roles))
        user = User.objects.get(pk=user.pk)
        assert not user.is_superuser
        assert not user.user_permissions.exists()
    strong = Group.objects.create(name="strong")
    strong.permissions.add(Permission.objects.get(codename="delete_user"))
    shown = client.post(at(curator), user_form(curator, groups=[str(strong.pk)]))
    assert "valid choice" in said(shown)
    assert not curator.groups.filter(name="strong").exists()


def test_administrator_cannot_touch_stronger_accounts(administrator: User) -> None:
    client = logged_in(administrator)
    root = User.objects.create_superuser("root", "", "secret")
    beyond = staff("bea", "curator")
    beyond.user_permissions.add(Permission.objects.get(codename="delete_user"))
    for user in (root, beyond):
        before = everything()
        assert client.post(at(user), user_form(user, is_active="")).status_code == 403
        password = {"usable_password": "true", "password1": "s3cret-Word", "password2": "s3cret-Word"}
        assert client.post(reverse("admin:auth_user_password_change", args=(user.pk,)), password).status_code == 403
        assert client.post(at(user, "delete"), {"post": "yes"}).status_code == 403
        assert everything() == before
    assert "Save" not in said(client.get(at(root)))


def test_a_superuser_may_all(db: None) -> None:
    root = User.objects.create_superuser("root", "", "secret")
    other = staff("zoe", "viewer")
    client = logged_in(root)
    data = user_form(other, is_superuser="on", groups=[str(Group.objects.get(name="curator").pk)])
    assert client.post(at(other), data).status_code == 302
    other = User.objects.get(pk=other.pk)
    assert other.is_superuser
    assert [g.name for g in other.groups.all()] == ["curator"]
    assert client.get(reverse("admin:auth_group_changelist")).status_code == 200
    assert client.post(at(root), user_form(root, is_superuser="on", groups=[])).status_code == 302
    assert User.objects.get(pk=root.pk).is_staff


EACH = examples(1, 2)  # addresses of one kind that are visited
SUPERUSER = pytest.param("superuser", marks=pytest.mark.long)
ELSEWHERE = ("logout", "password_change", "view_on_site")


@pytest.fixture
def decided(curator: User, administrator: User) -> Podcast:
    """Decisions of all kinds, with those of an administrator about shows and sources."""
    made_once(decisions, curator, administrator)
    return Podcast.objects.get()


def decisions() -> None:
    doubtful_show()
    curator, administrator = User.objects.get(username="carla"), User.objects.get(username="ada")
    curation.override_fields(curator, episode(1), {"title": "Ladders 1"}, reason="shorter")
    curation.add_list_entry(curator, episode(2), "person", "name:nobody", "guest Nora Body")
    held = Held.objects.order_by("item_id")[0]
    curation.decide_match(curator, held.item, "different", episode(0))
    source = Source.objects.get(slug="other")
    source.title = "Another"
    curation.save_row(administrator, source)
    curation.undo_change(curator, Change.objects.filter(verb="edit")[0])


def kind_of(address: str) -> str:
    return str(resolve(urlsplit(address).path).url_name)


class Walk:
    """Every page that is linked from the start page, a few of each kind; what is sent is rolled back."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.visited: Counter[str] = Counter()
        self.buttons: Counter[str] = Counter()
        self.refused: list[str] = []

    def go(self) -> None:
        waiting = ["/admin/"]
        known = set(waiting)
        while waiting:
            here = waiting.pop()
            for address in self.read(here):
                kind = kind_of(address)
                if address not in known and self.visited[kind] < EACH and kind not in ELSEWHERE:
                    known.add(address)
                    self.visited[kind] += 1
                    waiting.append(address)

    def read(self, here: str) -> Iterator[str]:
        """The addresses that a page links; its buttons are pressed."""
        answer = self.client.get(here, follow=True)
        if answer.status_code == 403:
            self.refused.append(here)
        if "html" not in answer.get("Content-Type", "") or answer.status_code != 200:
            return
        page = LexborHTMLParser(said(answer))
        here = answer.wsgi_request.get_full_path()
        for form in page.css('form[method="post"]'):
            self.press(here, form)
        for link in page.css("a[href]"):
            address = urljoin(here, link.attributes["href"]).partition("#")[0]
            if urlsplit(address).path.startswith("/admin/") and not urlsplit(address).netloc:
                yield address

    def press(self, here: str, form: LexborNode) -> None:
        where = urljoin(here, form.attributes.get("action") or "")
        if kind_of(where) in ELSEWHERE:
            return
        inputs = [field.attributes for field in form.css("input[name]")]
        fields = {str(field["name"]): field.get("value") or "" for field in inputs if field.get("type") != "checkbox"}
        for button in form.css("button, input[type=submit]"):
            key = f"{kind_of(where)} {button.attributes.get('name')}"
            if self.buttons[key] >= EACH:
                continue
            self.buttons[key] += 1
            with transaction.atomic():
                name = button.attributes.get("name")
                pressed = {name: button.attributes.get("value") or ""} if name else {}
                if self.client.post(where, {**fields, **pressed}).status_code == 403:
                    self.refused.append(f"{here}: {key}")
                transaction.set_rollback(True)


@pytest.mark.parametrize("role", ["viewer", "curator", "administrator", SUPERUSER])
def test_every_visible_control_is_allowed(decided: Podcast, role: str) -> None:
    user = User.objects.create_superuser("root") if role == "superuser" else staff("somebody", role)
    walk = Walk(logged_in(user))
    walk.go()
    assert not walk.refused, "\n".join(walk.refused)
    assert walk.visited["episodes_change_changelist"]
    assert len(walk.visited) > 24


def test_viewer_sees_lists_and_nobody_one_sentence(decided: Podcast) -> None:
    client = logged_in(staff("somebody", "viewer"))
    assert "Add episode" not in said(client.get(reverse("admin:episodes_episode_changelist")))
    nobody = User.objects.create_user("nobody", is_staff=True)
    page = said(logged_in(nobody).get("/admin/"))
    content = LexborHTMLParser(page).css_first("#content")
    assert content is not None
    assert (
        content.text(separator=" ").split()
        == "No role yet This account has no role yet. Ask an administrator of this site to give it one.".split()
    )
    assert "Source" not in page
