"""Every verb of a curator as an act on whatever catalog is there, so that histories of them can be made up.

An act takes two numbers that choose what it is about. Without anything of its kind it raises `InvalidChange`.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from inspect import isfunction, signature
from typing import Any, TypeVar

from django.contrib.auth.models import User
from django.db import models, transaction

from episodes import curation
from episodes.admin.inbox_sections import first_inbox_rows
from episodes.curation import CorrectionSubject, InvalidChange, WordCorrection
from episodes.fields import OVERRIDABLE_FIELDS
from episodes.models import (
    Attachment,
    Change,
    CodeName,
    Decision,
    Document,
    Episode,
    Item,
    LearningPath,
    Link,
    Person,
    Podcast,
    Source,
    Suggestion,
    Topic,
    Transcript,
)
from episodes.records import FetchedDocument, FieldConflict

from .conftest import feed, set_status

Act = Callable[[User, int, int], object]
Row = TypeVar("Row")


def chosen(rows: Sequence[Row] | models.QuerySet[models.Model, Row], n: int) -> Row:
    """One of the rows, for any number."""
    there = list(rows)
    if not there:
        raise InvalidChange("There is none.")
    return there[n % len(there)]


def show(n: int) -> Podcast:
    return chosen(Podcast.objects.order_by("rank"), n)


def episode(n: int) -> Episode:
    return chosen(Episode.objects.order_by("podcast__rank", "order"), n)


def sibling(one: Episode, m: int) -> Episode:
    return chosen(Episode.objects.filter(podcast=one.podcast).order_by("order"), m)


def source(n: int) -> Source:
    return chosen(Source.objects.exclude(slug="by-hand").order_by("pk"), n)


def topic(n: int) -> Topic:
    return chosen(Topic.objects.order_by("slug"), n)


def of_decision(rows: models.QuerySet[Decision], n: int) -> tuple[Any, Episode]:
    """One of the decisions that are in force, and the episode that it is about."""
    row = chosen(rows.filter(ended_at=None).order_by("pk"), n)
    about = {"item__document__source__slug": row.source, "item__key": row.item_key}
    own = Attachment.objects.filter(episode__podcast=row.podcast, **about).select_related("episode")
    return row, chosen(own, 0).episode


def thing(model: type[Person | Link | CodeName], n: int) -> CorrectionSubject:
    key = {Person: "identity", Link: "key", CodeName: "name"}[model]
    row: Any = chosen(model._default_manager.order_by(key), n)
    return CorrectionSubject.from_row(row)


def said_words(user: User, n: int, m: int) -> None:
    row = chosen(Transcript.objects.order_by("episode__podcast__rank", "episode__order"), n)
    word = chosen(str(row.cues[0][2]).strip(".").split(), m)
    _, place = chosen([*curation.find_words_in_paragraphs(row.cues, word)], n)
    if m % 2:
        place = WordCorrection("", word, "")
    curation.correct_transcript_words(user, row.episode, replace(place, right=f"{word}{m}"))


def words_of_show(user: User, n: int, m: int) -> None:
    """Correct a word of all transcripts, an earlier correction's right words included."""
    row = chosen(Transcript.objects.order_by("episode__podcast__rank", "episode__order"), n)
    word = chosen(str(row.cues[-1][2]).strip(".").split(), m)
    correction = WordCorrection.of_show(word.lower() if m % 2 else word, f"{word} {n}")
    curation.correct_show_words(user, row.episode.podcast, correction)


def title(user: User, n: int, m: int) -> None:
    curation.override_fields(user, episode(n), {"title": f"Another title {m}"})


def several_fields(user: User, n: int, m: int) -> None:
    values = {"number": str(m + 100), "published": "2020-02-29", "description_text": f"Words {m}."}
    curation.override_fields(user, episode(n), values)


# A value of each field that can be overridden.
VALUES = {
    "title": "Kettles again",
    "number": "7",
    "season": "2",
    "published": "2021-05-03",
    "duration_seconds": "1:02:03",
    "description_text": "See https://github.com/Small/Talks/issues/1 and kettle_lid, says Ada Loom.",
    "slug": "a-new-address",
    "url": "https://small.example/page",
    "audio_url": "https://cdn.example/other.mp3",
    "episode_type": "bonus",
    "explicit": "yes",
    "image_url": "https://images.example/1.png",
    "details": "location | Bath",
}


