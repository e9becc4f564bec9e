"""Episodes as Markdown: a document for an episode, and an index of the site for language models."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from django.db.models import Prefetch
from django.urls import reverse

from ..models import Credit, Episode, EpisodeLink, EpisodeQuerySet, Podcast
from ..site import Site
from ..text.formatting import format_day, format_minutes
from ..text.link_labels import safe_href, title_or_name_of_link
from ..text.summaries import summary_of_text
from .listing import Absolute, drop_unknown, join_known

CONTENT_TYPE = "text/markdown; charset=utf-8"


def escape_markdown(text: str) -> str:
    """Return a text as one line, with a backslash before characters that Markdown would read."""
    line = " ".join(text.split())
    return re.sub(r"[\\`*_\[\]<>#|~]", r"\\\g<0>", line)


def escape_address(address: str) -> str:
    """Return an address without the characters that begin HTML in Markdown."""
    return address.replace("<", "%3C").replace(">", "%3E")


def _markdown_link(address: str, title: str) -> str:
    text = escape_markdown(title)
    if not address:
        return text
    target = escape_address(address)
    # Outside of angle brackets an unpaired parenthesis ends the address.
    if "(" in target or ")" in target:
        target = f"<{target}>"
    return f"[{text}]({target})"


# -- an episode ------------------------------------------------------------------------------------


def prefetch_markdown_relations(episodes: EpisodeQuerySet) -> EpisodeQuerySet:
    links = EpisodeLink.objects.select_related("link").order_by("position")
    credit_rows = Credit.objects.select_related("person").order_by("person__name", "role")
    return episodes.for_list().prefetch_related(
        Prefetch("mentions", links), Prefetch("credits", credit_rows)
    )


def render_episode_markdown(episode: Episode, make_absolute: Absolute) -> str:
    """Return an episode from `prefetch_markdown_relations` as Markdown: title, facts, notes and links."""
    sections = [f"# {escape_markdown(episode.heading)}", _facts_section(episode, make_absolute)]
    notes = [escape_markdown(line) for line in episode.description_text.splitlines()]
    if episode.description_truncated:
        notes.append("(The notes are cut off here in every source.)")
    if notes:
        sections += ["## Notes", *notes]
    link_lines = _link_lines(episode)
    if link_lines:
        sections += ["## Links", "\n".join(link_lines)]
    # An empty line parts the sections, and the paragraphs of the notes.
    return "\n\n".join(sections) + "\n"


def _link_lines(episode: Episode) -> list[str]:
    lines = []
    for mention in episode.mentions.all():
        address = safe_href(mention.link.replacement or mention.url)
        title = title_or_name_of_link(mention.link.title, mention.link.key)
        lines.append(f"- {_markdown_link(address, title)}")
    return lines


def _facts_section(episode: Episode, make_absolute: Absolute) -> str:
    """Return the known facts of an episode as a list: `- Show: PyTorch Developer Podcast`."""
    people = []
    for credit in episode.credits.all():
        people.append(f"{escape_markdown(credit.person.name)} ({credit.role})")
    # Two people of one name look like one.
    unique_people = dict.fromkeys(people)
    topics = [escape_markdown(topic.name) for topic in episode.topics_in_order]
    facts = {
        "Show": escape_markdown(episode.podcast.title),
        "Episode": episode.numbering,
        "Published": format_day(episode.published_at),
        "Length": format_minutes(episode.duration_seconds),
        "People": ", ".join(unique_people),
        "Topics": ", ".join(topics),
        "Page": make_absolute(episode.get_absolute_url()),
        "Audio": escape_address(safe_href(episode.audio_url)),
        "Publisher’s page": escape_address(safe_href(episode.url)),
    }
    return "\n".join(f"- {name}: {value}" for name, value in drop_unknown(facts).items())


def format_markdown_citation(episode: Episode, address: str) -> str:
    """Return a line to paste in a text:
    `[vmap](https://…), PyTorch Developer Podcast, episode 34, 21 June 2021`."""
    return join_known(
        ", ",
        _markdown_link(address, episode.heading),
        escape_markdown(episode.podcast.title),
        f"episode {episode.numbering}" if episode.numbering else "",
        format_day(episode.published_at),
    )


# -- the site --------------------------------------------------------------------------------------


class FurtherPage(NamedTuple):
    """A page that an index names below the episodes."""

    name: str
    address: str
    description: str


def render_llms_txt(
    site: Site,
    shows_with_episodes: Iterable[tuple[Podcast, Iterable[Episode]]],
    make_absolute: Absolute,
    further_pages: Iterable[FurtherPage],
) -> str:
    """Return `/llms.txt` (llmstxt.org): the site in a sentence, then links to the Markdown of episodes."""
    lines = [f"# {escape_markdown(str(site))}", ""]
    if site.sentence:
        # The summary is a quotation right below the title.
        lines += [f"> {escape_markdown(summary_of_text(site.sentence))}", ""]
    for show, episodes in shows_with_episodes:
        lines += [f"## {escape_markdown(show.title)}", ""]
        lines += [_index_line(episode, make_absolute) for episode in episodes]
        lines.append("")
    # llmstxt.org gives this heading a meaning: a model short of space may skip all below it.
    lines += ["## Optional", ""]
    for page in further_pages:
        lines.append(f"- {_markdown_link(page.address, page.name)}: {page.description}")
    return "\n".join(lines) + "\n"


def _index_line(episode: Episode, make_absolute: Absolute) -> str:
    """Return `- [vmap](https://…/episodes/vmap.md): The summary of the episode.`"""
    address = make_absolute(reverse("episode-markdown", args=(episode.slug,)))
    line = f"- {_markdown_link(address, episode.heading)}"
    if episode.summary:
        line += f": {escape_markdown(episode.summary)}"
    return line
