"""A repair of a list: its preview is what it does, everything else stays with a reason, and one press undoes it."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from episodes.curation import CorrectionSubject, add_list_entry, override_fields, save_corrections
from episodes.models import Change, Credit, Decision, Episode, Link, Person, Podcast, SavedFilter, Source, Topic

from ..curation.conftest import export, staff
from ..kept import made_once
from .conftest import episode, logged_in, said, talks_show

CONFLICT = {"field": "number", "source": "feed", "value": "3", "other_source": "other", "other_value": "4"}
NAME_TAKEN = "The topic Music has one of these names already; merge them, or give it to every show."
# The list, the repair and its form.
REPAIRS = [
    ("episode", "set", {"field_name": "season", "value": "2"}),
    ("episode", "replace", {"field_name": "title", "wrong": "All about", "right": "On"}),
    ("episode", "replace", {"field_name": "description_text", "wrong": "where they come from,", "right": ""}),
    ("episode", "source", {"field_name": "title", "source": "feed", "replaces_decisions": "on"}),
    ("episode", "type", {"field_name": "duration_seconds", "lines": "all-about-kettles-0\t13:45\nall-about-organs-4 1:02:03"}),
    ("episode", "add-topic", {"topic": "household"}),
    ("episode", "remove-topic", {"topic": "household", "replaces_decisions": "on"}),
    ("episode", "add-person", {"name": "Ada Roe", "role": "guest"}),
    ("episode", "remove-person", {"name": "Bo Finn"}),
    ("episode", "lock", {"field_name": "published"}),
    ("episode", "unlock", {"field_name": "title"}),
    ("episode", "take-out", {"kind": "hidden"}),
    ("person", "rename", {"wrong": "Finn", "right": "Fynn"}),
    ("person", "hide", {}),
    ("link", "label", {"wrong": "Small", "right": "Large"}),
    ("link", "kind", {"kind": "paper"}),
    ("link", "address", {"wrong": "example.org", "right": "example.com"}),
    ("link", "archive", {}),
    ("link", "hide", {}),
    ("topic", "rename", {"wrong": "Household", "right": "Home"}),
    ("topic", "group", {"group": "Rooms"}),
    ("topic", "merge", {"into": "music"}),
    ("topic", "delete", {}),
]  # fmt: skip


def address(model: str, kind: str, query: str = "") -> str:
    return reverse(f"admin:episodes_{model}_repair_rows", args=(kind,)) + query


def preview(client: Client, url: str, form: dict[str, str]) -> Any:
    """Return the template values of the preview, or {} if no row is left."""
    return client.post(url, form).context or {}


def save(client: Client, url: str, form: dict[str, Any], shown: Any) -> Any:
    return client.post(url, {**form, "seen": shown["token"], "reason": "for order"}, follow=True)


@pytest.fixture
def edited(curator: User) -> Client:
    """Return a client of the small show after three edits: a title, a credit, and the label of a link."""
    made_once(edited_talks, curator)
    return logged_in(curator)


def edited_talks() -> None:
    curator = User.objects.get(username="carla")
    talks_show()
    override_fields(curator, episode(1), {"title": "Mine 1"})
    add_list_entry(curator, episode(2), "person", "bo@x", "host Bo Finn")
    link = CorrectionSubject.from_row(Link.objects.order_by("key")[0])
    save_corrections(curator, link, {"label": "Small page"})


@pytest.mark.parametrize("model, kind, form", REPAIRS)
def test_repair_does_what_its_preview_says(edited: Client, model: str, kind: str, form: dict[str, str]) -> None:
    before, changes = export(), Change.objects.count()
    url = address(model, kind)
    shown = preview(edited, url, form)
    assert shown["change_count"] > 0, shown["form"].errors
    assert (export(), Change.objects.count()) == (before, changes)
    done = save(edited, url, form, shown)
    assert f": done for {shown['counted_changes']}." in said(done)
    assert {change.reason for change in Change.objects.all()[: shown["change_count"]]} == {"for order"}
    assert export() != before or model == "topic" or kind == "lock"
    # Done again, there is nothing left to do, or no row to do it to.
    again = preview(edited, url, form)
    assert not again.get("change_count")
    undone = edited.post(done.redirect_chain[-1][0], {"all": "1"}, follow=True)
    assert "undone" in said(undone)
    assert export() == before


def test_rows_that_stay_have_a_reason(client: Client, curator: User) -> None:
    override_fields(curator, episode(1), {"title": "All about LADDERS 1"})
    override_fields(curator, episode(2), {"title": "Ladders of mirrors 2"})
    override_fields(curator, episode(3), {"title": "Stepladders 3"})
    url = address("episode", "replace", "?q=a")
    form = {"field_name": "title", "wrong": "ladders", "right": "stairs"}
    shown = preview(client, url, form)
    assert {group["reason"]: group["count"] for group in shown["untouched"]} == {
        "the words are spelled “LADDERS” there": 1,
        "the words are spelled “Ladders” there": 1,
        "“ladders” is only a part of a longer word there": 1,
        "“ladders” is not in it": 2,
    }
    shown = preview(client, url, {**form, "wrong": "LADDERS"})
    assert "locked by carla" in [group["reason"] for group in shown["untouched"]]
    shown = preview(client, url, {**form, "wrong": "LADDERS", "replaces_decisions": "on"})
    assert [(c["before"], c["after"]) for c in shown["changes"]] == [("All about LADDERS 1", "All about stairs 1")]


@pytest.mark.parametrize(
    "model, kind, form, reason",
    [
        ("episode", "lock", {"field_name": "season"}, "has no value"),
        ("episode", "source", {"field_name": "season", "source": "feed"}, "feed has no value for it"),
        ("episode", "source", {"field_name": "title", "source": "loom"}, "loom does not list it"),
        ("episode", "set", {"field_name": "number", "value": "1", "replaces_decisions": ""}, "locked by carla"),
        ("episode", "type", {"field_name": "title", "lines": "None of it"}, "no selected episode has this address or number"),
        ("episode", "remove-topic", {"topic": "music"}, "added by carla"),
        ("person", "rename", {"wrong": "Bo Finn", "right": ""}, "nothing would be left of its name"),
        ("link", "address", {"wrong": "https://", "right": "mailto:"}, "the new address would be no web address"),
        ("link", "label", {"wrong": "Small page", "right": ""}, "nothing would be left of its name"),
        ("topic", "rename", {"wrong": "Household", "right": "H" * 101}, "the name would not have 1 to 100 characters"),
        ("topic", "rename", {"wrong": "Household", "right": "Music"}, NAME_TAKEN),
        ("topic", "merge", {"into": "weaving"}, "Weaving is a topic of one show only"),
    ],
)  # fmt: skip
def test_row_that_cannot_change_has_a_reason(
    edited: Client, curator: User, model: str, kind: str, form: dict[str, str], reason: str
) -> None:
    loom = Podcast.objects.create(slug="loom", title="Loom")
    Source.objects.create(podcast=loom, slug="loom", reader="feed")
    Topic.objects.create(slug="weaving", name="Weaving", podcast=loom)
    override_fields(curator, episode(0), {"number": "7"})
    add_list_entry(curator, episode(0), "topic", "music")
    shown = preview(edited, address(model, kind), form)
    assert reason in [group["reason"] for group in shown["untouched"]], (shown["untouched"], shown["form"].errors)


def test_topic_is_added_in_its_show_alone(client: Client) -> None:
    loom = Podcast.objects.create(slug="loom", title="Loom")
    Episode.objects.create(podcast=loom, slug="reeds", title="About reeds", order=1)
    Topic.objects.create(slug="weaving", name="Weaving", podcast=loom)
    shown = preview(client, address("episode", "add-topic", "?q=about"), {"topic": "weaving"})
    assert [change["after"] for change in shown["changes"]] == ["Weaving"]
    reasons = {group["reason"]: group["count"] for group in shown["untouched"]}
    assert reasons == {"Weaving is a topic of another show.": 5}


def test_preview_is_shown_again_if_somebody_was_faster(client: Client) -> None:
    url = address("episode", "set", "?q=about")
    form = {"field_name": "season", "value": "2"}
    shown = preview(client, url, form)
    override_fields(staff("zoe", "curator"), episode(3), {"season": "1"})
    refused = save(client, url, form, shown)
    assert "Somebody changed these rows since the preview" in said(refused)
    assert not Episode.objects.filter(season=2).exists()
    assert refused.context["change_count"] == 4
    # With another value, the button shows its preview first.
    other = save(client, url, {**form, "value": "3"}, refused.context)
    assert {change["after"] for change in other.context["changes"]} == {"3"}
    left_out = {**form, "leave_out": episode(0).slug}
    save(client, url, left_out, refused.context)
    assert sorted(Episode.objects.filter(season=2).values_list("title", flat=True)) == [
        "All about ladders 1",
        "All about mirrors 2",
        "All about organs 4",
    ]


def test_ticked_rows_and_conflicts_are_repaired(client: Client) -> None:
    Episode.objects.filter(pk=episode(3).pk).update(conflicts=[CONFLICT])
    chosen = {"action": "repair", "_selected_action": [str(episode(n).pk) for n in (2, 3)]}
    answer = client.post("/admin/episodes/episode/", chosen, follow=True)
    assert "Repair 2 episodes" in said(answer)
    assert "Repair 1 episode" in said(client.get("/admin/episodes/episode/?conflict=number"))
    assert "Repair 1 episode" not in said(client.get("/admin/episodes/episode/?conflict=title"))
    url = address("episode", "conflicts", "?conflict=number")
    save(client, url, {"field_name": "number"}, preview(client, url, {"field_name": "number"}))
    assert Decision.objects.get(kind="conflict").key == "number\n3\n4"


def test_list_that_cannot_be_repaired_says_why(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def answer_to(query: str) -> str:
        return said(client.get(address("episode", "lock", query), follow=True))

    assert "The list has no such filter." in answer_to("?nonsense=1")
    assert "No row to repair." in answer_to("?q=nowhere")
    monkeypatch.setattr("episodes.curation.MAX_REPAIRED_ROWS", 4)
    assert "The list shows 5 rows. Repair at most 4 at once: filter the list first." in answer_to("")


def test_person_with_two_roles_is_not_added_again(edited: Client) -> None:
    bo = Person.objects.get(identity="bo@x")
    Credit.objects.create(episode=episode(2), person=bo, role="producer")
    url = address("episode", "add-person", f"?pk__in={episode(2).pk}")
    assert preview(edited, url, {"name": "Bo Finn", "role": "host"})["change_count"] == 0
    shown = preview(edited, url, {"name": "Bo Finn", "role": "guest"})
    change = shown["changes"][0]
    assert change["before"] == "Bo Finn (host), Bo Finn (producer)"
    assert change["after"] == "Bo Finn (guest)"


def test_rerun_is_marked_with_its_original(client: Client, curator: User) -> None:
    override_fields(curator, episode(4), {"title": "Rerun: All about kettles 0"})
    url = address("episode", "re-runs")
    form = {"verdict": "repeats", "rerun_words": "rerun"}
    shown = preview(client, url, form)
    assert [change["after"] for change in shown["changes"]] == [
        "the later one is a rebroadcast of the other: All about kettles 0"
    ]
    save(client, url, form, shown)
    assert Episode.objects.get(listed=False).title == "Rerun: All about kettles 0"
    assert preview(client, url, form)["change_count"] == 0


def test_filter_with_a_name_is_on_start_page(client: Client) -> None:
    Topic.objects.filter(slug="music").update(group="Sound")
    query = "?group=Sound&p=1"
    client.post(f"/admin/episodes/topic/save-filter/{query}", {"name": "Sounds"})
    SavedFilter.objects.create(name="Of a list that is gone", list_name="Nothing", query="q=a")
    (saved,) = client.get("/admin/").context["saved"]
    assert (saved["name"], saved["count"], saved["address"]) == ("Sounds", 1, "/admin/episodes/topic/?group=Sound")
    assert "<b>Sounds</b>" in said(client.get(saved["address"]))
    again = client.post(f"/admin/episodes/topic/save-filter/{query}", {"name": "Others"})
    assert "This filter has a name already" in said(again)
    client.post("/admin/episodes/topic/forget-filter/?group=Sound")
    assert not SavedFilter.objects.filter(list_name="Topic").exists()


def test_viewer_has_no_repair(client: Client) -> None:
    viewer = logged_in(staff("vera", "viewer"))
    for model in (Episode, Person, Link, Topic):
        name = model._meta.model_name
        assert "Repair" not in said(viewer.get(reverse(f"admin:episodes_{name}_changelist")))
        assert viewer.get(reverse(f"admin:episodes_{name}_repair")).status_code == 403
    assert viewer.post(address("episode", "lock"), {"field_name": "title"}).status_code == 403
    assert viewer.post("/admin/episodes/topic/save-filter/?q=a", {"name": "A"}).status_code == 403
