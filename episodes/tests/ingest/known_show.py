"""Feeds of a stranger."""

RSS = {"Content-Type": "application/rss+xml"}
SPACES = (
    'xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:atom="http://www.w3.org/2005/Atom" '
    'xmlns:podcast="https://podcastindex.org/namespace/1.0" xmlns:psc="http://podlove.org/simple-chapters"'
)


def feed(title: str, *items: str, channel: str = "") -> bytes:
    return (
        f'<rss version="2.0" {SPACES}><channel><title>{title}</title>{channel}{"".join(items)}</channel></rss>'.encode()
    )


def item(title: str, day: int, /, **more: str) -> str:
    """Return an item of a stranger's feed. `more` replaces one of its elements, or adds one."""
    elements = {
        "guid": f"<guid isPermaLink='false'>stranger-{day}</guid>",
        "audio": f'<enclosure url="https://stranger.example/{day}.mp3" type="audio/mpeg" length="9"/>',
        "date": f"<pubDate>{day:02} Apr 2024 09:00:00 GMT</pubDate>",
        "notes": f"<description>Buy what we sell on day {day}, and then buy it once more for your friends.</description>",
    } | more
    return f"<item><title>{title}</title>{''.join(elements.values())}</item>"
