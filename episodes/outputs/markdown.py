"""Episodes as Markdown: one document for an episode, and an index of the site for language models
(llms.txt)."""

import re
from collections.abc import Iterable

from django.db.models import Prefetch
from django.urls import reverse

from ..models import Credit, Episode, EpisodeLink, EpisodeQuerySet, Podcast
from ..site import Site
from ..text.formatting import day, minutes
from ..text.link_labels import followable, named
from ..text.summaries import teaser
from .lists import Absolute

SIGNS = re.compile(r"([\\`*_\[\]<>#|~])")
KIND = "text/markdown; charset=utf-8"


def whole_episodes(found: EpisodeQuerySet) -> EpisodeQuerySet:
    """The episodes with what their Markdown says, in a fixed number of queries."""
    return found.for_list().prefetch_related(
        Prefetch("mentions", EpisodeLink.objects.select_related("link").order_by("position")),
        Prefetch(
            "credits", Credit.objects.select_related("person").order_by("person__name", "role")
        ),
    )


def episode(found: Episode, absolute: Absolute) -> str:
    """Title, facts, notes and links of one of `whole_episodes`."""
    sections = [f"# {escaped(found.heading)}", _facts(found, absolute)]
    notes = [escaped(line) for line in found.description_text.splitlines() if line.strip()]
    if found.description_truncated:
        notes.append("(The notes are cut off here in every source.)")
    if notes:
        sections += ["## Notes", *notes]
    links = []
    for mention in found.mentions.all():
        link = mention.link
        address = followable(link.replacement or mention.url)
        links.append(f"- {_link(address, link.title or named(link.key).whole)}")
    if links:
        sections += ["## Links", "\n".join(links)]
    return "\n\n".join(filter(None, sections)) + "\n"


def _facts(found: Episode, absolute: Absolute) -> str:
    facts = {
        "Show": escaped(found.podcast.title),
        "Episode": found.numbering,
        "Published": day(found.published_at),
        "Length": minutes(found.duration_seconds),
        "People": ", ".join(
            dict.fromkeys(f"{escaped(c.person.name)} ({c.role})" for c in found.credits.all())
        ),
        "Topics": ", ".join(escaped(topic.name) for topic in found.topics_in_order),
        "Page": absolute(found.get_absolute_url()),
        "Audio": followable(found.audio_url),
        "Publisher’s page": followable(found.url),
    }
    return "\n".join(f"- {name}: {value}" for name, value in facts.items() if value)


def _link(address: str, title: str) -> str:
    return f"[{escaped(title)}]({address})" if address else escaped(title)


def index(
    site: Site,
    shows: Iterable[tuple[Podcast, Iterable[Episode]]],
    absolute: Absolute,
    more: Iterable[tuple[str, str, str]],
) -> str:
    """`/llms.txt`: the site in a sentence, these episodes, each as a link to its Markdown with the
    first words of its notes.

    `more` are names, addresses and descriptions of what else there is to read.
    """
    lines = [f"# {escaped(str(site))}", ""]
    if site.show and site.show.description:
        # Where llmstxt.org has the summary: in a quotation right below the title.
        lines += [f"> {escaped(teaser(site.show.description))}", ""]
    for show, episodes in shows:
        lines += [f"## {escaped(show.title)}", ""]
        for e in episodes:
            about = f": {escaped(e.summary)}" if e.summary else ""
            address = absolute(reverse("episode-markdown", args=(e.slug,)))
            lines.append(f"- {_link(address, e.heading)}{about}")
        lines.append("")
    lines += [
        # Under this very heading llmstxt.org has what a model short of space may skip.
        "## Optional",
        "",
        *(f"- {_link(address, name)}: {text}" for name, address, text in more),
    ]
    return "\n".join(lines) + "\n"


def citation(found: Episode, address: str) -> str:
    """A line to paste elsewhere: `[vmap](https://…), PyTorch Developer Podcast, episode 34, 21 June
    2021`."""
    number = f"episode {found.numbering}" if found.numbering else ""
    title, show = _link(address, found.heading), escaped(found.podcast.title)
    return ", ".join(filter(None, (title, show, number, day(found.published_at))))


def escaped(text: str) -> str:
    """One line in which nothing is markup."""
    return SIGNS.sub(r"\\\1", " ".join(text.split()))
