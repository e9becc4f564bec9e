"""The index of links as CSV and as Markdown, with the filters and in the order of its page."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence

from ...models import Episode
from ...outputs import citing
from ...text import link_labels
from ...text.formulas import harmless
from .entries import LinkEntry
from .index import LinkGroup, Section

COLUMNS = ("kind", "key", "title", "url", "repository", "directory", "episode_count", "episodes")
Whole = Callable[[str], str]  # an address with the site's own before it


def as_csv(entries: Sequence[LinkEntry], whole: Whole) -> str:
    """The header and a row for each link; episodes are slugs with a space between them."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for entry in entries:
        places = (link_labels.repository(entry.key), link_labels.directory(entry.key))
        slugs = " ".join(episode.slug for episode in entry.episodes)
        address = whole(entry.leads_to) if entry.leads_to else ""
        cells = (entry.kind, entry.key, entry.label, address, *places, str(entry.count), slugs)
        writer.writerow([harmless(cell) for cell in cells])
    return out.getvalue()


def as_markdown(title: str, sections: Sequence[Section], following: str, whole: Whole) -> str:
    """The links under their kinds, repositories and directories, each with the episodes that mention it."""
    lines = [f"# {citing.escaped_markdown(title)}", ""]
    for section in sections:
        lines += [f"## {citing.escaped_markdown(section.heading)} ({section.count})", ""]
        above = ""
        for group in section.groups:
            lines += _headings(group, above)
            lines += [_line(entry, whole) for entry in group.entries]
            lines.append("")
            above = group.repository
    if following:
        lines += [f"[More links]({following})", ""]
    return "\n".join(lines)


def _headings(group: LinkGroup, above: str) -> Iterator[str]:
    if group.repository != above:
        yield from (f"### {citing.escaped_markdown(group.repository)}", "")
    if group.directory:
        yield from (f"#### {citing.escaped_markdown(group.directory)}/", "")


def _line(entry: LinkEntry, whole: Whole) -> str:
    name = citing.escaped_markdown(f"{entry.before}{entry.name}")
    link = f"[{name}](<{whole(entry.leads_to)}>)" if entry.leads_to else name
    note = f" ({citing.escaped_markdown(entry.note)})" if entry.note else ""
    episodes = ", ".join(f"[{_name(episode)}]({whole(episode.get_absolute_url())})" for episode in entry.episodes)
    more = f" and {entry.count - len(entry.episodes)} more" if entry.count > len(entry.episodes) else ""
    return f"- {link}{note}: {episodes}{more}"


def _name(episode: Episode) -> str:
    return citing.escaped_markdown(f"{episode.numbering} {episode.heading}".strip())
