"""Checks the addresses that show notes link, and stores the titles of their pages. Only this module
writes LinkCheck."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from textwrap import shorten
from typing import NamedTuple

from django.db import transaction
from django.db.models import F, OuterRef, Q, Subquery
from django.utils.translation import ngettext
from selectolax.lexbor import LexborHTMLParser

from ..listings import attribute, clean_text, decode_page, parse_untrusted_html
from ..models import EpisodeLink, Link, LinkCheck
from ..records import DocumentRejected, FetchedDocument
from ..text.link_labels import MAX_LINK_TITLE_LENGTH
from ..text.urls import host_of
from .fetch import Unreachable, probe_final_page
from .parse_document import within_limits
from .retry import requested_wait

Identity = Callable[[str], str]

PAUSE = 2.0  # seconds between two requests, to any host


@dataclass(frozen=True, slots=True)
class LinkSummary:
    """The numbers of a run: links that were there, gone or unreachable, and links that are still due."""

    reachable: int
    gone: int
    unreached: int
    still_due: int
    titled: tuple[str, ...] = ()  # the keys of links with a new title

    @property
    def summary(self) -> str:
        checked = self.reachable + self.gone + self.unreached
        links = ngettext("link", "links", checked)
        line = (
            f"{checked} {links} checked: {self.reachable} ok, {self.gone} gone, {self.unreached} unreachable; "
            f"{self.still_due} still due"
        )
        if not self.titled:
            return line
        titles = ngettext("title", "titles", len(self.titled))
        return f"{line}; {len(self.titled)} {titles}"


def check_due_links_and_count_outcomes(
    max_links: int,
    max_age: timedelta,
    *,
    allowed_private_hosts: frozenset[str],
    clock: Callable[[], datetime],
    sleep: Callable[[float], None],
    page_identity: Identity | None = None,
    on_progress: Callable[[str], None] = lambda message: None,
    must_stop: Callable[[], bool] = lambda: False,
) -> LinkSummary:
    """Check up to `max_links` links that were not checked within `max_age`, the longest ago first. Store each
    result at once.

    `allowed_private_hosts` is FETCH_ALLOW. A host that asked for a pause gets no request, in this run and in later
    runs, and its links stay due. With `page_identity`, which returns the identity of a page's address,
    titles of pages are stored, too. `on_progress` is called with messages about the progress.
    """
    started = clock()
    due_links = _find_due_links(last_checked_before=started - max_age)
    paused = LinkCheck.objects.filter(not_before__gt=started)
    paused_hosts = set(paused.values_list("host", flat=True))
    outcomes: Counter[str] = Counter()
    titled_keys = []
    for link in due_links:
        checked_count = outcomes.total()
        if checked_count == max_links or must_stop():
            break
        link_host = host_of(link.address)
        # The link stays due, and does not count as gone.
        if link_host in paused_hosts:
            continue
        on_progress(f"{checked_count + 1} of {min(max_links, len(due_links))}: {link.address}")
        result = _check_link(link, allowed_private_hosts, page_identity)
        store_link_check(link.key, result, clock())
        outcomes[result.outcome] += 1
        if result.title:
            titled_keys.append(link.key)
        if result.requested_pause:
            paused_hosts.update((link_host, result.host))
        sleep(PAUSE)
    return LinkSummary(
        reachable=outcomes["there"],
        gone=outcomes["gone"],
        unreached=outcomes["unreached"],
        still_due=len(due_links) - outcomes.total(),
        titled=tuple(titled_keys),
    )


class _DueLink(NamedTuple):
    key: str
    address: str


def _find_due_links(last_checked_before: datetime) -> list[_DueLink]:
    """Return the links that were not checked since a time, the longest ago first. Each has the address
    under which an episode mentions it first. Links without an http(s) address are left out."""
    # Episodes may mention a link under several addresses, with "http:" or a slash at the end.
    is_web = Q(url__istartswith="http://") | Q(url__istartswith="https://")
    mentions = EpisodeLink.objects.filter(is_web, link=OuterRef("pk"))
    mentions = mentions.order_by("episode__podcast", "episode__order", "position")
    checks = LinkCheck.objects.filter(key=OuterRef("key"))
    links = Link.objects.annotate(
        address=Subquery(mentions.values("url")[:1]),
        asked=Subquery(checks.values("asked_at")[:1]),
    )
    is_due = Q(asked=None) | Q(asked__lte=last_checked_before)  # never checked, or long ago
    due = links.filter(is_due, address__isnull=False)
    longest_ago_first = due.order_by(F("asked").asc(nulls_first=True), "key")
    return [_DueLink(*row) for row in longest_ago_first.values_list("key", "address")]


@dataclass(slots=True)
class LinkResult:
    """The result of a request for a link."""

    host: str  # that answered last, as redirects may lead to another host
    outcome: str = "there"  # there | gone | unreached
    note: str = ""  # the reason of a failure
    title: str = ""
    requested_pause: timedelta = timedelta()  # by the host


def _check_link(
    link: _DueLink, allowed_private_hosts: frozenset[str], page_identity: Identity | None
) -> LinkResult:
    # Without `page_identity` only the status counts: no title is read.
    result = LinkResult(host_of(link.address))
    try:
        page = probe_final_page(
            link.address,
            reads_html_head=page_identity is not None,
            allowed_private_hosts=allowed_private_hosts,
        )
        # After a redirect to another page, such as a login, the title is not the link's.
        if page_identity and page_identity(page.address) == page_identity(link.address):
            result.title = within_limits(find_page_title, page, link.key)
    except Unreachable as error:
        result.outcome = _outcome_of_failed_request(error.status)
        result.note = str(error)
        result.requested_pause = requested_wait(error)
        result.host = error.host or result.host  # "" without redirects
    return result


def _outcome_of_failed_request(status: int | None) -> str:
    # The HTTP status, or None without an answer.
    if status in (404, 410):
        return "gone"
    # Sites that answer programs so show people the page: 403, or 999 of no standard.
    if status in (401, 403, 405, 406, 999):
        return "there"
    return "unreached"


@transaction.atomic
def store_link_check(key: str, result: LinkResult, now: datetime) -> None:
    """Store the result of a check of the link with this key. A title stays until the page has another."""
    stored = LinkCheck.objects.select_for_update().filter(key=key).first()
    last = stored or LinkCheck()  # a blank row before the first check
    # The columns after a success, which ends a series of failures.
    columns: dict[str, object] = {
        "outcome": result.outcome,
        "note": result.note,
        "asked_at": now,
        "host": result.host,
        "not_before": now + result.requested_pause,
        "failures": 0,
        "failing_since": None,
    }
    has_failed = result.outcome != "there"
    if has_failed:
        columns["failures"] = last.failures + 1
        columns["failing_since"] = last.failing_since or now
    if result.title:
        columns["title"] = result.title
        columns["titled_at"] = now
    LinkCheck.objects.update_or_create(key=key, defaults=columns)


def find_page_title(page: FetchedDocument, link_key: str) -> str:
    """Return the title of a page, and for a paper its first author in brackets: "Attention Is All You Need
    (Vaswani et al.)".

    Parts at the end are removed if they name the site or repeat the link's key. Return "" for repositories
    and files of GitHub, for pages without a title, and for hostile pages.
    """
    # "gh:pytorch/pytorch" is a repository and "gh:pytorch/pytorch:setup.py" a file, but "gh:pytorch/pytorch#17"
    # is a discussion.
    is_repository_or_file = link_key.startswith("gh:") and "#" not in link_key
    if is_repository_or_file:
        return ""
    try:
        tree = parse_untrusted_html(decode_page(page))
    except DocumentRejected:
        return ""
    # The title for previews of the page on other sites (Open Graph), then the title of the window.
    titles = _meta_contents(tree, "og:title")
    titles += [node.text() for node in tree.css("head > title")]
    if not titles:
        return ""
    title_in_one_line = " ".join(clean_text(titles[0]).split())
    site_names = _text_of_site_names(tree, host_of(page.address), link_key)
    title = _strip_site_name(title_in_one_line, site_names)
    title = shorten(title, MAX_LINK_TITLE_LENGTH, placeholder="…")
    authors = _meta_contents(tree, "citation_author")  # on pages of papers
    if title and authors:
        title += f" ({_short_author(authors)})"
    return title


def _text_of_site_names(tree: LexborHTMLParser, host: str, link_key: str) -> str:
    site_names = [*_meta_contents(tree, "og:site_name"), host]
    # "arxiv:1706.03762" is a name of the page. A key that is an address is not.
    if "://" not in link_key:
        site_names.append(link_key)
    return " ".join(site_names).lower()


def _short_author(authors: Sequence[str]) -> str:
    """Return the family name of the first author: "Vaswani et al." of "Vaswani, Ashish" and others."""
    family_name, _, _ = authors[0].partition(",")
    suffix = " et al." if len(authors) > 1 else ""
    return shorten(clean_text(family_name + suffix), 50, placeholder="…")


def _strip_site_name(title: str, text_of_site_names: str) -> str:
    """Return a title without parts at its end that name the site, or "" if nothing else is in it.

    Of the site "www.loom.example", "Warp threads - Blog | Loom" is "Warp threads - Blog".
    """
    words = title.split()
    # A separator is a word of its own: "-", "|". Of the title above, they are the words 2 and 4.
    separator_indexes = [index for index, word in enumerate(words) if not word.strip("-–—|·•:")]
    while separator_indexes:
        # Of "The Loom" the last word is enough: the host is only "loom.example".
        last_word = words[-1].lower()
        # A letter alone, as in "Vitamin - C", is in most names of hosts.
        names_site = len(last_word) > 1 and last_word in text_of_site_names
        if not names_site:
            break
        # Remove the last separator and all words behind it. Then look at the part before it.
        last_separator_index = separator_indexes.pop()
        del words[last_separator_index:]
    remaining_title = " ".join(words)
    return "" if remaining_title.lower() in text_of_site_names else remaining_title


def _meta_contents(tree: LexborHTMLParser, name: str) -> list[str]:
    nodes = tree.css(f"meta[property='{name}'], meta[name='{name}']")
    contents = (attribute(node, "content").strip() for node in nodes)
    return list(filter(None, contents))
