"""The nouns: configuration, evidence, decisions, catalog and checks of links, one file a kind (docs/design.md)."""

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
from .decisions import Addition, Change, Judgement, Override, Removal
from .evidence import Capture, Document, IngestRun, Item, Revision
from .link_checks import LinkCheck

__all__ = [
    "Addition",
    "Attachment",
    "Capture",
    "Change",
    "Chapter",
    "CodeMention",
    "CodeName",
    "Credit",
    "Document",
    "Episode",
    "EpisodeLink",
    "EpisodeTopic",
    "FormerAddress",
    "FormerTopic",
    "Held",
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
]
