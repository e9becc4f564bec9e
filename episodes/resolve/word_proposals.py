"""Proposals of names that the transcripts of a show misspell, for the inbox."""

import re

from django.db.models import Q

from ..models import CodeName, Episode, Person, Podcast, Topic, Transcript, WordProposal
from ..transcripts import find_misheard_names
from .sync_rows import sync_and_return_changed_keys


def store_proposals_for_misheard_names(podcast: Podcast) -> None:
    rows = Transcript.objects.filter(episode__podcast=podcast).order_by("pk")
    transcripts = [row.speech(length=None).text for row in rows.iterator(100)]
    names = _list_correct_names_lowercase_first(podcast)
    written_texts = _description_titles_and_notes(podcast)
    proposals = {}
    for misheard in find_misheard_names(transcripts, names, written_texts):
        proposals[(podcast.pk, misheard.words)] = {
            "right": misheard.name,
            "place_count": misheard.place_count,
            "episode_count": misheard.episode_count,
        }
    sync_and_return_changed_keys(
        WordProposal, ("podcast_id", "wrong"), proposals, {"podcast": podcast}
    )


def _list_correct_names_lowercase_first(podcast: Podcast) -> list[str]:
    """Return the words of the show's title, and the names of its topics, people and symbols. "ddp" comes
    before "DDP", because the first of two spellings counts."""
    names = set(podcast.title.split())
    topics = Topic.objects.filter(Q(podcast=podcast) | Q(podcast=None))
    for name, aliases in topics.values_list("name", "aliases"):
        for spelling in (name, *aliases):
            # "distributed data parallel (DDP)" is two names.
            for topic_name in spelling.replace(")", "(").split("("):
                names.add(topic_name.strip())
    for model, path in ((CodeName, "mentions"), (Person, "credits")):
        rows = model._default_manager.filter(**{f"{path}__episode__podcast": podcast})
        names.update(rows.order_by().values_list("name", flat=True))
    names.discard("")  # behind a ")" there is none
    return sorted(names, key=str.swapcase)  # capital letters sort before small ones


def _description_titles_and_notes(podcast: Podcast) -> list[str]:
    episodes = Episode.objects.filter(podcast=podcast).order_by("order")
    titles = episodes.values_list("title", flat=True)
    notes = episodes.values_list("description_text", flat=True)
    web_address = r"\b[a-z]{2,9}://\S+"
    return [re.sub(web_address, " ", text) for text in (podcast.description, *titles, *notes)]