def any_field(user: User, n: int, m: int) -> None:
    name = chosen(OVERRIDABLE_FIELDS, n + m).name
    curation.override_fields(user, episode(n), {name: VALUES[name]})


def no_value(user: User, n: int, m: int) -> None:
    field = chosen(("number", "published", "description_text", "audio_url"), m)
    curation.override_fields(user, episode(n), {field: ""})


def release_or_keep(user: User, n: int, m: int) -> None:
    row, found = of_decision(Decision.objects.filter(kind="value"), n)
    verb = chosen((curation.unlock_fields, curation.confirm_overrides), n + m)
    verb(user, found, *[row.field, "title", "number", "slug"][: m % 4 + 1])


def several_at_once(user: User, n: int, m: int) -> None:
    with curation.batch_changes(Podcast.objects.all(), "edit") as batch:
        for found in Episode.objects.order_by("podcast__rank", "order")[n : n + n % 3 + 1]:
            with batch.attempt(found.title):
                curation.override_fields(user, found, {"explicit": ("yes", "no")[m % 2]})


def a_repair(user: User, n: int, m: int) -> None:
    """One of the repairs of all episodes of a show."""
    words = curation.WordReplacement("about", f"on {m}")
    verdict = ("repeats", "replaces")[m % 2]
    repairs = (
        curation.ReplaceWords(field_name="title", words=words),
        curation.AddTopic(topic=topic(m)),
        curation.RemoveTopic(topic=topic(m), replaces_decisions=True),
        curation.LockField(field_name="number"),
        curation.UnlockField(field_name="title"),
        curation.MarkReruns(rerun_words="", verdict=verdict),
    )
    rows = Episode.objects.filter(podcast=show(n)).select_related("podcast").order_by("order")
    token = repairs[m % len(repairs)].plan(rows).token
    curation.repair_rows(user, repairs[m % len(repairs)], rows, [show(n)], token=token)


def take_topic_out(user: User, n: int, m: int) -> None:
    use = chosen(episode(n).topic_uses.all(), 0)
    curation.remove_list_entry(user, episode(n), "topic", use.topic.slug)


def take_link_out(user: User, n: int, m: int) -> None:
    mention = chosen(episode(n).mentions.order_by("link__key"), 0)
    curation.remove_list_entry(user, episode(n), "link", mention.link.key)


def take_person_out(user: User, n: int, m: int) -> None:
    credit = chosen(episode(n).credits.order_by("person__identity", "role"), 0)
    curation.remove_list_entry(user, episode(n), "person", credit.person.identity)


def put_topic_in(user: User, n: int, m: int) -> None:
    curation.add_list_entry(user, episode(n), "topic", topic(m).slug)


def put_link_in(user: User, n: int, m: int) -> None:
    curation.add_list_entry(user, episode(n), "link", f"https://example.net/added/{m}", "words")


def put_person_in(user: User, n: int, m: int) -> None:
    curation.add_list_entry(user, episode(n), "person", "@kim", "guest Kim Lee")


def a_moment(user: User, n: int, m: int) -> None:
    curation.add_list_entry(user, episode(n), "moment", f"{topic(m).slug} {m}-{m + 9}", f"what is said at {n}")


def no_moment(user: User, n: int, m: int) -> None:
    row, found = of_decision(Decision.objects.filter(kind="moment", value="added"), n)
    curation.remove_list_entry(user, found, "moment", row.key)


def bring_one_back(user: User, n: int, m: int) -> None:
    row, found = of_decision(Decision.objects.filter(value="removed").exclude(kind="reference"), n)
    curation.restore_list_entry(user, found, row.kind, row.key)


def role(user: User, n: int, m: int) -> None:
    credit = chosen(episode(n).credits.order_by("person__identity", "role"), 0)
    typed = f"{('host', 'guest')[m % 2]} {credit.person.name}"
    curation.add_list_entry(user, episode(n), "person", credit.person.identity, typed)


def relation(user: User, n: int, m: int) -> None:
    found = episode(n)
    kind = ("prerequisite", "see-also", "follow-up")[m % 3]
    curation.add_list_entry(user, found, "reference", " ".join(curation.first_anchor(sibling(found, m))), kind)


def no_relation(user: User, n: int, m: int) -> None:
    found = episode(n)
    curation.remove_list_entry(user, found, "reference", " ".join(curation.first_anchor(sibling(found, m))))


