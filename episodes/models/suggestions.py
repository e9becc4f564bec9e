"""Suggestions: corrections that readers send in, until a curator accepts or refuses them."""

from django.core.exceptions import ValidationError
from django.db import models
from django.utils import timezone

from ..fields import FIELDS_BY_NAME
from .configuration import Podcast
from .decisions import CORRECTABLE_FIELDS

OF_EPISODES = ("title", "number", "season", "published", "duration_seconds", "url", "audio_url")
OF_LISTS = {"host": "Host", "guest": "Guest", "words": "Words of the transcript"}
# By the kind of thing the fields of which a correction can be suggested, and their labels.
SUGGESTABLE_FIELDS = {
    "episode": {name: FIELDS_BY_NAME[name].label for name in OF_EPISODES} | OF_LISTS,
    "person": {name: CORRECTABLE_FIELDS["person"][name] for name in ("name", "url")},
    "link": {name: CORRECTABLE_FIELDS["link"][name] for name in ("label", "replacement")},
}
# Characters of a value, where less is decided than is sent: what a decision or its column holds.
LONGEST = {"host": 300, "guest": 300, "name": 300, "label": 300, "words": 200}
LABELS = {name: label for fields in SUGGESTABLE_FIELDS.values() for name, label in fields.items()}


class Suggestion(models.Model):
    """A correction by a reader: of which thing, which field, what it should be, and how they know.
    No page shows it before a curator accepts it.

    The thing is an entry of an episode, or the natural key of a person or link, as in decisions.
    """

    # So many wait for curators; more are not taken before some are settled.
    MOST_WAITING = 1_000
    MAX_WAITING_OF_SHOW = 500
    MAX_WAITING_OF_THING = 20
    MAX_WAITING_OF_NETWORK = 50
    WAITING, ACCEPTED, REFUSED = "waiting", "accepted", "refused"

    kind = models.CharField(max_length=10, choices=[(kind, kind) for kind in SUGGESTABLE_FIELDS])
    podcast = models.ForeignKey(Podcast, models.CASCADE, related_name="+", verbose_name="show")
    source = models.SlugField(max_length=200, blank=True)
    item_key = models.CharField("entry key", max_length=600, blank=True)
    key = models.CharField(max_length=2100, blank=True, help_text="Of a person or link.")
    subject = models.CharField(max_length=300, help_text="What the thing was called then.")
    page = models.CharField(max_length=2400, help_text="Its address then, which lasts.")
    field = models.CharField("What is wrong?", max_length=30, choices=LABELS.items())
    wrong = models.CharField(
        "Words in the transcript",
        max_length=500,
        blank=True,
        help_text="Only for words of the transcript: what it says now.",
    )  # of other fields the value that the thing had then
    value = models.CharField("What should it be?", max_length=500)
    evidence = models.CharField(
        "How do you know?", max_length=500, blank=True, help_text="An address, or a few words."
    )
    name = models.CharField(
        "Your name",
        max_length=80,
        blank=True,
        help_text="Optional; shown with the correction once it is accepted.",
    )
    contact = models.EmailField(
        "Your email",
        blank=True,
        help_text="Optional; for curators only, and deleted when they have decided.",
    )
    state = models.CharField(
        max_length=10,
        choices=[(state, state) for state in (WAITING, ACCEPTED, REFUSED)],
        default=WAITING,
    )
    network = models.CharField(
        max_length=64,
        blank=True,
        help_text="A hash of the sender's network; deleted when curators have decided.",
    )
    made_at = models.DateTimeField(default=timezone.now)
    settled_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-settled_at", "-id")
        indexes = (models.Index(fields=("state", "-settled_at"), name="suggestion_state"),)

    def is_below_limits(self) -> bool:
        """Return whether it may wait beside those of all readers, the show, the thing and the
        sender."""
        waiting = Suggestion.objects.filter(state=self.WAITING)
        of_show = waiting.filter(podcast=self.podcast)
        of_thing = of_show.filter(
            kind=self.kind, source=self.source, item_key=self.item_key, key=self.key
        )
        shares = (
            (waiting, self.MOST_WAITING),
            (of_show, self.MAX_WAITING_OF_SHOW),
            (of_thing, self.MAX_WAITING_OF_THING),
            (waiting.filter(network=self.network), self.MAX_WAITING_OF_NETWORK),
        )
        return all(rows.count() < places for rows, places in shares)

    def clean(self) -> None:
        """Refuse at once what could not be accepted later."""
        longest = LONGEST.get(self.field, len(self.value))
        if len(self.value) > longest:
            raise ValidationError({"value": f"At most {longest} characters, please."})
