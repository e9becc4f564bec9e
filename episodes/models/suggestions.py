"""Corrections that readers suggest, until a curator accepts or refuses them."""

from django.core.exceptions import ValidationError
from django.db import models
from django.utils import timezone

from ..fields import FIELDS_BY_NAME
from .configuration import Podcast
from .decisions import CORRECTABLE_FIELDS

TOPIC_FIELDS = ("topic", "wrong-topic")
# A curator makes these corrections by hand: what a reader writes about them is no value.
FREE_TEXT_FIELDS = {"notes": "Notes", "links": "Links", "other": "Something else"}
# The labels of fields that readers can correct, by the kind of subject and the name of the field.
SUGGESTABLE_FIELDS = {
    "episode": {
        **{
            name: FIELDS_BY_NAME[name].label
            for name in (
                "title",
                "number",
                "season",
                "published",
                "duration_seconds",
                "url",
                "audio_url",
            )
        },
        "host": "Host",
        "guest": "Guest",
        "topic": "Missing topic",
        "wrong-topic": "Wrong topic",
        "words": "Words in the transcript",
        **FREE_TEXT_FIELDS,
    },
    "person": {
        **{name: CORRECTABLE_FIELDS["person"][name] for name in ("name", "url")},
        "other": FREE_TEXT_FIELDS["other"],
    },
    "link": {
        **{name: CORRECTABLE_FIELDS["link"][name] for name in ("label", "replacement")},
        "other": FREE_TEXT_FIELDS["other"],
    },
    "topic": {"alias": "Another word for it"},
}
_FIELD_LABELS = {
    name: label for fields in SUGGESTABLE_FIELDS.values() for name, label in fields.items()
}


class Suggestion(models.Model):
    """A reader's correction of a field of an episode, person, link or topic. No page shows it before a curator
    accepts it.

    The subject is an entry of the episode, the natural key of the person or link, as in decisions, or the slug of
    the topic.
    """

    # No more are accepted from readers until curators have decided about some.
    MAX_WAITING = 1_000
    MAX_WAITING_OF_SHOW = 500
    MAX_WAITING_OF_THING = 20
    MAX_WAITING_OF_NETWORK = 50
    MAX_ANSWER_LENGTH = 500
    WAITING, ACCEPTED, REFUSED = "waiting", "accepted", "refused"

    kind = models.CharField(max_length=10, choices=[(kind, kind) for kind in SUGGESTABLE_FIELDS])
    podcast = models.ForeignKey(Podcast, models.CASCADE, related_name="+", verbose_name="show")
    source = models.SlugField(max_length=200, blank=True)
    item_key = models.CharField("entry key", max_length=600, blank=True)
    key = models.CharField(max_length=2100, blank=True, help_text="Of a person, link or topic.")
    subject = models.CharField(max_length=300, help_text="What the thing was called then.")
    page = models.CharField(max_length=2400, help_text="Its address then, which lasts.")
    field = models.CharField("What is wrong?", max_length=30, choices=_FIELD_LABELS.items())
    wrong = models.CharField(
        "Words in the transcript",
        max_length=500,
        blank=True,
        help_text="For transcript mistakes only: the words as they stand now.",
    )  # of other fields the value that the thing had then
    value = models.CharField("What should it be?", max_length=500)
    evidence = models.CharField(
        "How do you know?",
        max_length=500,
        blank=True,
        help_text="A link or a short explanation.",
    )
    name = models.CharField(
        "Your name",
        max_length=80,
        blank=True,
        help_text="Optional. Shown with the correction once it is accepted.",
    )
    contact = models.EmailField(
        "Your email",
        blank=True,
        help_text="Optional. Only curators see it, and it is deleted once they decide.",
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
    token = models.CharField(
        max_length=43, blank=True, help_text="Of the page that shows its reader the outcome."
    )
    answer = models.CharField(
        max_length=MAX_ANSWER_LENGTH,
        blank=True,
        help_text="What the curator tells the reader.",
    )
    made_at = models.DateTimeField(default=timezone.now)
    settled_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-settled_at", "-id")
        indexes = (
            models.Index(fields=("state", "-settled_at"), name="suggestion_state"),
            models.Index(fields=("token",), name="suggestion_token"),
        )

    @property
    def is_free_text(self) -> bool:
        return self.field in FREE_TEXT_FIELDS

    @property
    def displayed_value(self) -> str:
        """Return the suggested value as it will be read: `12 s` for the length "12"."""
        field = FIELDS_BY_NAME.get(self.field)
        return field.display_full(self.value) if field else self.value

    def is_below_limits(self) -> bool:
        """Return whether fewer suggestions than the limits wait: in total, for the show, for the subject,
        and from the sender."""
        waiting = Suggestion.objects.filter(state=self.WAITING)
        of_show = waiting.filter(podcast=self.podcast)
        of_subject = of_show.filter(
            kind=self.kind, source=self.source, item_key=self.item_key, key=self.key
        )
        from_sender = waiting.filter(network=self.network)
        limits = (
            (waiting, self.MAX_WAITING),
            (of_show, self.MAX_WAITING_OF_SHOW),
            (of_subject, self.MAX_WAITING_OF_THING),
            (from_sender, self.MAX_WAITING_OF_NETWORK),
        )
        return all(suggestions.count() < maximum for suggestions, maximum in limits)

    def clean(self) -> None:
        # A decision about these fields holds fewer characters than the form.
        max_lengths = {
            "host": 300,
            "guest": 300,
            "name": 300,
            "label": 300,
            "words": 200,
            "alias": 100,
        }
        max_length = max_lengths.get(self.field)
        if max_length and len(self.value) > max_length:
            raise ValidationError({"value": f"At most {max_length} characters, please."})
