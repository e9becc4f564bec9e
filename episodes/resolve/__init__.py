"""Evidence and decisions in, catalog out: the pure steps of `pipeline.py`, and `write.py`, which writes the result."""

from ..identity import make_slug
from ..notes import (
    MIN_POINTS,
    TopicRule,
    describe_term_fault,
    fold_link_key,
    score_topics,
    topic_slug,
)
from ..transcripts import WordCorrection, iterate_paragraph_numbers_and_corrections
from .background import (
    failed_show_ids,
    queue_resolve,
    resolve_all_waiting,
    resolve_longest_waiting_show,
    resolve_small_shows_queue_others,
    resolve_waiting_show,
    shows_to_resolve,
    waiting_states,
)
from .ledger import show_of_slug
from .people import deleting_unpublished_addresses_of_people
from .word_proposals import store_proposals_for_misheard_names
from .write import (
    clear_catalog,
    link_key,
    page_identity,
    person_identity,
    publish_due_episodes,
    update_catalog,
)
from .write_corrections import write_corrected_link, write_corrected_people
from .write_episodes import retitle_links
from .write_meanings import has_missing_meanings, write_missing_meanings

__all__ = [
    "MIN_POINTS",
    "TopicRule",
    "WordCorrection",
    "clear_catalog",
    "deleting_unpublished_addresses_of_people",
    "describe_term_fault",
    "failed_show_ids",
    "fold_link_key",
    "has_missing_meanings",
    "iterate_paragraph_numbers_and_corrections",
    "link_key",
    "make_slug",
    "page_identity",
    "person_identity",
    "publish_due_episodes",
    "queue_resolve",
    "resolve_all_waiting",
    "resolve_longest_waiting_show",
    "resolve_small_shows_queue_others",
    "resolve_waiting_show",
    "retitle_links",
    "score_topics",
    "show_of_slug",
    "shows_to_resolve",
    "store_proposals_for_misheard_names",
    "topic_slug",
    "update_catalog",
    "waiting_states",
    "write_corrected_link",
    "write_corrected_people",
    "write_missing_meanings",
]
