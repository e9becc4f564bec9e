"""Who may do what: every address of the admin is walked in every role, and what a role may not do changes nothing."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import Group, Permission, User
from django.core import serializers
from django.test import Client
from django.urls import NoReverseMatch, URLPattern, URLResolver, reverse

from episodes.curation import episode_token, override_fields, row_token
from episodes.models import Change, Episode, Podcast, Source, Topic

from ..curation.conftest import staff
from ..examples import examples
from .conftest import do, episode, logged_in, said

# Everybody's own: to log in and out, and their own password.
OWN = {
    "login",
    "logout",
    "password_change",
    "password_change_done",
    "jsi18n",
    "autocomplete",
    "view_on_site",
    "app_list",
    "two_factor",
}


def patterns(found: list[Any], model: str = "") -> Iterator[URLPattern]:
    for entry in found:
        if isinstance(entry, URLResolver):
            yield from patterns(list(entry.url_patterns))
        elif entry.name and entry.name not in OWN:
            yield entry


NAMES = sorted({str(entry.name) for entry in patterns(admin.site.get_urls())})


def address(name: str) -> str:
    """An address of this name, about something that is there."""
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


def everything() -> str:
    """All that the program keeps, sessions and the time of a login aside."""
    rows = []
    for label in ("episodes", "auth"):
        for model in apps.get_app_config(label).get_models():
            rows += list(model._default_manager.order_by("pk"))
    for row in rows:
        if isinstance(row, User):
            row.last_login = None
    return str(serializers.serialize("json", rows))


def hopeful(user: User | None = None) -> dict[str, object]:
    """A form that tries everything at once."""
    topic, show = Topic.objects.get(slug="household"), Podcast.objects.get()
    return {
        "post": "yes", "action": "delete_selected", "_selected_action": ["1"], "index": "0", "_save": "1",
        "title": "Hacked", "name": "Hacked", "slug": "hacked", "position": "1", "rank": "1", "podcast": str(show.pk),
        "seen": row_token(topic), "do": "out", "episode": episode(0).slug, "into": "music", "verdict": "same",
        "username": "hacked", "password1": "s3cret-Word", "password2": "s3cret-Word", "is_superuser": "on",
        "is_staff": "on", "is_active": "on", "groups": [str(g.pk) for g in Group.objects.all()], "_do": "1",
        "kind": "topic", "key": "household", "new_topic": "music", "other": episode(2).slug,
        "field": "title", "value": "Hacked", "anyway": "1", "step": "do", "confirm": "1", "undo": "1",
    }  # fmt: skip


@pytest.fixture
def decided(doubtful: Podcast, curator: User) -> Podcast:
    override_fields(curator, episode(1), {"title": "Ladders 1"})
    return doubtful


def test_all_addresses_are_known(decided: Podcast) -> None:
    assert len(NAMES) > 60
    assert all(address(name) for name in NAMES)


def test_stranger_reaches_only_the_login(decided: Podcast) -> None:
    client, before = Client(), everything()
    for name in NAMES:
        for answer in (client.get(address(name)), client.post(address(name), hopeful())):
            assert (name, answer.status_code) == (name, 302)
            assert answer["Location"].startswith("/admin/login/"), name
    assert everything() == before


# Pages that a viewer may see; what is posted to them asks for nothing.
LOOKED_AT = ("index", "_changelist", "_history")


def test_viewer_and_roleless_user_change_nothing(decided: Podcast, viewer: User) -> None:
    nobody = User.objects.create_user("nobody", password="secret", is_staff=True)
    before = everything()
    wrong = []
    for user in (viewer, nobody):
        client = logged_in(user)
        for name in NAMES:
            assert client.get(address(name)).status_code < 500
            answer = client.post(address(name), hopeful())
            allowed = (200, 302, 403) if name.endswith(LOOKED_AT) else (403, 405)
            if answer.status_code not in allowed:
                wrong.append((user.username, name, answer.status_code))
        assert everything() == before
    assert wrong == []


def test_curator_configures_nothing(decided: Podcast, curator: User) -> None:
    def configured() -> str:
        models = (Podcast, Source, User, Group, Permission)
        rows = [row for model in models for row in model._default_manager.order_by("pk")]
        rows = [row for row in rows if getattr(row, "slug", "") != "by-hand"]  # made with the first own episode
        for row in rows:
            if isinstance(row, User):
                row.last_login = None
        return str(serializers.serialize("json", rows))

    before = configured()
    client = logged_in(curator)
    names = [name for name in NAMES if "_podcast_" in name or "_source_" in name or name.startswith("auth_")]
    assert len(names) > 10
    for name in names:
        assert client.get(address(name)).status_code < 500
        assert client.post(address(name), hopeful()).status_code < 500
        assert configured() == before, name


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
        for value in (HOSTILE[nth % len(HOSTILE)], HOSTILE[(nth // 3) % len(HOSTILE)])[: examples(1, 2)]:
            sent = dict.fromkeys(INPUTS, value)
            assert client.get(address(name), sent, follow=True).status_code < 500, (name, value)
            assert client.post(address(name), sent).status_code < 500, (name, value)


def topic_form(**values: str) -> dict[str, str]:
    topic = Topic.objects.get(slug="household")
    return {
        "name": "Household",
        "slug": "household",
        "position": "1",
        "title": "ladders",
        "seen": row_token(topic),
        **values,
    }


def writes() -> dict[str, tuple[str, dict[str, object]]]:
    """Forms that are right, by what they do."""
    topic = Topic.objects.get(slug="household")
    show, source = Podcast.objects.get(), Source.objects.get(slug="other")
    names = lambda name, *args: reverse(f"admin:episodes_{name}", args=args)  # noqa: E731
    source_form = {"podcast": str(show.pk), "slug": "new", "title": "New", "reader": "feed", "rank": "9"}
    return {
        "topic": (names("topic_change", topic.pk), {**topic_form()}),
        "new topic": (names("topic_add"), {"name": "Glass", "slug": "glass", "position": "3"}),
        "merge topics": (names("topic_merge", topic.pk), {"into": "music", "seen": row_token(topic)}),
        "delete topic": (names("topic_delete", topic.pk), {"seen": row_token(topic)}),
        "topic of an episode": (
            do(episode(0), "remove", kind="topic", key="household"),
            {"token": episode_token(episode(0))},
        ),
        "new episode": (names("episode_add"), {"podcast": str(show.pk), "title": "Lost"}),
        "configure: source": (
            names("source_change", source.pk),
            {**source_form, "slug": "other", "seen": row_token(source)},
        ),
        "configure: new source": (names("source_add"), {**source_form}),
        "configure: new show": (names("podcast_by_hand"), {"title": "T", "slug": "t"}),
        "configure: show": (
            names("podcast_change", show.pk),
            {
                "title": "Small Talks",
                "author": "A",
                "slug": show.slug,
                "feed_url": show.feed_url,
                "seen": row_token(show),
            },
        ),
    }


WRITES = (
    "topic", "new topic", "merge topics", "delete topic", "topic of an episode", "new episode", "configure: source",
    "configure: new source", "configure: new show", "configure: show",
)  # fmt: skip


@pytest.mark.parametrize("what", WRITES)
@pytest.mark.parametrize("role", ["curator", "administrator"])
def test_valid_form_needs_its_role(decided: Podcast, role: str, what: str) -> None:
    client = logged_in(staff("somebody", role))
    assert set(writes()) == set(WRITES)
    where, form = writes()[what]
    before, changes = everything(), Change.objects.count()
    answer = client.post(where, form)
    may = role == "administrator" or not what.startswith("configure")
    assert (answer.status_code == 302 and "login" not in answer["Location"]) == may
    assert (everything() != before) == may
    assert (Change.objects.count() > changes) == may


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


# --- Users -----------------------------------------------------------------------------------------------------------


def user_form(user: User, **values: object) -> dict[str, object]:
    return {"username": user.username, "email": "", "is_active": "on", "is_staff": "on", **values}


def at(user: User, name: str = "change") -> str:
    return reverse(f"admin:auth_user_{name}", args=(user.pk,))


def test_an_administrator_makes_a_curator(administrator: User) -> None:
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
    assert client.post(at(new), user_form(new, groups=[], is_active="")).status_code == 302
    assert not User.objects.get(pk=new.pk).groups.exists()


def test_roles_make_and_unmake_staff(administrator: User) -> None:
    client = logged_in(administrator)
    data = {"username": "new", "password1": "s3cret-Word", "password2": "s3cret-Word"}
    assert client.post(reverse("admin:auth_user_add"), data).status_code == 302
    new = User.objects.get(username="new")
    assert not new.is_staff
    for role, staff_now in (("viewer", True), ("curator", True), ("", False)):
        groups = [str(group.pk) for group in Group.objects.filter(name=role)]
        assert client.post(at(new), user_form(new, groups=groups)).status_code == 302
        assert (role, User.objects.get(pk=new.pk).is_staff) == (role, staff_now)


def test_a_superuser_stays_staff_without_a_role(db: None) -> None:
    root = User.objects.create_superuser("root", "", "secret")
    assert logged_in(root).post(at(root), user_form(root, is_superuser="on", groups=[])).status_code == 302
    assert User.objects.get(pk=root.pk).is_staff


def test_the_forms_of_an_account_are_plain(administrator: User, curator: User) -> None:
    root = User.objects.create_superuser("root", "", "secret")
    for user, more in ((administrator, set()), (root, {"is_superuser", "user_permissions"})):
        fields = logged_in(user).get(at(curator)).context["adminform"].form.fields
        assert set(fields) == {"username", "email", "password", "groups", "is_active"} | more
    page = logged_in(administrator).get(at(curator))
    assert "pbkdf2" not in said(page)


def test_administrator_cannot_grant_superuser_or_permissions(administrator: User, curator: User) -> None:
    client = logged_in(administrator)
    wanted = [str(p.pk) for p in Permission.objects.all()]
    for user in (curator, administrator):
        roles = [str(g.pk) for g in user.groups.all()]
        client.post(at(user), user_form(user, is_superuser="on", user_permissions=wanted, groups=roles))
        user = User.objects.get(pk=user.pk)
        assert not user.is_superuser
        assert not user.user_permissions.exists()


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


def test_stronger_role_cannot_be_given(administrator: User, curator: User) -> None:
    client = logged_in(administrator)
    strong = Group.objects.create(name="strong")
    strong.permissions.add(Permission.objects.get(codename="delete_user"))
    shown = client.post(at(curator), user_form(curator, groups=[str(strong.pk)]))
    assert shown.status_code == 200
    assert "valid choice" in said(shown)
    assert not curator.groups.filter(name="strong").exists()


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


def test_viewer_sees_no_add_button(viewer: User, decided: Podcast) -> None:
    client = logged_in(viewer)
    for name in ("changelist", "sheet"):
        assert client.get(reverse(f"admin:episodes_episode_{name}")).status_code == 200
    assert "Add episode" not in said(client.get(reverse("admin:episodes_episode_changelist")))
    assert Episode.objects.count() == 5
