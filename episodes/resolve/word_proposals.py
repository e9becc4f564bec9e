"""Proposals of names that the transcripts of a show misspell, for the inbox."""

import re

from django.db.models import Q

from ..models import CodeName, Episode, Person, Podcast, Topic, Transcript, WordProposal
from ..transcripts import find_misheard_names
from .sync_rows import sync

_ADDRESS = re.compile(r"\S+://\S+")


def propose_words(podcast: Podcast) -> None:
    """Store the words of a show's transcripts that are likely misspelled names."""
    transcripts = {}
    rows = Transcript.objects.filter(episode__podcast=podcast).order_by("pk")
    for episode_id, cues in rows.values_list("episode", "cues").iterator(100):
        transcripts[episode_id] = "\n".join(words for _, _, words in cues)
    proposals = {}
    for misheard in find_misheard_names(transcripts, _names_of_show(podcast), _texts_of(podcast)):
        proposals[(podcast.pk, misheard.words)] = {
            "right": misheard.name,
            "place_count": misheard.place_count,
            "episode_count": misheard.episode_count,
        }
    sync(WordProposal, ("podcast_id", "wrong"), proposals, {"podcast": podcast})


def _names_of_show(podcast: Podcast) -> list[str]:
    """Return the names of the show, and of its topics, people and symbols, in a fixed order."""
    names = set(podcast.title.split())
    topics = Topic.objects.filter(Q(podcast=podcast) | Q(podcast=None))
    for name, aliases in topics.values_list("name", "aliases"):
        for spelling in (name, *aliases):
            # "distributed data parallel (DDP)" is two names.
            names.update(part.strip() for part in re.split("[()]", spelling))
    for model, path in ((CodeName, "mentions"), (Person, "credits")):
        rows = model._default_manager.filter(**{f"{path}__episode__podcast": podcast})
        names.update(rows.order_by().values_list("name", flat=True))
    return sorted(names - {""})


def _texts_of(podcast: Podcast) -> list[str]:
    """Return the titles and notes of a show, without web addresses."""
    texts = [podcast.description]
    rows = Episode.objects.filter(podcast=podcast).order_by("order")
    for title, notes in rows.values_list("title", "description_text"):
        texts += [title, notes]
    return [_ADDRESS.sub(" ", text) for text in texts]