def merge_two(user: User, n: int, m: int) -> None:
    found = episode(n)
    curation.merge_episodes(user, found, sibling(found, m), {"title": "Two in one"} if m % 2 else None)


def of_several_entries(n: int) -> tuple[Episode, list[Item]]:
    """An episode that has several entries, and these without the first."""
    rows = Episode.objects.annotate(entries=models.Count("attachments")).filter(entries__gt=1)
    found = chosen(rows.order_by("podcast__rank", "order"), n)
    return found, list(Item.objects.filter(attachment__episode=found).order_by("pk"))[1:]


def split_one(user: User, n: int, m: int) -> None:
    curation.split_episode(user, *of_several_entries(n))


def move_some_entries(user: User, n: int, m: int) -> None:
    found, items = of_several_entries(n)
    curation.split_episode(user, found, items, sibling(found, m))


def judge_entry(user: User, n: int, m: int) -> None:
    found = episode(m)
    items = Item.objects.filter(withdrawn=None, is_post=False, document__source__podcast=found.podcast)
    curation.decide_match(user, chosen(items.order_by("pk"), n), ("same", "different")[(n + m) % 2], found)


def entry_alone(user: User, n: int, m: int) -> None:
    curation.decide_match(user, chosen(Item.objects.order_by("pk"), n), "new")


def no_episode(user: User, n: int, m: int) -> None:
    curation.decide_match(user, chosen(Item.objects.order_by("pk"), n), "ignore")


def published_before(user: User, n: int, m: int) -> None:
    found = episode(n)
    curation.decide_rerun(user, found, sibling(found, m), ("replaces", "repeats", "unrelated")[(n + m) % 3])


def take_one_out(user: User, n: int, m: int) -> None:
    found = episode(n)
    curation.withdraw_episode(user, found, ("no-episode", "hidden", "replaced")[m % 3], sibling(found, m))


def withdraw_a_pages_episodes(user: User, n: int, m: int) -> None:
    documents = Document.objects.filter(kind="listing", source__podcast=show(n)).order_by("pk")
    curation.withdraw_episodes_only_in(user, chosen(documents, m))


def by_hand(user: User, n: int, m: int) -> None:
    curation.add_episode(user, show(n), {"title": f"Never listed {m}", "published": f"2021-03-0{m % 9 + 1}"})


def close_a_conflict(user: User, n: int, m: int) -> None:
    found = chosen(Episode.objects.exclude(conflicts=[]).order_by("podcast__rank", "order"), n)
    keys = [FieldConflict(**row).key for row in found.conflicts]
    curation.remove_list_entry(user, found, "conflict", *keys[: m + 1])


def correct_person(user: User, n: int, m: int) -> None:
    values = {"name": f"Kim {m}", "url": "https://kim.example/", "image": f"https://kim.example/{m}.png"}
    curation.save_corrections(user, thing(Person, n), values)


def join_people(user: User, n: int, m: int) -> None:
    with transaction.atomic():  # who cannot be merged is not added either
        curation.add_list_entry(user, episode(n), "person", "@lee", "guest Lee")
        curation.merge_subjects(user, thing(Person, n), thing(Person, m))


def different_people(user: User, n: int, m: int) -> None:
    curation.keep_namesakes_apart(user, thing(Person, m))


def no_person(user: User, n: int, m: int) -> None:
    curation.hide_subject(user, thing(Person, m))


def no_link(user: User, n: int, m: int) -> None:
    curation.hide_subject(user, thing(Link, n))


def no_symbol(user: User, n: int, m: int) -> None:
    curation.hide_subject(user, thing(CodeName, m))


def correct_link(user: User, n: int, m: int) -> None:
    values = {"label": f"Label {m}", "kind": "paper", "replacement": f"https://web.archive.org/web/2021/{m}"}
    curation.save_corrections(user, thing(Link, n), values)


def join_symbols(user: User, n: int, m: int) -> None:
    curation.override_fields(user, episode(n), {"description_text": "The kettle_lid is no KettleLid."})
    curation.merge_subjects(user, thing(CodeName, n), thing(CodeName, m))


def end_a_correction(user: User, n: int, m: int) -> None:
    row = chosen(Decision.objects.filter(kind__startswith="correct-", ended_at=None).order_by("pk"), n)
    subject = CorrectionSubject(row.kind.removeprefix("correct-"), row.key, row.detail or row.key)
    curation.save_corrections(user, subject, {row.field: ""})


