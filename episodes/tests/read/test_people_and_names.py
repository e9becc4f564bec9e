"""The people, the names of code, and what an episode's page says of both and of other episodes."""

import pytest
from django.test import Client

from episodes.models import CodeMention, CodeName, Credit, Episode, EpisodeLink, Link, Person, Podcast, Reference
from episodes.templating import mark_symbol

from .pages import see
from .rows import complete

pytestmark = pytest.mark.usefixtures("catalog")


def credit(slug: str, name: str, episode: str, role: str = "guest", credited_as: str = "") -> None:
    person, _ = Person.objects.get_or_create(slug=slug, defaults={"name": name})
    Credit.objects.create(episode=Episode.objects.get(slug=episode), person=person, role=role, credited_as=credited_as)
    complete()


def use(name: str, slug: str, episode: str, sentence: str, field: str = "notes", position: int = 0) -> None:
    found, _ = CodeName.objects.get_or_create(slug=slug, defaults={"name": name})
    row = Episode.objects.get(slug=episode)
    CodeMention.objects.create(episode=row, name=found, field=field, position=position, sentence=sentence)
    complete()


def test_people_are_found_by_name_letter_and_show(client: Client) -> None:
    other = Podcast.objects.create(slug="other", title="Another show")
    Episode.objects.create(podcast=other, slug="other-1", order=1, title="Bees")
    for slug, name in (("ann", "Ann Ash"), ("anton", "Антон Ель"), ("zoe", "zoe ann %")):
        credit(slug, name, "vmap")
    credit("ann", "Ann Ash", "other-1", "host")

    def people(query: str) -> list[str]:
        page = see(client, f"/people/?{query}")
        return [" ".join(row.text().split()) for row in page.tree.css(".everybody li p")]

    zoe = "zoe ann % Guest on 1 episode · PyTorch Developer Podcast"
    ann = "Ann Ash Guest on 1 episode, host of 1 · Another show, PyTorch Developer Podcast"
    assert people("q=ANN") == [ann, zoe]
    assert people("q=%25") == people("letter=z") == [zoe]
    assert people("podcast=other") == ["Ann Ash Host of 1 episode"]
    assert people("podcast=other&letter=z") == people("q=nobody") == []
    page = see(client, "/people/?letter=A&podcast=nope")
    letters = [a.text() for a in page.tree.css(".letters a")]
    assert {"A", "Z", "А"} <= {*letters}
    assert len({*letters}) == len(letters) < 10
    assert page.one(".letters [aria-current]").attributes["href"] == "/people/"
    assert "unknown show “nope”" in page.text
    assert "Nobody matches" in see(client, "/people/?q=nobody").text
    assert see(client, "/people/?letter=ab").status == 200
    start = see(client, "/people/")
    assert [heading.text() for heading in start.tree.css(".everybody h2")] == ["In several shows", "All people"]
    assert [row.text() for row in start.one(".everybody ul").css("a")] == ["Ann Ash"]
    links = see(client, "/links/?podcast=other")
    assert links.one("h1").text() == "No links"
    assert links.one(".chip").text().split()[2:4] == ["Another", "show"]
    every = see(client, "/links/?podcast=pytorch-developer-podcast")
    assert every.one("h1").text() == see(client, "/links/").one("h1").text()


def test_links_of_several_shows_come_first(client: Client) -> None:
    other = Podcast.objects.create(slug="other", title="Another show")
    episode = Episode.objects.create(podcast=other, slug="other-1", order=1, title="Bees", listed=True)
    link = Link.objects.get(key="gh:pytorch/pytorch#54987")
    assert "In several shows" not in see(client, "/links/").text
    EpisodeLink.objects.create(episode=episode, link=link, position=1, url="https://a.example/")
    complete()
    page = see(client, "/links/")
    assert page.one(".references h2").text().split() == ["In", "several", "shows", "1"]
    shows = page.one(".of-shows").css("span")
    assert {show.text() for show in shows} == {"Another show 1", "PyTorch Developer Podcast 1"}
    assert see(client, "/links/?shared=1").one("h1").text() == "1 link in several shows"


