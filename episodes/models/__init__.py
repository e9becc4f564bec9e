"""The nouns: configuration, evidence, decisions, catalog, checks of links and images, one file a kind (docs/design.md)."""

from .catalog import (
    Attachment,
    Chapter,
    CodeMention,
    CodeName,
    Credit,
    Episode,
    EpisodeLink,
    EpisodeTopic,
    FormerAddress,
    Held,
    Link,
    ParsedNotes,
    Person,
    Reference,
    Related,
    Transcript,
)
from .configuration import FormerTopic, Podcast, Source, Topic
from .decisions import Addition, Change, Decision, Judgement, Override, Removal
from .evidence import Capture, Document, IngestRun, Item, Revision
from .images import Image
from .link_checks import LinkCheck
from .querysets import BATCH, NAMED, EpisodeQuerySet, batches, newest, oldest

__all__ = [
    "BATCH",
    "NAMED",
    "Addition",
    "Attachment",
    "Capture",
    "Change",
    "Chapter",
    "CodeMention",
    "CodeName",
    "Credit",
    "Decision",
    "Document",
    "Episode",
    "EpisodeLink",
    "EpisodeQuerySet",
    "EpisodeTopic",
    "FormerAddress",
    "FormerTopic",
    "Held",
    "Image",
    "IngestRun",
    "Item",
    "Judgement",
    "Link",
    "LinkCheck",
    "Override",
    "ParsedNotes",
    "Person",
    "Podcast",
    "Reference",
    "Related",
    "Removal",
    "Revision",
    "Source",
    "Topic",
    "Transcript",
    "batches",
    "newest",
    "oldest",
]
