"""The index of links as CSV and as Markdown, with the filters and in the order of its page."""

import csv
import io
from collections.abc import Callable, Sequence

from ...outputs import markdown
from ...text.formulas import harmless
from .entries import LinkEntry
from .index import Section

COLUMNS = ("kind", "key", "title", "url", "repository", "directory", "episode_count", "episodes")
escaped = markdown.escaped
Whole = Callable[[str], str]  # an address with the site's own before it


def as_csv(entries: Sequence[LinkEntry], whole: Whole) -> str:
    """The header and a row for each link; episodes are slugs with a space between them."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for entry in entries:
        link, slugs = entry.link, " ".join(episode.slug for episode in entry.episodes)
        address = entry.leads_to and whole(entry.leads_to)
        named = (link.kind, link.key, entry.label, address, link.repository, link.directory)
        # Titles are of strangers, and a spreadsheet would run one that begins as a formula.
        writer.writerow(map(harmless, (*named, str(link.episode_count), slugs)))
    return out.getvalue()


def as_markdown(title: str, sections: Sequence[Section], following: str, whole: Whole) -> str:
    """The links under their kinds, each with the episodes that mention it."""
    lines = [f"# {escaped(title)}", ""]
    for section in sections:
        lines += [f"## {escaped(section.heading)} ({section.count})", ""]
        entries = [entry for _, group in section.groups for entry in group]
        lines += [*(_line(entry, whole) for entry in entries), ""]
    return "\n".join([*lines, *([f"[More links]({following})", ""] if following else [])])


def _line(entry: LinkEntry, whole: Whole) -> str:
    name, more = escaped(entry.label), entry.link.episode_count - len(entry.episodes)
    # In angle brackets, because Markdown ends an address at an unpaired parenthesis.
    link = f"[{name}](<{whole(entry.leads_to)}>)" if entry.leads_to else name
    note = f" ({escaped(entry.note)})" if entry.note else ""
    episodes = ", ".join(
        f"[{escaped(f'{episode.numbering} {episode.heading}'.strip())}]"
        f"({whole(episode.get_absolute_url())})"
        for episode in entry.episodes
    )
    return f"- {link}{note}: {episodes}{f' and {more} more' if more else ''}"