def new_topic(user: User, n: int, m: int) -> None:
    owner = show(n) if n % 2 else None
    curation.save_row(user, Topic(slug=f"new-{m}", name=f"New {m}", rules={"title": ["ladders"]}, podcast=owner))


def save_with(user: User, row: Any, **values: object) -> None:
    for name, value in values.items():
        setattr(row, name, value)
    curation.save_row(user, row)


def rename_topic(user: User, n: int, m: int) -> None:
    save_with(user, topic(n), slug=f"renamed-{m}", name=f"Renamed {m}")


def other_rules(user: User, n: int, m: int) -> None:
    rules = {chosen(("title", "notes", "excludes"), m): [chosen(("ladders", "mirrors", "issues"), n)]}
    save_with(user, topic(n), rules=rules, podcast=show(m) if m % 3 == 0 else None)


def join_topics(user: User, n: int, m: int) -> None:
    curation.merge_topics(user, topic(n), topic(m))


def no_topic(user: User, n: int, m: int) -> None:
    if Topic.objects.count() > 1:
        curation.delete_topic_or_path(user, topic(n))


def new_path(user: User, n: int, m: int) -> None:
    steps = [{"episode": episode(n).slug, "why": "First."}, {"episode": episode(m).slug, "why": ""}]
    slug = f"path-{m}-{LearningPath.objects.count()}"
    path = LearningPath(slug=slug, title=f"Path {m}", steps=steps, podcast=show(n) if n % 2 else None)
    curation.save_row(user, path)


def rename_or_delete_path(user: User, n: int, m: int) -> None:
    path = chosen(LearningPath.objects.order_by("pk"), n)
    if m % 2:
        curation.delete_topic_or_path(user, path)
    else:
        save_with(user, path, slug=f"renamed-{m}-{path.pk}")


def show_texts(user: User, n: int, m: int) -> None:
    save_with(user, show(n), title=f"Small Talks {m}", description=f"Words {n}.", author="")


def show_status(user: User, n: int, m: int) -> None:
    save_with(user, show(n), status=("removed", "archived", "active", "paused")[m % 4])


def no_code(user: User, n: int, m: int) -> None:
    save_with(user, show(n), not_code=[thing(CodeName, m).name])


def another_show(user: User, n: int, m: int) -> None:
    page = feed(range(n % 3 + 1), name=f"Late Talks {m % 2}")
    with transaction.atomic():
        curation.add_show(user, FetchedDocument(page, f"https://late.example/{m % 2}"))


def source_status(user: User, n: int, m: int) -> None:
    set_status(user, source(n), ("paused", "removed", "archived", "active")[m % 4])


def source_title(user: User, n: int, m: int) -> None:
    save_with(user, source(n), title=f"Source {m}", rank=m + 1, may_create=m % 3 > 0)


def source_moves(user: User, n: int, m: int) -> None:
    found = source(n)
    found.address = f"https://moved.example/{n}/{m}"
    curation.save_source(user, found)


def a_suggestion(user: User, n: int, m: int) -> None:
    found = episode(n)
    about = dict(zip(("source", "item_key"), curation.first_anchor(found), strict=True), podcast=found.podcast)
    typed = {"kind": "episode", "subject": "It", "page": "/", "field": "title", "value": f"Suggested {m}"}
    one = Suggestion.objects.create(**about, **typed)
    if m % 2:
        curation.accept_suggestion(user, one)
    else:
        curation.close_suggestion(user, one, Suggestion.REFUSED)


def a_button_of_the_inbox(user: User, n: int, m: int) -> None:
    row = chosen([row for row in first_inbox_rows(50) if row.buttons], n)
    row.section.apply_button(user, row, chosen(row.buttons, m).name)


def take_back(user: User, n: int, m: int) -> None:
    curation.undo_change(user, chosen(Change.objects.order_by("-pk"), n))


def take_the_last_back(user: User, n: int, m: int) -> None:
    curation.undo_changes(user, Change.objects.filter(undone_at=None).exclude(rows=[])[: n % 3 + 1])


ACTS: dict[str, Act] = {
    name: function
    for name, function in list(globals().items())
    if isfunction(function) and [*signature(function).parameters] == ["user", "n", "m"]
}
