"""Actions of curators on any catalog, of which tests make random histories.

An action takes two numbers that pick its rows. It raises `InvalidChange` if there is no such row.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from inspect import isfunction, signature
from typing import Any, TypeVar

from django.contrib.auth.models import User
from django.db import models, transaction

from episodes import curation
from episodes.admin.inbox_sections import first_inbox_rows
from episodes.curation import CorrectionSubject, EditConflict, InvalidChange, UndoConflict, WordCorrection
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
REFUSED = (InvalidChange, UndoConflict, EditConflict)
Row = TypeVar("Row")


def pick_row(rows: Sequence[Row] | models.QuerySet[models.Model, Row], n: int) -> Row:
    """Return one of the rows, for any number."""
    all_rows = list(rows)
    if not all_rows:
        raise InvalidChange("There is none.")
    return all_rows[n % len(all_rows)]


def show(n: int) -> Podcast:
    return pick_row(Podcast.objects.order_by("rank"), n)


def episode(n: int) -> Episode:
    return pick_row(Episode.objects.order_by("podcast__rank", "order"), n)


def sibling(first: Episode, m: int) -> Episode:
    return pick_row(Episode.objects.filter(podcast=first.podcast).order_by("order"), m)


def source(n: int) -> Source:
    return pick_row(Source.objects.exclude(slug="by-hand").order_by("pk"), n)


def topic(n: int) -> Topic:
    return pick_row(Topic.objects.order_by("slug"), n)


def decision_and_episode(rows: models.QuerySet[Decision], n: int) -> tuple[Any, Episode]:
    """Return one of the decisions in force, and its episode."""
    row = pick_row(rows.filter(ended_at=None).order_by("pk"), n)
    entry = {"item__document__source__slug": row.source, "item__key": row.item_key}
    attachments = Attachment.objects.filter(episode__podcast=row.podcast, **entry).select_related("episode")
    return row, pick_row(attachments, 0).episode


def correction_subject(model: type[Person | Link | CodeName], n: int) -> CorrectionSubject:
    key = {Person: "identity", Link: "key", CodeName: "name"}[model]
    row: Any = pick_row(model._default_manager.order_by(key), n)
    return CorrectionSubject.from_row(row)


def correct_word_of_transcript(user: User, n: int, m: int) -> None:
    row = pick_row(Transcript.objects.order_by("episode__podcast__rank", "episode__order"), n)
    word = pick_row(str(row.cues[0][2]).strip(".").split(), m)
    _, correction = pick_row([*curation.iterate_paragraph_numbers_and_corrections(row.cues, word)], n)
    if m % 2:
        correction = WordCorrection("", word, "")
    curation.correct_transcript_words(user, row.episode, replace(correction, right=f"{word}{m}"))


def correct_word_of_show(user: User, n: int, m: int) -> None:
    """Correct a word in all transcripts. It may be the right word of an earlier correction."""
    row = pick_row(Transcript.objects.order_by("episode__podcast__rank", "episode__order"), n)
    word = pick_row(str(row.cues[-1][2]).strip(".").split(), m)
    correction = WordCorrection.of_show(word.lower() if m % 2 else word, f"{word} {n}")
    curation.correct_show_words(user, row.episode.podcast, correction)


def override_several_fields(user: User, n: int, m: int) -> None:
    values = {"number": str(m + 100), "published": "2020-02-29", "description_text": f"Words {m}."}
    curation.override_fields(user, episode(n), values)


# A value of each field that can be overridden.
VALUES = {
    "title": "Kettles again", "number": "7", "season": "2", "published": "2021-05-03", "duration_seconds": "1:02:03",
    "description_text": "See https://github.com/Small/Talks/issues/1 and kettle_lid, says Ada Loom.",
    "slug": "a-new-address", "url": "https://small.example/page", "audio_url": "https://cdn.example/other.mp3",
    "episode_type": "bonus", "explicit": "yes", "image_url": "https://images.example/1.png", "details": "location | Bath",
}  # fmt: skip


def override_any_field(user: User, n: int, m: int) -> None:
    name = pick_row(OVERRIDABLE_FIELDS, n + m).name
    curation.override_fields(user, episode(n), {name: VALUES[name]})


def override_with_nothing(user: User, n: int, m: int) -> None:
    field = pick_row(("number", "published", "description_text", "audio_url"), m)
    curation.override_fields(user, episode(n), {field: ""})


def unlock_or_confirm_overrides(user: User, n: int, m: int) -> None:
    row, decided = decision_and_episode(Decision.objects.filter(kind="value"), n)
    verb = pick_row((curation.unlock_fields, curation.confirm_overrides), n + m)
    verb(user, decided, *[row.field, "title", "number", "slug"][: m % 4 + 1])


def override_in_batch(user: User, n: int, m: int) -> None:
    with curation.open_change_batch(Podcast.objects.all(), "edit") as batch:
        for row in Episode.objects.order_by("podcast__rank", "order")[n : n + n % 3 + 1]:
            with batch.attempt(row.title):
                curation.override_fields(user, row, {"explicit": ("yes", "no")[m % 2]})


def repair_all_episodes(user: User, n: int, m: int) -> None:
    """Make one of several repairs of all episodes of a show."""
    verdict = ("repeats", "replaces")[m % 2]
    repairs = (
        curation.ReplaceWords(field_name="title", wrong="about", right=f"on {m}"),
        curation.AddTopic(topic=topic(m)),
        curation.RemoveTopic(topic=topic(m), replaces_decisions=True),
        curation.LockField(field_name="number"),
        curation.UnlockField(field_name="title"),
        curation.MarkReruns(rerun_words="", verdict=verdict),
    )
    rows = Episode.objects.filter(podcast=show(n)).select_related("podcast").order_by("order")
    token = repairs[m % len(repairs)].build_plan(rows).token
    curation.repair_rows_and_return_batch(user, repairs[m % len(repairs)], rows, [show(n)], token=token)


def remove_topic(user: User, n: int, m: int) -> None:
    use = pick_row(episode(n).topic_uses.all(), 0)
    curation.remove_list_entry(user, episode(n), "topic", use.topic.slug)


def remove_link(user: User, n: int, m: int) -> None:
    mention = pick_row(episode(n).mentions.order_by("link__key"), 0)
    curation.remove_list_entry(user, episode(n), "link", mention.link.key)


def remove_person(user: User, n: int, m: int) -> None:
    credit = pick_row(episode(n).credits.order_by("person__identity", "role"), 0)
    curation.remove_list_entry(user, episode(n), "person", credit.person.identity)


def add_moment(user: User, n: int, m: int) -> None:
    curation.add_list_entry(user, episode(n), "moment", f"{topic(m).slug} {m}-{m + 9}", f"what is said at {n}")


def remove_moment(user: User, n: int, m: int) -> None:
    row, picked = decision_and_episode(Decision.objects.filter(kind="moment", value="added"), n)
    curation.remove_list_entry(user, picked, "moment", row.key)


def end_removal_of_list_entry(user: User, n: int, m: int) -> None:
    row, picked = decision_and_episode(Decision.objects.filter(value="removed").exclude(kind="reference"), n)
    curation.end_removal_of_list_entry(user, picked, row.kind, row.key)


def change_role(user: User, n: int, m: int) -> None:
    credit = pick_row(episode(n).credits.order_by("person__identity", "role"), 0)
    typed = f"{('host', 'guest')[m % 2]} {credit.person.name}"
    curation.add_list_entry(user, episode(n), "person", credit.person.identity, typed)


def add_reference(user: User, n: int, m: int) -> None:
    picked = episode(n)
    kind = ("prerequisite", "see-also", "follow-up")[m % 3]
    curation.add_list_entry(user, picked, "reference", " ".join(curation.first_anchor(sibling(picked, m))), kind)


def remove_reference(user: User, n: int, m: int) -> None:
    picked = episode(n)
    curation.remove_list_entry(user, picked, "reference", " ".join(curation.first_anchor(sibling(picked, m))))


def merge_two_episodes(user: User, n: int, m: int) -> None:
    picked = episode(n)
    curation.merge_episodes(user, picked, sibling(picked, m), {"title": "Two in one"} if m % 2 else None)


def episode_and_later_entries(n: int) -> tuple[Episode, list[Item]]:
    """Return an episode with several entries, and its entries but the first."""
    rows = Episode.objects.annotate(entries=models.Count("attachments")).filter(entries__gt=1)
    picked = pick_row(rows.order_by("podcast__rank", "order"), n)
    return picked, list(Item.objects.filter(attachment__episode=picked).order_by("pk"))[1:]


def move_entries(user: User, n: int, m: int) -> None:
    picked, items = episode_and_later_entries(n)
    curation.split_episode(user, picked, items, sibling(picked, m))


def decide_match(user: User, n: int, m: int) -> None:
    picked = episode(m)
    items = Item.objects.filter(withdrawn=None, is_post=False, document__source__podcast=picked.podcast)
    curation.decide_match(user, pick_row(items.order_by("pk"), n), ("same", "different")[(n + m) % 2], picked)


def decide_rerun(user: User, n: int, m: int) -> None:
    picked = episode(n)
    curation.decide_rerun(user, picked, sibling(picked, m), ("replaces", "repeats", "unrelated")[(n + m) % 3])


def withdraw_episode(user: User, n: int, m: int) -> None:
    picked = episode(n)
    curation.withdraw_episode(user, picked, ("no-episode", "hidden", "replaced")[m % 3], sibling(picked, m))


def withdraw_episodes_of_page(user: User, n: int, m: int) -> None:
    documents = Document.objects.filter(kind="listing", source__podcast=show(n)).order_by("pk")
    curation.withdraw_and_count_unshared_episodes(user, pick_row(documents, m))


def close_conflict(user: User, n: int, m: int) -> None:
    picked = pick_row(Episode.objects.exclude(conflicts=[]).order_by("podcast__rank", "order"), n)
    keys = [FieldConflict(**row).key for row in picked.conflicts]
    curation.remove_list_entry(user, picked, "conflict", *keys[: m + 1])


def correct_person(user: User, n: int, m: int) -> None:
    values = {"name": f"Kim {m}", "url": "https://kim.example/", "image": f"https://kim.example/{m}.png"}
    curation.save_corrections(user, correction_subject(Person, n), values)


def merge_people(user: User, n: int, m: int) -> None:
    with transaction.atomic():  # a person who cannot be merged is not added either
        curation.add_list_entry(user, episode(n), "person", "@lee", "guest Lee")
        curation.merge_subjects(user, correction_subject(Person, n), correction_subject(Person, m))


def correct_link(user: User, n: int, m: int) -> None:
    values = {"label": f"Label {m}", "kind": "paper", "replacement": f"https://web.archive.org/web/2021/{m}"}
    curation.save_corrections(user, correction_subject(Link, n), values)


def merge_symbols(user: User, n: int, m: int) -> None:
    curation.override_fields(user, episode(n), {"description_text": "The kettle_lid is no KettleLid."})
    curation.merge_subjects(user, correction_subject(CodeName, n), correction_subject(CodeName, m))


def end_correction(user: User, n: int, m: int) -> None:
    row = pick_row(Decision.objects.filter(kind__startswith="correct-", ended_at=None).order_by("pk"), n)
    subject = CorrectionSubject(row.kind.removeprefix("correct-"), row.key, row.detail or row.key)
    curation.save_corrections(user, subject, {row.field: ""})


def add_new_topic(user: User, n: int, m: int) -> None:
    owner = show(n) if n % 2 else None
    curation.save_row(user, Topic(slug=f"new-{m}", name=f"New {m}", rules={"title": ["ladders"]}, podcast=owner))


def save_with(user: User, row: Any, **values: object) -> None:
    for name, value in values.items():
        setattr(row, name, value)
    curation.save_row(user, row)


def change_topic_rules(user: User, n: int, m: int) -> None:
    rules = {pick_row(("title", "notes", "excludes"), m): [pick_row(("ladders", "mirrors", "issues"), n)]}
    save_with(user, topic(n), rules=rules, podcast=show(m) if m % 3 == 0 else None)


def delete_topic(user: User, n: int, m: int) -> None:
    if Topic.objects.count() > 1:
        curation.delete_topic_or_path(user, topic(n))


def add_path(user: User, n: int, m: int) -> None:
    steps = [{"episode": episode(n).slug, "why": "First."}, {"episode": episode(m).slug, "why": ""}]
    slug = f"path-{m}-{LearningPath.objects.count()}"
    path = LearningPath(slug=slug, title=f"Path {m}", steps=steps, podcast=show(n) if n % 2 else None)
    curation.save_row(user, path)


def rename_or_delete_path(user: User, n: int, m: int) -> None:
    path = pick_row(LearningPath.objects.order_by("pk"), n)
    if m % 2:
        curation.delete_topic_or_path(user, path)
    else:
        save_with(user, path, slug=f"renamed-{m}-{path.pk}")


def add_show(user: User, n: int, m: int) -> None:
    page = feed(range(n % 3 + 1), name=f"Late Talks {m % 2}")
    with transaction.atomic():
        curation.add_show(user, FetchedDocument(page, f"https://late.example/{m % 2}"))


def change_source_address(user: User, n: int, m: int) -> None:
    picked = source(n)
    picked.address = f"https://moved.example/{n}/{m}"
    curation.save_source_and_show_feed(user, picked)


def decide_suggestion(user: User, n: int, m: int) -> None:
    picked = episode(n)
    entry = dict(zip(("source", "item_key"), curation.first_anchor(picked), strict=True), podcast=picked.podcast)
    typed = {"kind": "episode", "subject": "It", "page": "/", "field": "title", "value": f"Suggested {m}"}
    suggestion = Suggestion.objects.create(**entry, **typed)
    if m % 2:
        curation.accept_suggestion(user, suggestion)
    else:
        curation.close_suggestion_and_delete_contact(user, suggestion, Suggestion.REFUSED)


def press_inbox_button(user: User, n: int, m: int) -> None:
    row = pick_row([row for row in first_inbox_rows(50) if row.buttons], n)
    row.section.store_answer_of_button(user, row, pick_row(row.buttons, m).name)


ACTS_OF_ONE_CALL: dict[str, Act] = {
    "override_title": lambda user, n, m: curation.override_fields(user, episode(n), {"title": f"Another title {m}"}),
    "add_topic": lambda user, n, m: curation.add_list_entry(user, episode(n), "topic", topic(m).slug),
    "add_link": lambda user, n, m: curation.add_list_entry(
        user, episode(n), "link", f"https://example.net/added/{m}", "words"
    ),
    "add_person": lambda user, n, m: curation.add_list_entry(user, episode(n), "person", "@kim", "guest Kim Lee"),
    "split_one_episode": lambda user, n, m: curation.split_episode(user, *episode_and_later_entries(n)),
    "make_own_episode": lambda user, n, m: curation.decide_match(user, pick_row(Item.objects.order_by("pk"), n), "new"),
    "ignore_entry": lambda user, n, m: curation.decide_match(user, pick_row(Item.objects.order_by("pk"), n), "ignore"),
    "add_episode_by_hand": lambda user, n, m: curation.add_episode_and_return_entry(
        user, show(n), {"title": f"Never listed {m}", "published": f"2021-03-0{m % 9 + 1}"}
    ),
    "keep_namesakes_apart": lambda user, n, m: curation.keep_namesakes_apart(user, correction_subject(Person, m)),
    "hide_person": lambda user, n, m: curation.hide_subject(user, correction_subject(Person, m)),
    "hide_link": lambda user, n, m: curation.hide_subject(user, correction_subject(Link, n)),
    "hide_symbol": lambda user, n, m: curation.hide_subject(user, correction_subject(CodeName, m)),
    "rename_topic": lambda user, n, m: save_with(user, topic(n), slug=f"renamed-{m}", name=f"Renamed {m}"),
    "merge_topics": lambda user, n, m: curation.merge_topics(user, topic(n), topic(m)),
    "change_show_texts": lambda user, n, m: save_with(
        user, show(n), title=f"Small Talks {m}", description=f"Words {n}.", author=""
    ),
    "change_show_status": lambda user, n, m: save_with(
        user, show(n), status=("removed", "archived", "active", "paused")[m % 4]
    ),
    "exclude_code_name": lambda user, n, m: save_with(user, show(n), not_code=[correction_subject(CodeName, m).name]),
    "change_source_status": lambda user, n, m: set_status(
        user, source(n), ("paused", "removed", "archived", "active")[m % 4]
    ),
    "change_source_title": lambda user, n, m: save_with(
        user, source(n), title=f"Source {m}", rank=m + 1, may_create=m % 3 > 0
    ),
    "undo_change": lambda user, n, m: curation.undo_change(user, pick_row(Change.objects.order_by("-pk"), n)),
    "undo_last_changes": lambda user, n, m: curation.undo_changes(
        user, Change.objects.filter(undone_at=None).exclude(rows=[])[: n % 3 + 1]
    ),
}
# An act that undoes something is after the acts that do it.
ACTS: dict[str, Act] = {
    name: function
    for name, function in list(globals().items())
    if isfunction(function) and [*signature(function).parameters] == ["user", "n", "m"]
} | ACTS_OF_ONE_CALL
