"""The nouns: configuration, evidence, decisions and catalog, one file a kind (docs/design.md)."""

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
    Person,
    Reference,
    Related,
    Transcript,
)
from .configuration import Podcast, Source, Topic
from .decisions import Judgement, Override, Removal
from .evidence import Capture, Document, IngestRun, Item, Revision

__all__ = [
    "Attachment",
    "Capture",
    "Chapter",
    "CodeMention",
    "CodeName",
    "Credit",
    "Document",
    "Episode",
    "EpisodeLink",
    "EpisodeTopic",
    "FormerAddress",
    "Held",
    "IngestRun",
    "Item",
    "Judgement",
    "Link",
    "Override",
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
