"""The nouns: configuration, evidence, decisions and catalog, one file a kind (docs/design.md)."""

from .catalog import (
    Attachment,
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
)
from .configuration import Podcast, Source, Topic
from .decisions import Judgement, Override, Removal
from .evidence import Capture, Document, IngestRun, Item, Revision

__all__ = [
    "Attachment",
    "Capture",
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
    "Removal",
    "Revision",
    "Source",
    "Topic",
]
