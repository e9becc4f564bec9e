"""A walk through the admin in every role: no link or button that a page shows is refused."""

from collections import Counter
from collections.abc import Iterator
from urllib.parse import urljoin, urlsplit

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client
from django.urls import resolve
from selectolax.lexbor import LexborHTMLParser, LexborNode

from episodes.curation import add_list_entry, decide_match, override_fields, save_row, undo_change
from episodes.models import Change, Held, Podcast, Source

from ..curation.conftest import staff
from ..examples import examples
from .conftest import episode, logged_in, said

EACH = examples(1, 2)  # addresses of one kind that are visited
ELSEWHERE = ("logout", "password_change", "view_on_site")


@pytest.fixture
def decided(doubtful: Podcast, curator: User, administrator: User) -> Podcast:
    """Decisions of all kinds, with those of an administrator about shows and sources."""
    override_fields(curator, episode(1), {"title": "Ladders 1"}, reason="shorter")
    add_list_entry(curator, episode(2), "person", "name:nobody", "guest Nora Body")
    held = Held.objects.order_by("item_id")[0]
    decide_match(curator, held.item, "different", episode(0))
    source = Source.objects.get(slug="other")
    source.title = "Another"
    save_row(administrator, source)
    undo_change(curator, Change.objects.filter(verb="edit")[0])
    return doubtful


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


@pytest.mark.parametrize(
    "role", ["viewer", "curator", "administrator", pytest.param("superuser", marks=pytest.mark.long)]
)
def test_every_visible_control_is_allowed(decided: Podcast, role: str) -> None:
    user = User.objects.create_superuser("root") if role == "superuser" else staff("somebody", role)
    walk = Walk(logged_in(user))
    walk.go()
    assert not walk.refused, "\n".join(walk.refused)
    assert walk.visited["episodes_change_changelist"]
    assert len(walk.visited) > 24


def test_somebody_without_a_role_sees_one_sentence(decided: Podcast) -> None:
    nobody = User.objects.create_user("nobody", is_staff=True)
    page = said(logged_in(nobody).get("/admin/"))
    content = LexborHTMLParser(page).css_first("#content")
    assert content is not None
    assert content.text(separator=" ").split() == "No role yet You have no role yet; ask an administrator.".split()
    assert "Source" not in page
