"""Learning paths in the admin: made, put in order by numbers, previewed, published, and taken back."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from episodes.curation import decide_match, row_token
from episodes.models import Change, Episode, Item, LearningPath, Podcast, Transcript

from ..tables import cases
from .conftest import episode, logged_in, said

CASES = cases("admin_paths")

ADD = "/admin/episodes/learningpath/add/"


@pytest.fixture
def path(client: Client, talks: Podcast) -> LearningPath:
    steps = [{"episode": episode(n).slug, "why": f"Reason {n}."} for n in range(3)]
    return LearningPath.objects.create(podcast=talks, slug="walk", title="A walk", steps=steps)


def at(path: LearningPath, name: str = "change") -> str:
    return reverse(f"admin:episodes_learningpath_{name}", args=(path.pk,))


def rows_of(path: LearningPath | None, *added: tuple[str, str, str]) -> dict[str, str]:
    """The rows of the form as a browser sends them: those that are there, and added ones as (number, episode, why)."""
    kept = [(str(nth), step.episode, step.reason) for nth, step in enumerate(path.well_formed_steps, 1)] if path else []
    rows = [*kept, *added]
    data = {"steps-TOTAL_FORMS": str(len(rows)), "steps-INITIAL_FORMS": str(len(kept))}
    for nth, (number, named, why) in enumerate(rows):
        data |= {f"steps-{nth}-ORDER": number, f"steps-{nth}-episode": named, f"steps-{nth}-why": why}
    return data


def form(path: LearningPath, *added: tuple[str, str, str], **changed: str) -> dict[str, str]:
    data = {"title": path.title, "slug": path.slug, "position": "0", "published": "on", "seen": row_token(path)}
    return {**data, "podcast": str(path.podcast_id or ""), **rows_of(path, *added), **changed}


def order(path: LearningPath) -> list[str]:
    path.refresh_from_db()
    return [step.episode.rpartition("-")[2] for step in path.well_formed_steps]


def test_new_path_accepts_title_number_address(client: Client, talks: Podcast) -> None:
    Episode.objects.filter(pk=episode(1).pk).update(number=7)
    shown = client.get(ADD)
    assert shown.context["form"].initial["podcast"] == talks.pk
    assert len(shown.context["form"].steps.forms) == 3, "empty rows"
    added = [("", "All about mirrors 2", " First. "), ("", "7", ""), ("", episode(0).slug, "Last.")]
    data = {"title": "A walk, made", "podcast": str(talks.pk), "position": "1", "published": "on"}
    assert client.post(ADD, data | rows_of(None, *added)).status_code == 302
    path = LearningPath.objects.get()
    assert path.slug == "a-walk-made"
    assert order(path) == ["2", "1", "0"]
    assert [step.reason for step in path.well_formed_steps] == ["First.", "", "Last."]
    assert said(client.get("/paths/a-walk-made/")).count("<article") == 3


def test_moments_are_kept_as_path(client: Client, talks: Podcast) -> None:
    talk = episode(0)
    Episode.objects.filter(pk=talk.pk).update(audio_url="https://audio.example.org/a.mp3")
    cues = [[7, "", "A kumquat sings."], [9, "", "Nothing."]]
    Transcript.objects.create(episode=talk, url="", sha256="", text="A kumquat sings.\nNothing.", cues=cues)
    page = said(client.get("/moments/?q=kumquat"))
    assert f'href="{ADD}?q=kumquat">Keep as a learning path' in page
    assert "Keep as" not in said(Client().get("/moments/?q=kumquat"))
    steps = client.get(f"{ADD}?q=kumquat").context["form"].steps
    kept = [(form.initial["slug"], form.initial["why"]) for form in steps.initial_forms]
    assert kept == [(talk.slug, "0:07–0:09: “A kumquat sings.”")]
    data = {"title": "Kumquats", "podcast": "", "position": "1", "published": "on", "steps-TOTAL_FORMS": "1"}
    row = {"steps-0-ORDER": "1", "steps-0-episode": talk.slug, "steps-0-why": "Sings", "steps-INITIAL_FORMS": "1"}
    assert client.post(f"{ADD}?q=kumquat", data | row).status_code == 302
    assert LearningPath.objects.get().steps == [{"episode": talk.slug, "why": "Sings"}]


def test_a_number_puts_a_part_in_its_place(client: Client, path: LearningPath) -> None:
    moves = {"120": {0: "3"}, "201": {2: "1"}, "102": {0: "2"}, "210": {0: "3", 2: "1"}, "021": {1: ""}}
    for expected, numbers in (*moves.items(), ("120", {0: "9"})):
        LearningPath.objects.filter(pk=path.pk).update(steps=path.steps)
        unmoved = LearningPath.objects.get()
        moved = {f"steps-{nth}-ORDER": number for nth, number in numbers.items()}
        assert client.post(at(path), form(unmoved) | moved).status_code == 302
        assert "".join(order(unmoved)) == expected


def test_step_is_removed_and_moved(client: Client, path: LearningPath) -> None:
    first, then = episode(0), episode(2)
    first.references.create(target=then, kind="prerequisite")
    warning = f"“{then}” is a prerequisite of “{first}” but comes after it."
    assert warning in said(client.get(at(path)))
    again = form(path, ("", first.slug, "Again."))
    assert client.post(at(path), again | {"steps-0-DELETE": "on"}).status_code == 302
    assert order(path) == ["1", "2", "0"]
    assert warning not in said(client.get(at(path)))
    twice = form(path, ("", first.slug, "Again."))
    assert f"“{first.slug}” is there twice" in said(client.post(at(path), twice, follow=True))


def test_preview_shows_steps_in_order(client: Client, path: LearningPath) -> None:
    before = row_token(path)
    shown = client.post(at(path), form(path, title="Another", _preview="1") | {"steps-0-ORDER": "3"})
    assert [str(e) for e in shown.context["path_preview"].episodes] == [str(episode(n)) for n in (1, 2, 0)]
    assert "Not saved yet." in said(shown)
    assert row_token(LearningPath.objects.get()) == before
    made = {"title": "New", "podcast": "", "position": "1", "_preview": "1"}
    shown = client.post(ADD, made | rows_of(None, ("", episode(0).slug, "")))
    assert len(shown.context["path_preview"].steps) == 1
    assert LearningPath.objects.count() == 1
    assert not Change.objects.exists()


@pytest.mark.parametrize("changed, complaint", CASES["invalid_path_is_refused_with_reason"])
def test_invalid_path_is_refused_with_reason(
    client: Client, path: LearningPath, changed: dict[str, str], complaint: str
) -> None:
    LearningPath.objects.create(slug="other", title="Other")
    before = row_token(path)
    for button in ("_save", "_preview"):
        shown = client.post(at(path), form(path) | changed | {button: "1"})
        assert shown.status_code == 200
        assert complaint in said(shown).replace("&#x27;", "'")
    assert row_token(LearningPath.objects.get(pk=path.pk)) == before
    assert not Change.objects.exists()


def test_renamed_or_deleted_path_redirects(client: Client, path: LearningPath) -> None:
    client.post(at(path), form(path, slug="stroll"))
    assert client.get("/paths/walk/").headers["Location"] == "/paths/stroll/"
    assert client.get("/paths/walk.csv").headers["Location"] == "/paths/stroll.csv"
    path.refresh_from_db()
    data = form(path)
    del data["published"]
    client.post(at(path), data)
    assert client.get("/paths/stroll/").status_code == 404
    path.refresh_from_db()
    assert client.get(at(path, "delete")).status_code == 200
    client.post(at(path, "delete"), {"seen": row_token(path)})
    assert not LearningPath.objects.exists()
    assert client.get("/paths/walk/").headers["Location"] == "/paths/"
    assert client.get("/paths/walk.csv").status_code == 404
    verbs = [change.verb for change in Change.objects.all()]
    assert verbs == ["delete learning path", "edit learning path", "edit learning path"]


def test_lost_episode_of_path_is_reported(client: Client, curator: User, path: LearningPath) -> None:
    assert all(need["name"] != "Broken paths" for need in client.get("/admin/").context["missing"])
    lost = episode(1).slug
    decide_match(curator, Item.objects.get(key="guid:small-1", document__source__slug="feed"), "ignore")
    for item in Item.objects.filter(attachment__episode__slug=lost):
        decide_match(curator, item, "ignore")
    need = next(need for need in client.get("/admin/").context["missing"] if need["name"] == "Broken paths")
    assert need["count"] == 1
    LearningPath.objects.create(slug="whole", title="Whole", steps=[])
    assert [row.slug for row in client.get(need["address"]).context["cl"].result_list] == ["walk"]
    assert f"“{lost}” is gone" in said(client.get(at(path)))
    assert client.post(at(path), form(path, title="Still a walk")).status_code == 302
    assert order(path) == ["0", "1", "2"]
    assert said(client.get("/paths/walk/")).count("<article") == 2


def test_an_input_offers_the_episodes_that_are_meant(client: Client) -> None:
    answer = client.get("/admin/episodes/episode/named/", {"term": "mirr"})
    assert answer.json() == {"results": [{"id": episode(2).slug, "text": "All about mirrors 2"}]}
    assert "/admin/episodes/episode/named/" in said(client.get(ADD))
    for value in ("", "\0", "9" * 400, "%"):
        assert client.get("/admin/episodes/episode/named/", {"term": value}).status_code == 200
    nobody = logged_in(User.objects.create_user("nobody", is_staff=True))
    assert nobody.get("/admin/episodes/episode/named/").status_code == 403
