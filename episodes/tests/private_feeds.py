"""Shows with private feeds, each in another way, on a server of the loopback interface."""

from __future__ import annotations

from dataclasses import dataclass

from .loopback import Loopback, Request

RSS = {"Content-Type": "application/rss+xml"}
ITUNES, PODCAST = "http://www.itunes.com/dtds/podcast-1.0.dtd", "https://podcastindex.org/namespace/1.0"


@dataclass(frozen=True)
class PrivateFeed:
    """A feed with a secret address or password. `secret` is the part that no page may show."""

    title: str
    slug: str
    path: str
    secret: str
    login: str = ""
    channel: str = ""

    def address(self, server: Loopback) -> str:
        login = f"{self.login}@" if self.login else ""
        return f"http://{login}{server.pair}{self.path}"


FEEDS = (
    PrivateFeed("Kelp Hour", "kelp-hour", "/kelp?auth=kelp4room9wing", "kelp4room9wing"),
    PrivateFeed("Moth Hour", "moth-hour", "/rss/private/moth7lamp3dust.xml", "moth7lamp3dust"),
    PrivateFeed("Rust Hour", "rust-hour", "/rust-in-a-cellar", "rust-in-a-cellar", "", "<itunes:block>Yes</itunes:block>"),
    PrivateFeed("Salt Hour", "salt-hour", "/salt-in-an-attic", "salt-in-an-attic", "", "<podcast:block>yes</podcast:block>"),
    PrivateFeed("Tide Hour", "tide-hour", "/tide-in-a-yard", "tide-in-a-yard", "ann:pearl%3A6shell"),
)  # fmt: skip
# The password as typed, decoded, and in a header.
PASSWORDS = ("pearl%3A6shell", "pearl:6shell", "YW5uOnBlYXJsOjZzaGVsbA")
SECRETS = (*(feed.secret for feed in FEEDS), *PASSWORDS)


def serve(server: Loopback, feed: PrivateFeed) -> None:
    """Serve a feed with its own address in it, and two transcripts at addresses with its secret. One is missing."""
    host = f"http://{server.pair}"
    moved = f"{feed.path}{'&amp;' if '?' in feed.path else '?'}token=new{feed.secret}"
    token = f"/words-{feed.slug}-{{}}.vtt?token={feed.secret}"
    items = "".join(
        f"<item><title>{feed.title} {n}</title><guid isPermaLink='false'>{feed.slug}-{n}</guid>"
        f"<pubDate>0{n} Feb 2024 10:00:00 GMT</pubDate><description>About {feed.title}, part {n} of its story.</description>"
        f"<enclosure url='https://cdn.example/{feed.slug}/{n}.mp3' type='audio/mpeg' length='1'/>"
        f"<podcast:transcript url='{host}{token.format(n)}' type='text/vtt'/></item>"
        for n in (1, 2)
    )
    body = (
        f"<rss version='2.0' xmlns:itunes='{ITUNES}' xmlns:podcast='{PODCAST}' xmlns:atom='http://www.w3.org/2005/Atom'>"
        f"<channel><title>{feed.title}</title><link>https://{feed.slug}.example/</link>{feed.channel}"
        f"<atom:link rel='self' href='{host}{feed.path}'/>"
        f"<itunes:new-feed-url>{host}{moved}</itunes:new-feed-url>"
        f"{items}</channel></rss>"
    ).encode()

    def route(request: Request) -> tuple[int, dict[str, str], bytes]:
        is_let_in = not feed.login or request.headers.get("authorization") == "Basic YW5uOnBlYXJsOjZzaGVsbA=="
        return (200, RSS, body) if is_let_in else (401, {}, b"who are you?")

    server.routes[feed.path] = route
    words = b"WEBVTT\n\n00:00:01.000 --> 00:00:04.000\nWelcome to the show.\n"
    server.routes[token.format(1)] = (200, {"Content-Type": "text/vtt"}, words)
    server.routes[token.format(2).partition("?")[0]] = (404, {}, b"gone")


def leaks(text: str) -> list[str]:
    return [secret for secret in SECRETS if secret in text]