def test_person_page_lists_episodes_newest_first(client: Client) -> None:
    credit("ada-park", "Ada Park", "cmake", credited_as="Ada Park (adap)")
    credit("ada-park", "Ada Park", "vmap", "host")
    credit("ada-park", "Ada Park", "vmap", "author")
    page = see(client, "/people/ada-park/")
    order = Episode.objects.filter(slug__in=("vmap", "cmake")).order_by("-order")
    assert page.entries == [e.get_absolute_url() for e in order]
    for words in ("Credited as Ada Park (adap)", "Author of 1 episode, guest on 1, host of 1"):
        assert words in page.text


@pytest.mark.parametrize("address", ["/people/nobody/", "/names/nothing/", "/people/a%00b/", "/names/a b/"])
def test_unknown_person_or_symbol_is_not_found(client: Client, address: str) -> None:
    assert client.get(address).status_code == 404


def test_names_stand_under_their_letters_with_true_counts(client: Client) -> None:
    CodeName.objects.all().delete()
    use("torch.nn", "torch-nn", "torch-nn", "torch.nn", "title")
    use("__torch_function__", "torch_function", "torch-function", "What __torch_function__ is for.")
    use("__torch_function__", "torch_function", "torch-function", "And __torch_function__ again.", position=40)
    use("__torch_function__", "torch_function", "vmap", "As __torch_function__ does.")
    use("AOTAutograd", "aotautograd", "vmap", "AOTAutograd.")
    use("3d", "3d", "vmap", "3d.")
    CodeName.objects.create(slug="unused", name="unused")
    page = see(client, "/names/")
    assert page.text.startswith("4 symbols")
    assert [a.text() for a in page.tree.css(".letters a")] == ["3", "A", "T"]
    rows = [" ".join(li.text().split()) for li in page.tree.css(".index li")]
    assert rows == ["3d 1", "AOTAutograd 1", "torch.nn 1", "__torch_function__ 2"]
    assert see(client, "/names/?letter=t").total == 2


def test_symbol_is_marked_in_its_sentences(client: Client) -> None:
    use("vmap", "vmap", "vmap", "vmap", "title")
    use("vmap", "vmap", "vmap", "What is vmap?", position=3)
    use("vmap", "vmap", "vmap", "What is vmap?", position=90)
    use("vmap", "vmap", "cmake", "Not vmapped, VMAP, but vmap & <b>.")
    page = see(client, "/names/vmap/")
    order = Episode.objects.filter(slug__in=("vmap", "cmake")).order_by("order")
    assert page.entries == [e.get_absolute_url() for e in order]
    assert [q.text() for q in page.tree.css("blockquote")].count("What is vmap?") == 1
    assert "Not vmapped, VMAP, but <mark>vmap</mark> &amp; &lt;b&gt;." in page.html
    assert "<mark>vmap</mark></a></h2>" in page.html
    shown = mark_symbol(f"{'before ' * 100}vmap {'after ' * 100}", "vmap")
    assert "<mark>vmap</mark>" in shown
    assert shown.startswith("…")
    assert shown.endswith("…")
    assert len(shown) < 300


def test_episode_lists_people_and_symbols(client: Client) -> None:
    for model in (Reference, CodeName, Person):
        model._default_manager.all().delete()
    credit("ed", "Edward Yang", "vmap", "host")
    credit("shen-li", "Shen Li", "vmap", "guest", "mrshenli")
    credit("shen-li", "Shen Li", "strides", "guest")
    use("vmap", "vmap", "vmap", "What is vmap?")
    use("vmap", "vmap", "vmap", "vmap", "title")
    use("_C", "c", "vmap", "_C")
    page = see(client, "/episodes/vmap/")
    assert [a.text() for a in page.tree.css(".beside .run a")] == ["_C", "vmap"]
    links = {a.attributes["href"] for a in page.tree.css(".beside a")}
    assert {"/people/shen-li/", "/names/vmap/", "/names/c/"} <= links
    assert [a.text() for a in page.tree.css(".opening .meta span a")] == ["Shen Li"]
    assert " with Shen Li " in " ".join(page.one(".opening .meta").text().split())
    credit("ann-lee", "Ann Lee", "vmap", "guest")
    page = see(client, "/episodes/vmap/")
    meta = page.one(".opening .meta")
    assert " with Ann Lee, Shen Li " in " ".join(meta.text().split()), "guests are one phrase"
    people = [li.text() for li in page.tree.css(".people li")]
    assert people == ["Edward Yang host", "Shen Li guest, credited as mrshenli", "Ann Lee guest"]
